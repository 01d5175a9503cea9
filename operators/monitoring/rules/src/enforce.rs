//! Enforces the namespace label: rules and targets only read and write series of their own namespace.

use api_monitoring::reference::{ObjectReference, RuleExclusion};
use api_monitoring::relabel::RelabelConfig;
use api_monitoring::{PrometheusRule, SelectableKind};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use thiserror::Error;

/// The API group of the resources.
const GROUP: &str = "monitoring.coreos.com";

/// A query in which the label cannot be enforced.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("failed to parse promql expression: {0}")]
pub struct NotEnforceable(#[from] promql::Error);

/// The label that is enforced, and the excluded objects.
#[derive(Debug, Clone, Copy, Default)]
pub struct NamespaceLabel<'s> {
    /// The name of the label; empty if it is not enforced.
    pub label: &'s str,
    /// Excluded objects.
    pub excluded: &'s [ObjectReference],
    /// Excluded rules, from the deprecated field.
    pub excluded_rules: &'s [RuleExclusion],
}

/// A resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Object<'o> {
    /// Its kind.
    pub kind: SelectableKind,
    /// Its namespace.
    pub namespace: &'o str,
    /// Its name.
    pub name: &'o str,
}

impl NamespaceLabel<'_> {
    /// Whether the label is not enforced in an object.
    pub fn excludes(&self, object: Object<'_>) -> bool {
        let names = |name: &str| name.is_empty() || name == object.name;
        let named = |reference: &ObjectReference| {
            (reference.group.is_empty() || reference.group == GROUP)
                && reference.resource == object.kind.plural()
                && reference.namespace == object.namespace
                && !reference.namespace.is_empty()
                && names(&reference.name)
        };
        let named_rule = |rule: &RuleExclusion| {
            object.kind == SelectableKind::PrometheusRule
                && rule.rule_namespace == object.namespace
                && !rule.rule_namespace.is_empty()
                && names(&rule.rule_name)
        };
        self.label.is_empty() || self.excluded.iter().any(named) || self.excluded_rules.iter().any(named_rule)
    }

    /// Enforces the label in the queries and in the results of a rule.
    pub fn bind_rule(
        &self,
        rule: &mut PrometheusRule,
        options: promql::Options,
    ) -> Result<(), NotEnforceable> {
        let namespace = rule.metadata.namespace.as_deref().unwrap_or_default();
        let name = rule.metadata.name.as_deref().unwrap_or_default();
        if self.excludes(Object { kind: SelectableKind::PrometheusRule, namespace, name }) {
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

    /// The last relabeling step, which no other can undo; none if the object is excluded.
    pub fn relabeling(&self, object: Object<'_>) -> Option<RelabelConfig> {
        (!self.excludes(object)).then(|| RelabelConfig {
            target_label: self.label.to_owned(),
            replacement: Some(object.namespace.to_owned()),
            ..RelabelConfig::default()
        })
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
            (SelectableKind::ServiceMonitor, "a", "one", true),
            (SelectableKind::ServiceMonitor, "a", "two", false),
            (SelectableKind::ServiceMonitor, "b", "one", false),
            (SelectableKind::PodMonitor, "a", "one", false),
            (SelectableKind::Probe, "a", "any", true),
            (SelectableKind::PrometheusRule, "a", "r", true),
            (SelectableKind::PrometheusRule, "a", "s", false),
        ] {
            assert_eq!(
                label.excludes(Object { kind, namespace, name }),
                is_excluded,
                "{kind:?} {namespace} {name}"
            );
        }
        let none = NamespaceLabel::default();
        assert!(none.excludes(Object { kind: SelectableKind::Probe, namespace: "b", name: "c" }));
    }
}
