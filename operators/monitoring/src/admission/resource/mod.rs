//! Whether an Alertmanager can take an AlertmanagerConfig in: it makes sense by itself, what it points to is there, and
//! the version of Alertmanager has all that it uses.
//!
//! | file | owns |
//! |---|---|
//! | `receiver` | receivers, a function a kind |
//! | `since` | what came with which version |

mod receiver;
mod since;

use api_monitoring::AlertmanagerConfig;
use api_monitoring::alertmanager_config::route::Route;
use api_monitoring::alertmanager_config::{ApiVersion, InhibitRule, Matcher};
use formats::version::Version;
use monitoring_assets::Objects;
use monitoring_select::references::References;
use monitoring_select::verdict::{Accepted, Refused};

use crate::admission::problem::{Problem, Within, broken};
use crate::admission::validate::{self, matcher};

/// Checks an object against a version of Alertmanager and the Secrets and ConfigMaps that there are.
pub fn check<'o>(
    config: &AlertmanagerConfig,
    version: &Version,
    objects: &'o Objects,
) -> Result<Accepted<'o>, Refused> {
    let references = References::new(objects, config.metadata.namespace.as_deref().unwrap_or_default());
    let checked = check_all(config, version, &references);
    references.verdict(checked)
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
    if *version < since::COMPARISONS && has_comparison(&route.matchers) {
        return broken(format!(
            "invalid syntax in route config for 'matchers' comparison based matching is supported in \
             Alertmanager >= 0.22.0 only (matchers={}) (receiver={})",
            matcher::shown(&route.matchers),
            route.receiver
        ));
    }
    let children =
        route.children(ApiVersion::V1Alpha1).map_err(|invalid| Problem::Text(invalid.to_string()))?;
    children.iter().try_for_each(|child| check_route(child, version))
}

fn check_inhibition(rule: &InhibitRule, index: usize, name: &str, version: &Version) -> Result<(), Problem> {
    let (source, target) = (&rule.source_match, &rule.target_match);
    if *version < since::COMPARISONS {
        if has_comparison(source) || has_comparison(target) {
            return broken(format!(
                "'sourceMatch' and/or 'targetMatch' are using matching syntax which is supported in \
                 Alertmanager >= 0.22.0 only (sourceMatch={}, targetMatch={})",
                matcher::shown(source),
                matcher::shown(target)
            ));
        }
        return Ok(());
    }
    for (side, matchers) in [("targetMatchers", target), ("sourceMatchers", source)] {
        for (at, one) in matchers.iter().enumerate() {
            let place = format_args!("invalid {side}[{at}] in inhibitRule[{index}] in config {name}");
            matcher::check(one).within(place)?;
        }
    }
    Ok(())
}

/// Whether one of these says how it compares.
fn has_comparison(matchers: &[Matcher]) -> bool {
    matchers.iter().any(|matcher| !matcher.match_type.is_empty())
}

#[cfg(test)]
mod tests;
