//! Checks of routes, inhibition rules and their matchers.

use std::collections::{BTreeMap, BTreeSet};

use crate::alertmanager::duration::Duration;
use crate::alertmanager::fit::{ConfigError, refuse};
use crate::alertmanager::inhibit::InhibitRule;
use crate::alertmanager::matcher::{self, is_label_name};
use crate::alertmanager::route::Route;

/// The label that stands for all labels.
const ALL: &str = "...";

/// Checks a route and its child routes.
pub(super) fn check(route: &Route) -> Result<(), ConfigError> {
    route.routes.iter().try_for_each(check)?;
    check_expressions(&route.match_re)?;
    check_matchers(&route.matchers)?;
    let spans = [&route.group_wait, &route.group_interval, &route.repeat_interval];
    for span in spans.into_iter().filter(|span| !span.is_empty()) {
        Duration::parse(span).map_err(|error| ConfigError::new(error.to_string()))?;
    }
    check_labels(&route.match_)?;
    check_group(&route.group_by)?;
    let is_zero = |span: &str| Duration::parse(span).is_ok_and(|span| span.is_zero());
    refuse(is_zero(&route.group_interval), "group_interval cannot be zero")?;
    refuse(is_zero(&route.repeat_interval), "repeat_interval cannot be zero")
}

fn check_group(labels: &[String]) -> Result<(), ConfigError> {
    let named = || labels.iter().filter(|label| *label != ALL);
    if let Some(label) = named().find(|label| !is_label_name(label)) {
        return Err(ConfigError::new(format!("invalid label name {label:?} in group_by list")));
    }
    refuse(
        labels.iter().any(|label| label == ALL) && named().next().is_some(),
        "cannot have wildcard group_by (`...`) and other labels at the same time",
    )?;
    let mut seen = BTreeSet::new();
    match named().find(|label| !seen.insert(label.as_str())) {
        Some(label) => Err(ConfigError::new(format!("duplicated label {label:?} in group_by"))),
        None => Ok(()),
    }
}

/// Checks an inhibition rule.
pub(super) fn check_rule(rule: &InhibitRule) -> Result<(), ConfigError> {
    check_expressions(&rule.source_match_re)?;
    check_expressions(&rule.target_match_re)?;
    check_matchers(&rule.source_matchers)?;
    check_matchers(&rule.target_matchers)?;
    check_labels(&rule.source_match)?;
    check_labels(&rule.target_match)?;
    match rule.equal.iter().find(|label| !is_label_name(label)) {
        Some(label) => Err(ConfigError::new(format!("invalid label name {label:?} in equal list"))),
        None => Ok(()),
    }
}

fn check_matchers(matchers: &[String]) -> Result<(), ConfigError> {
    matchers
        .iter()
        .try_for_each(|matcher| matcher::check(matcher))
        .map_err(|error| ConfigError::new(error.to_string()))
}

fn check_labels(labels: &BTreeMap<String, String>) -> Result<(), ConfigError> {
    match labels.keys().find(|label| !is_label_name(label)) {
        Some(label) => Err(ConfigError::new(format!("invalid label name {label:?}"))),
        None => Ok(()),
    }
}

fn check_expressions(labels: &BTreeMap<String, String>) -> Result<(), ConfigError> {
    check_labels(labels)?;
    let mut expressions = labels.values();
    expressions
        .try_for_each(|expression| matcher::check_expression(expression))
        .map_err(|error| ConfigError::new(error.to_string()))
}
