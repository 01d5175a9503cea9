//! Inhibition rules.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::fit::{ConfigError, Fit, Fitting};
use super::since::MATCHERS;

/// A rule: while a source alert fires, target alerts with equal labels are muted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct InhibitRule {
    /// Labels and values of targets, in the notation of older versions.
    pub target_match: BTreeMap<String, String>,
    /// Labels and regular expressions of targets, in the notation of older versions.
    pub target_match_re: BTreeMap<String, String>,
    /// Matchers of targets.
    pub target_matchers: Vec<String>,
    /// Labels and values of sources, in the notation of older versions.
    pub source_match: BTreeMap<String, String>,
    /// Labels and regular expressions of sources, in the notation of older versions.
    pub source_match_re: BTreeMap<String, String>,
    /// Matchers of sources.
    pub source_matchers: Vec<String>,
    /// Labels whose values must be equal.
    pub equal: Vec<String>,
}

impl Fit for InhibitRule {
    fn fit(&mut self, fitting: &Fitting<'_>) -> Result<(), ConfigError> {
        if fitting.has(MATCHERS) || (self.source_matchers.is_empty() && self.target_matchers.is_empty()) {
            return Ok(());
        }
        Err(ConfigError::new(format!(
            "target_matchers and source_matchers matching is supported in Alertmanager >= 0.22.0 only \
             (target_matchers=[{}], source_matchers=[{}])",
            self.target_matchers.join(" "),
            self.source_matchers.join(" ")
        )))
    }
}
