//! Checks of an AlertmanagerConfig against the Alertmanager that selects it: it is valid by itself, what it refers to exists,
//! and the version of Alertmanager supports all its fields.

mod receiver;

use api_monitoring::AlertmanagerConfig;
use api_monitoring::alertmanager_config::route::Route;
use api_monitoring::alertmanager_config::{ApiVersion, InhibitRule, Matcher};
use formats::alertmanager::fit::has_matchers;
use formats::version::Version;
use monitoring_alerting::convert::unreadable;
use monitoring_assets::Objects;
use monitoring_select::Problem;
use monitoring_select::problem::{Within as _, broken};
use monitoring_select::references::{Accepted, References, Rejected};

use crate::admission::validate::{self, check_matcher};

/// Checks an object against a version of Alertmanager and the existing Secrets and ConfigMaps.
pub fn check<'o>(
    config: &AlertmanagerConfig,
    version: &Version,
    objects: &'o Objects,
) -> Result<Accepted<'o>, Rejected> {
    References::check(objects, config.metadata.namespace.as_deref().unwrap_or_default(), |references| {
        check_all(config, version, references)
    })
}

fn check_all(
    config: &AlertmanagerConfig,
    version: &Version,
    references: &References<'_>,
) -> Result<(), Problem> {
    validate::check(&config.spec, ApiVersion::V1Alpha1)?;
    for receiver in &config.spec.receivers {
        receiver::check(receiver, version, references)?;
    }
    if let Some(route) = &config.spec.route {
        check_route(route, version)?;
    }
    let name = config.metadata.name.as_deref().unwrap_or_default();
    for (index, rule) in config.spec.inhibit_rules.iter().enumerate() {
        check_inhibition(rule, index, name, version)?;
    }
    Ok(())
}

fn check_route(route: &Route, version: &Version) -> Result<(), Problem> {
    if !has_matchers(version) && has_match_type(&route.matchers) {
        return broken(format!(
            "invalid syntax in route config for 'matchers' comparison based matching is supported in \
             Alertmanager >= 0.22.0 only (matchers={}) (receiver={})",
            shown(&route.matchers),
            route.receiver
        ));
    }
    let children = route.children(ApiVersion::V1Alpha1).map_err(unreadable)?;
    children.iter().try_for_each(|child| check_route(child, version))
}

fn check_inhibition(rule: &InhibitRule, index: usize, name: &str, version: &Version) -> Result<(), Problem> {
    let (source, target) = (&rule.source_match, &rule.target_match);
    if !has_matchers(version) {
        if has_match_type(source) || has_match_type(target) {
            return broken(format!(
                "'sourceMatch' and/or 'targetMatch' are using matching syntax which is supported in \
                 Alertmanager >= 0.22.0 only (sourceMatch={}, targetMatch={})",
                shown(source),
                shown(target)
            ));
        }
        return Ok(());
    }
    for (side, matchers) in [("targetMatchers", target), ("sourceMatchers", source)] {
        for (at, matcher) in matchers.iter().enumerate() {
            let place = format_args!("invalid {side}[{at}] in inhibitRule[{index}] in config {name}");
            check_matcher(matcher).within(place)?;
        }
    }
    Ok(())
}

/// Whether one of the matchers has `matchType`.
fn has_match_type(matchers: &[Matcher]) -> bool {
    matchers.iter().any(|matcher| !matcher.match_type.is_empty())
}

/// Matchers as Alertmanager writes them.
fn shown(matchers: &[Matcher]) -> String {
    let shown = matchers.iter().map(|matcher| {
        let value = matcher.value.replace('\\', r"\\").replace('\n', r"\n").replace('"', "\\\"");
        format!("{}{}\"{value}\"", matcher.name, matcher.match_type)
    });
    format!("[{}]", shown.collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests;
