//! Conditions, in the form that the version understands.

use std::collections::BTreeMap;

use api_monitoring::alertmanager_config::Matcher;
use formats::alertmanager::fit::has_matchers;
use formats::alertmanager::matcher::{Operator, written};
use formats::version::Version;

/// The label that says where an alert comes from.
pub(crate) const NAMESPACE: &str = "namespace";

/// Conditions in their new form, and in the two old ones.
#[derive(Debug, Default)]
pub(super) struct Conditions {
    pub(super) matchers: Vec<String>,
    pub(super) equal: BTreeMap<String, String>,
    pub(super) like: BTreeMap<String, String>,
}

/// Conditions of a resource. One with an operator has only the new form, whether the version knows it or not: a version
/// that does not is refused later.
pub(super) fn conditions(version: &Version, matchers: &[Matcher]) -> Conditions {
    let mut conditions = Conditions::default();
    let is_new = has_matchers(version);
    for Matcher { name, value, match_type, regex } in matchers {
        if !match_type.is_empty() {
            conditions.matchers.push(written(name, match_type, value));
        } else if is_new {
            let operator = if *regex { Operator::Like } else { Operator::Equal };
            conditions.matchers.push(written(name, operator, value));
        } else {
            let old = if *regex { &mut conditions.like } else { &mut conditions.equal };
            old.insert(name.clone(), value.clone());
        }
    }
    conditions
}
