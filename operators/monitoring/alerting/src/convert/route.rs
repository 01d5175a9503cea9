//! Routes and inhibition rules, with their matchers in the syntax that the version of Alertmanager reads.

use std::collections::BTreeMap;

use api_monitoring::alertmanager_config::route::Route as RouteSpec;
use api_monitoring::alertmanager_config::{ApiVersion, InhibitRule as InhibitRuleSpec, Matcher};
use formats::alertmanager::fit::has_matchers;
use formats::alertmanager::inhibit::InhibitRule;
use formats::alertmanager::matcher::{MatchOperator, written};
use formats::alertmanager::route::Route;
use monitoring_select::Problem;

use super::{Convert, unreadable};

/// The label with the namespace of an alert.
pub(crate) const NAMESPACE: &str = "namespace";

/// Matchers in the current syntax and in the two older ones.
#[derive(Debug, Default)]
struct Matchers {
    current: Vec<String>,
    equal: BTreeMap<String, String>,
    regex: BTreeMap<String, String>,
}

impl Convert<'_> {
    /// A route with its child routes.
    pub(super) fn route(&self, route: &RouteSpec) -> Result<Route, Problem> {
        let matchers = self.matchers(&route.matchers);
        let unique = |names: &[String]| names.iter().map(|name| self.unique(name)).collect();
        let children = route.children(ApiVersion::V1Alpha1).map_err(unreadable)?;
        Ok(Route {
            receiver: self.unique(&route.receiver),
            group_by: route.group_by.clone(),
            match_: matchers.equal,
            match_re: matchers.regex,
            matchers: matchers.current,
            continue_: route.continue_,
            routes: children.iter().map(|child| self.route(child)).collect::<Result<_, _>>()?,
            group_wait: route.group_wait.clone().unwrap_or_default().0,
            group_interval: route.group_interval.clone().unwrap_or_default().0,
            repeat_interval: route.repeat_interval.clone().unwrap_or_default().0,
            mute_time_intervals: unique(&route.mute_time_intervals),
            active_time_intervals: unique(&route.active_time_intervals),
        })
    }

    /// An inhibition rule.
    pub(super) fn inhibit_rule(&self, rule: &InhibitRuleSpec) -> InhibitRule {
        let source = self.matchers(&rule.source_match);
        let target = self.matchers(&rule.target_match);
        InhibitRule {
            target_match: target.equal,
            target_match_re: target.regex,
            target_matchers: target.current,
            source_match: source.equal,
            source_match_re: source.regex,
            source_matchers: source.current,
            equal: rule.equal.clone(),
        }
    }

    /// Matchers of a resource. One with `matchType` is written in the current syntax for every version: a version that
    /// does not know it is rejected later.
    fn matchers(&self, specs: &[Matcher]) -> Matchers {
        let mut matchers = Matchers::default();
        let is_new = has_matchers(self.version);
        for Matcher { name, value, match_type, regex } in specs {
            if !match_type.is_empty() {
                matchers.current.push(written(name, match_type, value));
            } else if is_new {
                let operator = if *regex { MatchOperator::Like } else { MatchOperator::Equal };
                matchers.current.push(written(name, operator, value));
            } else {
                let old = if *regex { &mut matchers.regex } else { &mut matchers.equal };
                old.insert(name.clone(), value.clone());
            }
        }
        matchers
    }
}
