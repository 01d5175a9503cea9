//! Many AlertmanagerConfigs into one configuration. Each is converted and made fit by itself: one that cannot be is left
//! out, and the others are as if it were not there.

use std::collections::BTreeSet;

use api_monitoring::AlertmanagerConfig;
use api_monitoring::alertmanager::MatcherStrategy;
use formats::alertmanager::fit::has_matchers;
use formats::alertmanager::global::Global;
use formats::alertmanager::inhibit::InhibitRule;
use formats::alertmanager::matcher::{Operator, written};
use formats::alertmanager::route::Route;
use formats::alertmanager::{Config, Fit, Fitting, Refusal, Warning};
use formats::version::Version;
use monitoring_assets::{Objects, Reader, Reference};

use crate::convert::{Convert, Error, NAMESPACE};

/// For whom configurations are merged.
#[derive(Debug, Clone, Copy)]
pub struct Target<'t> {
    /// The namespace of the Alertmanager.
    pub namespace: &'t str,
    /// Which resources are restricted to alerts of their own namespace.
    pub strategy: &'t MatcherStrategy,
    /// The version of the Alertmanager.
    pub version: &'t Version,
    /// What can be read.
    pub objects: &'t Objects,
}

/// What came of merging.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Merged {
    /// The configuration.
    pub config: Config,
    /// What is not in it, although it was asked for.
    pub warnings: Vec<Warning>,
    /// Secrets and ConfigMaps that were read, or that somebody wanted to read.
    pub references: BTreeSet<Reference>,
    /// Resources that are not in it.
    pub refused: Vec<Refused>,
}

/// A resource that is left out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("AlertmanagerConfig {namespace}/{name}: {reason}")]
pub struct Refused {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Why.
    pub reason: Reason,
}

/// Why a resource is left out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// It cannot be converted.
    #[error(transparent)]
    Conversion(#[from] Error),
    /// The version has not what it asks for.
    #[error(transparent)]
    Version(#[from] Refusal),
}

/// What one resource adds to a configuration: its routes, receivers, inhibitions and times, made fit for a version. It
/// depends on the resource, on what it points to, on the global part and on the target, and on nothing else.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Part {
    config: Config,
    warnings: Vec<Warning>,
}

impl Target<'_> {
    /// What a resource adds, or why it cannot; and what was read for it.
    pub fn part(
        &self,
        resource: &AlertmanagerConfig,
        global: Option<&Global>,
    ) -> (Result<Part, Reason>, BTreeSet<Reference>) {
        let namespace = resource.metadata.namespace.as_deref().unwrap_or_default();
        let name = resource.metadata.name.as_deref().unwrap_or_default();
        let reader = Reader::new(self.objects, namespace);
        let convert = Convert { reader: &reader, version: self.version, name, global };
        let part = part(&convert, resource, self);
        (part, reader.references())
    }
}

/// Adds parts to a configuration, in the order in which they come. An error is one of the configuration itself.
pub fn join<'p>(
    mut base: Config,
    parts: impl IntoIterator<Item = &'p Part>,
    version: &Version,
) -> Result<(Config, Vec<Warning>), Refusal> {
    let mut routes = Vec::new();
    let mut left_out = BTreeSet::new();
    for Part { config, warnings } in parts {
        left_out.extend(warnings.iter().cloned());
        base.inhibit_rules.extend(config.inhibit_rules.iter().cloned());
        routes.extend(config.route.clone());
        base.receivers.extend(config.receivers.iter().cloned());
        base.mute_time_intervals.extend(config.mute_time_intervals.iter().cloned());
    }
    if let Some(root) = &mut base.route {
        // They are asked before the routes of the base; alerts go on to those, because all of these continue.
        root.routes.splice(..0, routes);
    }
    let fitting = Fitting::new(version);
    base.fit(&fitting)?;
    left_out.extend(fitting.into_warnings());
    Ok((base, left_out.into_iter().collect()))
}

/// Adds resources to a configuration, in the order in which they come. An error is one of the configuration itself.
pub fn merge<'c>(
    base: Config,
    resources: impl IntoIterator<Item = &'c AlertmanagerConfig>,
    target: &Target<'_>,
) -> Result<Merged, Refusal> {
    let mut merged = Merged::default();
    let mut parts = Vec::new();
    for resource in resources {
        let (part, read) = target.part(resource, base.global.as_ref());
        merged.references.extend(read);
        match part {
            Ok(part) => parts.push(part),
            Err(reason) => merged.refused.push(Refused {
                namespace: resource.metadata.namespace.clone().unwrap_or_default(),
                name: resource.metadata.name.clone().unwrap_or_default(),
                reason,
            }),
        }
    }
    (merged.config, merged.warnings) = join(base, &parts, target.version)?;
    Ok(merged)
}

/// What one resource adds.
fn part(convert: &Convert<'_>, resource: &AlertmanagerConfig, target: &Target<'_>) -> Result<Part, Reason> {
    let mut part = convert.config(resource)?;
    let namespace = convert.reader.namespace();
    if is_restricted(namespace, target) {
        let is_new = has_matchers(target.version);
        part.inhibit_rules.iter_mut().for_each(|rule| restrict_rule(rule, namespace, is_new));
        part.route.iter_mut().for_each(|route| restrict_route(route, namespace, is_new));
    }
    if let Some(route) = &mut part.route {
        route.continue_ = true;
    } else {
        // Nobody could be told, and at no time.
        part.receivers.clear();
        part.mute_time_intervals.clear();
    }
    let fitting = Fitting::new(target.version);
    part.fit(&fitting)?;
    Ok(Part { config: part, warnings: fitting.into_warnings() })
}

/// Whether a resource of a namespace sees only alerts from there.
fn is_restricted(namespace: &str, target: &Target<'_>) -> bool {
    match &*target.strategy.type_ {
        "None" => false,
        "OnNamespaceExceptForAlertmanagerNamespace" => namespace != target.namespace,
        _ => true,
    }
}

fn restrict_route(route: &mut Route, namespace: &str, is_new: bool) {
    if is_new {
        route.matchers.push(written(NAMESPACE, Operator::Equal, namespace));
    } else {
        route.match_.insert(NAMESPACE.into(), namespace.into());
    }
}

fn restrict_rule(rule: &mut InhibitRule, namespace: &str, is_new: bool) {
    for (matchers, equal, like) in [
        (&mut rule.source_matchers, &mut rule.source_match, &mut rule.source_match_re),
        (&mut rule.target_matchers, &mut rule.target_match, &mut rule.target_match_re),
    ] {
        like.remove(NAMESPACE);
        if !is_new {
            equal.insert(NAMESPACE.into(), namespace.into());
            continue;
        }
        let matcher = written(NAMESPACE, Operator::Equal, namespace);
        if !matchers.iter().any(|other| other.replace(' ', "") == matcher.replace(' ', "")) {
            matchers.push(matcher);
        }
        equal.remove(NAMESPACE);
    }
}
