//! Rules and targets bound to their namespace: nobody sees or makes series of another namespace.

use api_monitoring::PrometheusRule;
use api_monitoring::reference::{ObjectReference, RuleExclusion};
use api_monitoring::relabel::RelabelConfig;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use thiserror::Error;

/// The API group of everything that can be bound.
const GROUP: &str = "monitoring.coreos.com";

/// A query that cannot be bound.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("failed to parse promql expression: {0}")]
pub struct NotEnforceable(#[from] promql::Error);

/// The label that everything is bound with, and what is not bound.
#[derive(Debug, Clone, Copy, Default)]
pub struct NamespaceLabel<'s> {
    /// Its name; empty, if nothing is bound.
    pub label: &'s str,
    /// What is not bound.
    pub excluded: &'s [ObjectReference],
    /// Rules that are not bound, as older resources name them.
    pub excluded_rules: &'s [RuleExclusion],
}

/// An object that may be bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Object<'o> {
    /// Its kind, such as `ServiceMonitor`.
    pub kind: &'o str,
    /// Its namespace.
    pub namespace: &'o str,
    /// Its name.
    pub name: &'o str,
}

impl NamespaceLabel<'_> {
    /// Whether an object is not bound.
    pub fn excludes(&self, object: Object<'_>) -> bool {
        let names = |name: &str| name.is_empty() || name == object.name;
        let named = |reference: &ObjectReference| {
            (reference.group.is_empty() || reference.group == GROUP)
                && kind(&reference.resource) == Some(object.kind)
                && reference.namespace == object.namespace
                && !reference.namespace.is_empty()
                && names(&reference.name)
        };
        let named_rule = |rule: &RuleExclusion| {
            object.kind == "PrometheusRule"
                && rule.rule_namespace == object.namespace
                && !rule.rule_namespace.is_empty()
                && names(&rule.rule_name)
        };
        self.label.is_empty() || self.excluded.iter().any(named) || self.excluded_rules.iter().any(named_rule)
    }

    /// Binds what a rule reads and what it makes. A query must be readable with these options.
    pub fn bind_rule(
        &self,
        rule: &mut PrometheusRule,
        options: promql::Options,
    ) -> Result<(), NotEnforceable> {
        let namespace = rule.metadata.namespace.as_deref().unwrap_or_default();
        let name = rule.metadata.name.as_deref().unwrap_or_default();
        if self.excludes(Object { kind: "PrometheusRule", namespace, name }) {
            return Ok(());
        }
        for rule in rule.spec.groups.iter_mut().flat_map(|group| &mut group.rules) {
            let text = match &rule.expr {
                IntOrString::Int(number) => number.to_string(),
                IntOrString::String(text) => text.clone(),
            };
            let mut query = promql::parse(&text, options)?;
            query.enforce(self.label, namespace);
            rule.expr = IntOrString::String(query.print());
            rule.labels.insert(self.label.to_owned(), namespace.to_owned());
        }
        Ok(())
    }

    /// The step that comes last, so that no other can undo it; none, if the object is not bound.
    pub fn relabeling(&self, object: Object<'_>) -> Option<RelabelConfig> {
        (!self.excludes(object)).then(|| RelabelConfig {
            target_label: self.label.to_owned(),
            replacement: Some(object.namespace.to_owned()),
            ..RelabelConfig::default()
        })
    }
}

/// The kind of a resource that can be excluded.
fn kind(resource: &str) -> Option<&'static str> {
    match resource {
        "prometheusrules" => Some("PrometheusRule"),
        "servicemonitors" => Some("ServiceMonitor"),
        "podmonitors" => Some("PodMonitor"),
        "probes" => Some("Probe"),
        "scrapeconfigs" => Some("ScrapeConfig"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_excluded_by_kind_namespace_and_name() {
        let reference = |resource: &str, name: &str| ObjectReference {
            group: String::new(),
            resource: resource.into(),
            namespace: "a".into(),
            name: name.into(),
        };
        let excluded = [reference("servicemonitors", "one"), reference("probes", "")];
        let excluded_rules = [RuleExclusion { rule_namespace: "a".into(), rule_name: "r".into() }];
        let label =
            NamespaceLabel { label: "namespace", excluded: &excluded, excluded_rules: &excluded_rules };
        for (kind, namespace, name, is_excluded) in [
            ("ServiceMonitor", "a", "one", true),
            ("ServiceMonitor", "a", "two", false),
            ("ServiceMonitor", "b", "one", false),
            ("PodMonitor", "a", "one", false),
            ("Probe", "a", "any", true),
            ("PrometheusRule", "a", "r", true),
            ("PrometheusRule", "a", "s", false),
        ] {
            assert_eq!(
                label.excludes(Object { kind, namespace, name }),
                is_excluded,
                "{kind} {namespace} {name}"
            );
        }
        let none = NamespaceLabel::default();
        assert!(none.excludes(Object { kind: "Probe", namespace: "b", name: "c" }));
    }
}
