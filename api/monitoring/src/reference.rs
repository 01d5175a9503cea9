//! Pointers to other objects.

use k8s_openapi::api::core::v1::{ConfigMapKeySelector, SecretKeySelector};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A PrometheusRule to which the namespace label is not forced.
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
