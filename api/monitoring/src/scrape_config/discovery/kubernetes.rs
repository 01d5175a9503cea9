//! Kubernetes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scrape::AttachMetadata;
use crate::scrape_config::discovery::client::DiscoveryClient;
use crate::text::text;

/// Namespaces in which to look for targets.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct NamespaceDiscovery {
    /// Also look in the namespace in which Prometheus itself runs.
    pub own_namespace: Option<bool>,
    /// Namespaces to look in.
    #[schemars(extend("x-kubernetes-list-type" = "set"))]
    pub names: Vec<String>,
}

text! {
    /// Kind of Kubernetes object that becomes a target.
    #[schemars(extend("enum" = ["Pod", "Endpoints", "Ingress", "Service", "Node", "EndpointSlice"]))]
    KubernetesRole
}

/// Label and field selectors for the objects of one role.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["role"]))]
pub struct SelectorConfig {
    /// Kind of object that the selectors apply to.
    pub role: KubernetesRole,
    /// Label selector, such as `app=web,tier!=test`.
    #[schemars(length(min = 1))]
    pub label: Option<String>,
    /// Field selector, such as `metadata.name=web`.
    #[schemars(length(min = 1))]
    pub field: Option<String>,
}

/// Discovery of targets through the Kubernetes API.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["role"]))]
pub struct KubernetesSdConfig {
    /// Address of the API server; empty means the cluster in which Prometheus runs.
    #[schemars(length(min = 1))]
    pub api_server: Option<String>,
    /// Kind of object that becomes a target.
    pub role: KubernetesRole,
    /// Namespaces to look in; empty means all.
    pub namespaces: Option<NamespaceDiscovery>,
    /// Extra metadata to add to the found targets.
    pub attach_metadata: Option<AttachMetadata>,
    /// Label and field selectors that limit the objects, one entry per role.
    #[schemars(extend("x-kubernetes-list-type" = "map"), extend("x-kubernetes-list-map-keys" = ["role"]))]
    pub selectors: Vec<SelectorConfig>,
    /// HTTP client options.
    #[serde(flatten)]
    pub client: DiscoveryClient,
}
