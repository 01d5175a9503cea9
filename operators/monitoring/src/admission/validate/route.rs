//! Routes: whom and what they name must be there.

use std::collections::BTreeSet;

use api_monitoring::alertmanager_config::ApiVersion;
use api_monitoring::alertmanager_config::route::Route;
use go_syntax::quoted::Quoted;

use super::matcher;
use crate::admission::problem::{Problem, Within, broken, each};

/// What routes can name.
pub(super) struct Names<'s> {
    pub(super) receivers: BTreeSet<&'s str>,
    pub(super) intervals: BTreeSet<&'s str>,
    /// The version of the object.
    pub(super) version: ApiVersion,
}

/// Checks the first route and all below it.
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
    each("matcher", &route.matchers, matcher::check)?;
    let children = route.children(names.version).map_err(|invalid| Problem::Text(invalid.to_string()))?;
    for (index, child) in children.iter().enumerate() {
        check_route(child, names).within(format_args!("route[{index}]"))?;
    }
    Ok(())
}

/// Labels differ; `...` stands for all of them and alone.
fn check_grouping(labels: &[String]) -> Result<(), Problem> {
    let different: BTreeSet<&String> = labels.iter().collect();
    if different.len() < labels.len() {
        return broken(format!("duplicate values not permitted in route 'groupBy': [{}]", labels.join(" ")));
    }
    if labels.len() > 1 && labels.iter().any(|label| label == "...") {
        return broken(format!("'...' must be a sole value in route 'groupBy': [{}]", labels.join(" ")));
    }
    Ok(())
}
