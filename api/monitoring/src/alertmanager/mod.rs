//! Alertmanager.

pub mod global;

use k8s_openapi::api::apps::v1::StatefulSetPersistentVolumeClaimRetentionPolicy;
use k8s_openapi::api::core::v1::TopologySpreadConstraint;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::alertmanager::global::AlertmanagerGlobalConfig;
use crate::reference::SecretOrConfigMap;
use crate::status::AlertmanagerStatus;
use crate::text::{ByteSize, GoDuration, text};
use crate::tls::SafeTlsConfig;
use crate::web::{WebConfigFileFields, WebTlsConfig};
use crate::workload::WorkloadSpec;

/// Wanted state of an Alertmanager cluster.
#[derive(CustomResource, Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "monitoring.coreos.com",
    version = "v1",
    kind = "Alertmanager",
    plural = "alertmanagers",
    shortname = "am",
    category = "prometheus-operator",
    namespaced,
    status = "AlertmanagerStatus",
    derive = "PartialEq",
    derive = "Default",
    doc = "A cluster of Alertmanagers.",
    scale(
        spec_replicas_path = ".spec.replicas",
        status_replicas_path = ".status.replicas",
        label_selector_path = ".status.selector"
    ),
    printcolumn(name = "Version", type_ = "string", json_path = ".spec.version"),
    printcolumn(name = "Replicas", type_ = "integer", json_path = ".spec.replicas"),
    printcolumn(name = "Ready", type_ = "integer", json_path = ".status.availableReplicas"),
    printcolumn(
        name = "Reconciled",
        type_ = "string",
        json_path = ".status.conditions[?(@.type == 'Reconciled')].status"
    ),
    printcolumn(
        name = "Available",
        type_ = "string",
        json_path = ".status.conditions[?(@.type == 'Available')].status"
    ),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"),
    printcolumn(name = "Paused", type_ = "boolean", json_path = ".status.paused", priority = 1)
)]
#[serde(rename_all = "camelCase", default)]
pub struct AlertmanagerSpec {
    /// Fields that all workloads share.
    #[serde(flatten)]
    pub workload: WorkloadSpec,
    /// Container image to run; it takes precedence over the image derived from `version`.
    pub image: Option<String>,
    /// Version of Alertmanager to run.
    pub version: String,
    /// Deprecated: use `image` instead. Tag of the container image.
    pub tag: String,
    /// Deprecated: use `image` instead. Digest of the container image.
    pub sha: String,
    /// Deprecated: use `image` instead. Container image without its tag.
    pub base_image: String,
    /// Names of Secrets in the same namespace to mount into the main container.
    pub secrets: Vec<String>,
    /// Names of ConfigMaps in the same namespace to mount into the main container.
    pub config_maps: Vec<String>,
    /// Secret in the same namespace with the configuration, under the key `alertmanager.yaml`.
    pub config_secret: String,
    /// How long notification state and expired silences are kept, e.g. `120h`.
    #[schemars(extend("default" = "120h"))]
    pub retention: GoDuration,
    /// What happens to the volume claims when the StatefulSet is deleted or scaled down.
    pub persistent_volume_claim_retention_policy: Option<StatefulSetPersistentVolumeClaimRetentionPolicy>,
    /// URL under which users reach the service; used to build links.
    pub external_url: String,
    /// How the pods are spread over zones, nodes and other topology domains.
    pub topology_spread_constraints: Vec<TopologySpreadConstraint>,
    /// Addresses of more Alertmanagers, outside this object, to join as cluster peers.
    pub additional_peers: Vec<String>,
    /// Address that the pods announce to their cluster peers.
    pub cluster_advertise_address: String,
    /// Time between two gossip messages to cluster peers.
    pub cluster_gossip_interval: GoDuration,
    /// Name of the cluster; peers with another label are not joined.
    pub cluster_label: Option<String>,
    /// Time between two full state exchanges with cluster peers.
    pub cluster_pushpull_interval: GoDuration,
    /// How long to wait for a peer ahead in the order to send a notification.
    pub cluster_peer_timeout: GoDuration,
    /// Whether cluster mode is enabled even with a single replica.
    pub force_enable_cluster_mode: bool,
    /// Labels of the AlertmanagerConfig objects to merge into the configuration.
    pub alertmanager_config_selector: Option<LabelSelector>,
    /// Labels of the namespaces to search for AlertmanagerConfigs; unset means its own only.
    pub alertmanager_config_namespace_selector: Option<LabelSelector>,
    /// How AlertmanagerConfig objects are restricted to alerts of their own namespace.
    pub alertmanager_config_matcher_strategy: MatcherStrategy,
    /// Whether the pods use the network of their node.
    pub host_network: bool,
    /// Settings of the web server.
    pub web: Option<AlertmanagerWebSpec>,
    /// Limits on what Alertmanager stores.
    pub limits: Option<AlertmanagerLimitsSpec>,
    /// Mutual TLS between the cluster peers.
    #[serde(rename = "clusterTLS")]
    pub cluster_tls: Option<ClusterTlsConfig>,
    /// AlertmanagerConfig object that serves as the main configuration.
    pub alertmanager_configuration: Option<AlertmanagerConfiguration>,
    /// Whether the token of the ServiceAccount is mounted into the pods.
    pub automount_service_account_token: Option<bool>,
    /// Feature flags to enable.
    pub enable_features: Vec<String>,
}

/// How AlertmanagerConfig objects are restricted to alerts of their own namespace.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct MatcherStrategy {
    /// Which objects get a matcher on the `namespace` label; `None` adds it nowhere.
    #[serde(rename = "type")]
    #[schemars(extend("enum" = ["OnNamespace", "OnNamespaceExceptForAlertmanagerNamespace", "None"]), extend("default" = "OnNamespace"))]
    pub type_: MatcherStrategyType,
}

text! {
    /// Name of a strategy for adding namespace matchers.
    MatcherStrategyType
}

/// Main configuration taken from an AlertmanagerConfig object.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct AlertmanagerConfiguration {
    /// Name of the AlertmanagerConfig, in the namespace of the Alertmanager.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Global settings that receivers fall back to.
    pub global: Option<AlertmanagerGlobalConfig>,
    /// Files with notification templates, from Secrets or ConfigMaps.
    pub templates: Vec<SecretOrConfigMap>,
}

/// Settings of the Alertmanager web server.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct AlertmanagerWebSpec {
    /// What is written into the web configuration file.
    #[serde(flatten)]
    pub file: WebConfigFileFields,
    /// How many GET requests may be processed at the same time.
    #[schemars(range(min = 0))]
    pub get_concurrency: Option<u32>,
    /// Seconds after which an HTTP request is canceled; 0 means no timeout.
    #[schemars(range(min = 0))]
    pub timeout: Option<u32>,
}

/// Limits on what Alertmanager stores.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct AlertmanagerLimitsSpec {
    /// How many silences may exist, expired ones included; 0 means no limit.
    #[schemars(range(min = 0))]
    pub max_silences: Option<i32>,
    /// Largest size of one silence; 0 means no limit.
    pub max_per_silence_bytes: Option<ByteSize>,
}

/// Mutual TLS between the peers of an Alertmanager cluster.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["server", "client"]))]
pub struct ClusterTlsConfig {
    /// TLS settings for connections that peers open to this one.
    pub server: WebTlsConfig,
    /// TLS settings for connections that this peer opens to others.
    pub client: SafeTlsConfig,
}
