//! Which alerts silence which.

use api_monitoring::alertmanager_config::InhibitRule as Resource;
use formats::alertmanager::inhibit::InhibitRule;

use super::Convert;
use super::matcher::conditions;

impl Convert<'_> {
    /// A rule.
    pub(super) fn inhibit_rule(&self, rule: &Resource) -> InhibitRule {
        let source = conditions(self.version, &rule.source_match);
        let target = conditions(self.version, &rule.target_match);
        InhibitRule {
            target_match: target.equal,
            target_match_re: target.like,
            target_matchers: target.matchers,
            source_match: source.equal,
            source_match_re: source.like,
            source_matchers: source.matchers,
            equal: rule.equal.clone(),
        }
    }
}
