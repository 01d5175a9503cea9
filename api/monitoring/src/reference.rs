//! References to other objects.

use k8s_openapi::api::core::v1::{ConfigMapKeySelector, SecretKeySelector};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::SelectableKind;

/// The API group of the objects.
const GROUP: &str = "monitoring.coreos.com";

/// A PrometheusRule in which the namespace label is not enforced.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["ruleNamespace", "ruleName"]))]
pub struct RuleExclusion {
    /// Namespace of the PrometheusRule.
    pub rule_namespace: String,
    /// Name of the PrometheusRule.
    pub rule_name: String,
}

/// Reference to a monitoring object, or to all objects of one kind in a namespace.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["resource", "namespace"]))]
pub struct ObjectReference {
    /// API group of the object.
    #[schemars(extend("default" = "monitoring.coreos.com"), extend("enum" = ["monitoring.coreos.com"]))]
    pub group: String,
    /// Kind of the object, as lowercase plural such as `servicemonitors`.
    #[schemars(extend("enum" = ["prometheusrules", "servicemonitors", "podmonitors", "probes", "scrapeconfigs"]))]
    pub resource: String,
    /// Namespace of the object.
    #[schemars(length(min = 1))]
    pub namespace: String,
    /// Name of the object; empty means all objects of the namespace.
    pub name: String,
}

impl RuleExclusion {
    /// Whether it refers to this PrometheusRule.
    pub fn refers_to(&self, namespace: &str, name: &str) -> bool {
        !namespace.is_empty()
            && self.rule_namespace == namespace
            && (self.rule_name.is_empty() || self.rule_name == name)
    }
}

impl ObjectReference {
    /// Whether it refers to this object.
    pub fn refers_to(&self, kind: SelectableKind, namespace: &str, name: &str) -> bool {
        (self.group.is_empty() || self.group == GROUP)
            && self.resource == kind.plural()
            && !namespace.is_empty()
            && self.namespace == namespace
            && (self.name.is_empty() || self.name == name)
    }
}

/// A value from a key of either a Secret or a ConfigMap.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct SecretOrConfigMap {
    /// Key of a Secret that holds the value.
    pub secret: Option<SecretKeySelector>,
    /// Key of a ConfigMap that holds the value.
    pub config_map: Option<ConfigMapKeySelector>,
}

/// Namespaces in which objects are selected; empty means the own namespace.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct NamespaceSelector {
    /// Selects all namespaces.
    pub any: bool,
    /// Names of the namespaces to select.
    pub match_names: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_has_a_kind_a_namespace_and_possibly_a_name() {
        let reference = |group: &str, namespace: &str, name: &str| ObjectReference {
            group: group.into(),
            resource: "probes".into(),
            namespace: namespace.into(),
            name: name.into(),
        };
        for (reference, expected) in [
            (reference("", "ns", ""), true),
            (reference(GROUP, "ns", "name"), true),
            (reference(GROUP, "ns", "other"), false),
            (reference(GROUP, "", ""), false),
            (reference("other", "ns", ""), false),
        ] {
            assert_eq!(reference.refers_to(SelectableKind::Probe, "ns", "name"), expected, "{reference:?}");
            assert!(!reference.refers_to(SelectableKind::PodMonitor, "ns", "name"), "{reference:?}");
            assert!(!reference.refers_to(SelectableKind::Probe, "", "name"), "{reference:?}");
        }
    }

    #[test]
    fn an_excluded_rule_has_a_namespace_and_possibly_a_name() {
        let exclusion = |name: &str| RuleExclusion { rule_namespace: "a".into(), rule_name: name.into() };
        assert!(exclusion("").refers_to("a", "r") && exclusion("r").refers_to("a", "r"));
        assert!(!exclusion("s").refers_to("a", "r") && !exclusion("").refers_to("b", "r"));
        assert!(!RuleExclusion::default().refers_to("", "r"));
    }
}
