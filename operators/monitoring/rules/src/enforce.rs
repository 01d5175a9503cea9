//! Enforces the namespace label: rules only read and write series of their own namespace.

use api_monitoring::reference::{ObjectReference, RuleExclusion};
use api_monitoring::{PrometheusRule, SelectableKind};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use thiserror::Error;

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

impl NamespaceLabel<'_> {
    /// Whether the label is not enforced in a PrometheusRule.
    fn excludes(&self, namespace: &str, name: &str) -> bool {
        let kind = SelectableKind::PrometheusRule;
        self.label.is_empty()
            || self.excluded.iter().any(|reference| reference.refers_to(kind, namespace, name))
            || self.excluded_rules.iter().any(|exclusion| exclusion.refers_to(namespace, name))
    }

    /// Enforces the label in the queries and in the results of a rule.
    pub fn bind_rule(
        &self,
        rule: &mut PrometheusRule,
        options: promql::Options,
    ) -> Result<(), NotEnforceable> {
        let namespace = rule.metadata.namespace.as_deref().unwrap_or_default();
        let name = rule.metadata.name.as_deref().unwrap_or_default();
        if self.excludes(namespace, name) {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_excluded_by_either_field() {
        let reference = ObjectReference {
            group: String::new(),
            resource: "prometheusrules".into(),
            namespace: "a".into(),
            name: "one".into(),
        };
        let excluded_rules = [RuleExclusion { rule_namespace: "a".into(), rule_name: "two".into() }];
        let excluded = [reference];
        let label =
            NamespaceLabel { label: "namespace", excluded: &excluded, excluded_rules: &excluded_rules };
        assert_eq!(["one", "two", "three"].map(|name| label.excludes("a", name)), [true, true, false]);
        assert!(NamespaceLabel::default().excludes("b", "c"));
    }
}
