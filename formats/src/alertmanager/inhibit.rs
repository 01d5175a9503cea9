//! Which alerts silence which.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::fit::{Fit, Fitting, Refusal};
use super::since::MATCHERS;

/// A rule: while a source fires, targets with equal labels are silent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct InhibitRule {
    /// Labels of targets and their values, as older versions write conditions.
    pub target_match: BTreeMap<String, String>,
    /// Labels of targets and regular expressions, as older versions write conditions.
    pub target_match_re: BTreeMap<String, String>,
    /// Conditions that a target meets.
    pub target_matchers: Vec<String>,
    /// Labels of sources and their values, as older versions write conditions.
    pub source_match: BTreeMap<String, String>,
    /// Labels of sources and regular expressions, as older versions write conditions.
    pub source_match_re: BTreeMap<String, String>,
    /// Conditions that a source meets.
    pub source_matchers: Vec<String>,
    /// Labels that must be the same.
    pub equal: Vec<String>,
}

impl Fit for InhibitRule {
    fn fit(&mut self, fitting: &Fitting<'_>) -> Result<(), Refusal> {
        if fitting.has(MATCHERS) || (self.source_matchers.is_empty() && self.target_matchers.is_empty()) {
            return Ok(());
        }
        Err(Refusal::new(format!(
            "target_matchers and source_matchers matching is supported in Alertmanager >= 0.22.0 only \
             (target_matchers=[{}], source_matchers=[{}])",
            self.target_matchers.join(" "),
            self.source_matchers.join(" ")
        )))
    }
}
