//! Merges AlertmanagerConfigs into one configuration. Each is converted by itself: one that cannot be used does not affect
//! the others.

use std::collections::BTreeSet;

use api_monitoring::AlertmanagerConfig;
use api_monitoring::alertmanager::MatcherStrategy;
use formats::alertmanager::fit::has_matchers;
use formats::alertmanager::global::Global;
use formats::alertmanager::inhibit::InhibitRule;
use formats::alertmanager::matcher::{MatchOperator, written};
use formats::alertmanager::route::Route;
use formats::alertmanager::{Config, ConfigError, Fit, Fitting, Warning};
use formats::version::Version;
use monitoring_assets::{Objects, Reader};
use monitoring_select::Problem;

use crate::convert::{Convert, NAMESPACE, unreadable};

/// What the Alertmanager determines about the resources that are merged into its configuration.
#[derive(Debug, Clone, Copy)]
pub struct MergeTarget<'t> {
    /// The namespace of the Alertmanager.
    pub namespace: &'t str,
    /// Which resources are restricted to alerts of their own namespace.
    pub strategy: &'t MatcherStrategy,
    /// The version of Alertmanager.
    pub version: &'t Version,
    /// Secrets and ConfigMaps.
    pub objects: &'t Objects,
}

/// The routes, receivers, inhibition rules and time intervals of one resource, adapted to a version. They depend on the
/// resource, on the Secrets and ConfigMaps that it refers to, on the global settings and on the target only.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ConfigPart {
    config: Config,
    warnings: Vec<Warning>,
}

impl MergeTarget<'_> {
    /// Converts one resource.
    pub fn part(
        &self,
        resource: &AlertmanagerConfig,
        global: Option<&Global>,
    ) -> Result<ConfigPart, Problem> {
        let namespace = resource.metadata.namespace.as_deref().unwrap_or_default();
        let name = resource.metadata.name.as_deref().unwrap_or_default();
        let reader = Reader::new(self.objects, namespace);
        let convert = Convert { reader: &reader, version: self.version, name, global };
        let mut config = convert.config(resource)?;
        if self.restricts(namespace) {
            let is_new = has_matchers(self.version);
            config.inhibit_rules.iter_mut().for_each(|rule| restrict_rule(rule, namespace, is_new));
            config.route.iter_mut().for_each(|route| restrict_route(route, namespace, is_new));
        }
        if let Some(route) = &mut config.route {
            route.continue_ = true;
        } else {
            // Nothing refers to them.
            config.receivers.clear();
            config.mute_time_intervals.clear();
        }
        let fitting = Fitting::new(self.version);
        config.fit(&fitting).map_err(unreadable)?;
        Ok(ConfigPart { config, warnings: fitting.into_warnings() })
    }

    /// Whether resources of a namespace are restricted to alerts of that namespace.
    fn restricts(&self, namespace: &str) -> bool {
        match &*self.strategy.type_ {
            "None" => false,
            "OnNamespaceExceptForAlertmanagerNamespace" => namespace != self.namespace,
            _ => true,
        }
    }
}

/// Adds the parts to a configuration in their order. An error is about the configuration itself.
pub fn join<'p>(
    mut base: Config,
    parts: impl IntoIterator<Item = &'p ConfigPart>,
    version: &Version,
) -> Result<(Config, Vec<Warning>), ConfigError> {
    let mut routes = Vec::new();
    let mut left_out = BTreeSet::new();
    for ConfigPart { config, warnings } in parts {
        left_out.extend(warnings.iter().cloned());
        base.inhibit_rules.extend(config.inhibit_rules.iter().cloned());
        routes.extend(config.route.clone());
        base.receivers.extend(config.receivers.iter().cloned());
        base.mute_time_intervals.extend(config.mute_time_intervals.iter().cloned());
    }
    if let Some(root) = &mut base.route {
        // They precede the routes of the base. All of them continue, so alerts also reach the routes of the base.
        root.routes.splice(..0, routes);
    }
    let fitting = Fitting::new(version);
    base.fit(&fitting)?;
    left_out.extend(fitting.into_warnings());
    Ok((base, left_out.into_iter().collect()))
}

fn restrict_route(route: &mut Route, namespace: &str, is_new: bool) {
    if is_new {
        route.matchers.push(written(NAMESPACE, MatchOperator::Equal, namespace));
    } else {
        route.match_.insert(NAMESPACE.into(), namespace.into());
    }
}

fn restrict_rule(rule: &mut InhibitRule, namespace: &str, is_new: bool) {
    for (matchers, equal, regex) in [
        (&mut rule.source_matchers, &mut rule.source_match, &mut rule.source_match_re),
        (&mut rule.target_matchers, &mut rule.target_match, &mut rule.target_match_re),
    ] {
        regex.remove(NAMESPACE);
        if !is_new {
            equal.insert(NAMESPACE.into(), namespace.into());
            continue;
        }
        let matcher = written(NAMESPACE, MatchOperator::Equal, namespace);
        if !matchers.iter().any(|other| other.replace(' ', "") == matcher.replace(' ', "")) {
            matchers.push(matcher);
        }
        equal.remove(NAMESPACE);
    }
}
