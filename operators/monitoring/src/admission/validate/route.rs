//! Routes: the receivers and time intervals that they name must exist.

use std::collections::BTreeSet;

use api_monitoring::alertmanager_config::route::Route;
use api_monitoring::alertmanager_config::{ApiVersion, Matcher};
use go_syntax::quoted::Quoted;
use monitoring_alerting::convert::{each, unreadable};
use monitoring_select::Problem;
use monitoring_select::problem::broken;

/// What routes can refer to.
pub(super) struct Names<'s> {
    pub(super) receivers: BTreeSet<&'s str>,
    pub(super) intervals: BTreeSet<&'s str>,
    /// The version of the object.
    pub(super) version: ApiVersion,
}

/// Checks the root route and its descendants.
pub(super) fn check(route: &Route, names: &Names<'_>) -> Result<(), Problem> {
    if route.receiver.is_empty() {
        return broken("root route must define a receiver");
    }
    check_route(route, names)
}

fn check_route(route: &Route, names: &Names<'_>) -> Result<(), Problem> {
    if !route.receiver.is_empty() && !names.receivers.contains(route.receiver.as_str()) {
        return broken(format!("receiver {} not found", Quoted(&route.receiver)));
    }
    check_grouping(&route.group_by)?;
    let muted = match names.version {
        ApiVersion::V1Alpha1 => "mute time interval",
        ApiVersion::V1Beta1 => "time interval",
    };
    for (what, intervals) in
        [(muted, &route.mute_time_intervals), ("time interval", &route.active_time_intervals)]
    {
        if let Some(name) = intervals.iter().find(|name| !names.intervals.contains(name.as_str())) {
            return broken(format!("{what} {} not found", Quoted(name)));
        }
    }
    each("matcher", &route.matchers, check_matcher)?;
    let children = route.children(names.version).map_err(unreadable)?;
    each("route", &children, |child| check_route(child, names))?;
    Ok(())
}

/// Labels must be unique; `...` means all labels and must be alone.
fn check_grouping(labels: &[String]) -> Result<(), Problem> {
    if labels.iter().collect::<BTreeSet<_>>().len() < labels.len() {
        return broken(format!("duplicate values not permitted in route 'groupBy': [{}]", labels.join(" ")));
    }
    if labels.len() > 1 && labels.iter().any(|label| label == "...") {
        return broken(format!("'...' must be a sole value in route 'groupBy': [{}]", labels.join(" ")));
    }
    Ok(())
}

/// Checks a matcher with `matchType`. One without it, in the older syntax, is always valid.
pub(in crate::admission) fn check_matcher(matcher: &Matcher) -> Result<(), Problem> {
    if matcher.match_type.is_empty() {
        return Ok(());
    }
    if !matches!(&*matcher.match_type, "=" | "!=" | "=~" | "!~") {
        return broken(format!("invalid 'matchType' '{}' provided'", matcher.match_type));
    }
    if matcher.name.trim().is_empty() {
        return broken("matcher 'name' is required");
    }
    Ok(())
}
