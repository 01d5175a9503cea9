//! Alertmanager.

pub mod global;

use std::collections::BTreeMap;

use k8s_openapi::api::apps::v1::StatefulSetPersistentVolumeClaimRetentionPolicy;
use k8s_openapi::api::core::v1::{
    Affinity, Container, LocalObjectReference, PodSecurityContext, ResourceRequirements, Toleration,
    TopologySpreadConstraint, Volume, VolumeMount,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::alertmanager::global::AlertmanagerGlobalConfig;
use crate::pod::{
    Argument, DnsPolicy, EmbeddedMetadata, HostAlias, PodDnsConfig, PodManagementPolicy,
    StatefulSetUpdateStrategy, StorageSpec,
};
use crate::reference::SecretOrConfigMap;
use crate::status::AlertmanagerStatus;
use crate::text::{ByteSize, GoDuration, text};
use crate::tls::SafeTlsConfig;
use crate::web::{WebConfigFileFields, WebTlsConfig};

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
    /// Labels and annotations added to the pods.
    pub pod_metadata: Option<EmbeddedMetadata>,
    /// Container image to run; it wins over the image derived from `version`.
    pub image: Option<String>,
    /// When the kubelet pulls the images: `Always`, `IfNotPresent` or `Never`.
    #[schemars(extend("enum" = ["", "Always", "Never", "IfNotPresent"]))]
    pub image_pull_policy: String,
    /// Version of Alertmanager to run.
    pub version: String,
    /// Deprecated: use `image` instead. Tag of the container image.
    pub tag: String,
    /// Deprecated: use `image` instead. Digest of the container image.
    pub sha: String,
    /// Deprecated: use `image` instead. Container image without its tag.
    pub base_image: String,
    /// Secrets in the same namespace with credentials for pulling the images.
    pub image_pull_secrets: Vec<LocalObjectReference>,
    /// Names of Secrets in the same namespace to mount into the main container.
    pub secrets: Vec<String>,
    /// Names of ConfigMaps in the same namespace to mount into the main container.
    pub config_maps: Vec<String>,
    /// Secret in the same namespace with the configuration, under the key `alertmanager.yaml`.
    pub config_secret: String,
    /// Lowest severity that is logged: `debug`, `info`, `warn` or `error`.
    #[schemars(extend("enum" = ["", "debug", "info", "warn", "error"]))]
    pub log_level: String,
    /// Format of the log lines: `logfmt` or `json`.
    #[schemars(extend("enum" = ["", "logfmt", "json"]))]
    pub log_format: String,
    /// Number of pods to run.
    pub replicas: Option<i32>,
    /// How long notification state and expired silences are kept, e.g. `120h`.
    #[schemars(extend("default" = "120h"))]
    pub retention: GoDuration,
    /// Storage that the pods keep their data on.
    pub storage: Option<StorageSpec>,
    /// More volumes for the pods.
    pub volumes: Vec<Volume>,
    /// More volume mounts for the main container.
    pub volume_mounts: Vec<VolumeMount>,
    /// What happens to the volume claims when the StatefulSet is deleted or scaled down.
    pub persistent_volume_claim_retention_policy: Option<StatefulSetPersistentVolumeClaimRetentionPolicy>,
    /// URL under which users reach the service; used to build links.
    pub external_url: String,
    /// Path prefix of all HTTP routes of the server.
    pub route_prefix: String,
    /// Whether the operator leaves the objects it manages untouched.
    pub paused: bool,
    /// Labels that a node must have to run the pods.
    pub node_selector: BTreeMap<String, String>,
    /// Scheduler that places the pods; empty means the default one.
    #[schemars(length(min = 1))]
    pub scheduler_name: String,
    /// CPU and memory requests and limits of the main container.
    pub resources: ResourceRequirements,
    /// Scheduling rules that draw pods to, or keep them off, nodes and other pods.
    pub affinity: Option<Affinity>,
    /// Node taints that the pods tolerate.
    pub tolerations: Vec<Toleration>,
    /// How the pods are spread over zones, nodes and other topology domains.
    pub topology_spread_constraints: Vec<TopologySpreadConstraint>,
    /// Security settings of the whole pod, such as its user and group.
    pub security_context: Option<PodSecurityContext>,
    /// How the pods resolve DNS names.
    pub dns_policy: Option<DnsPolicy>,
    /// DNS settings of the pods, merged with those that `dnsPolicy` gives.
    pub dns_config: Option<PodDnsConfig>,
    /// Whether the pods get environment variables for the Services of their namespace.
    pub enable_service_links: Option<bool>,
    /// Name of the Service that governs the StatefulSet; empty means one made by the operator.
    #[schemars(length(min = 1))]
    pub service_name: Option<String>,
    /// ServiceAccount that the pods run as.
    pub service_account_name: String,
    /// Whether the server listens on the loopback address only, not on the pod IP.
    pub listen_local: bool,
    /// Whether pods are created and deleted one by one or all in parallel.
    pub pod_management_policy: Option<PodManagementPolicy>,
    /// How pods are replaced when the StatefulSet changes.
    pub update_strategy: Option<StatefulSetUpdateStrategy>,
    /// More containers for the pods; one with a generated name is merged into that container.
    pub containers: Vec<Container>,
    /// More init containers; one with a generated name is merged into that container.
    pub init_containers: Vec<Container>,
    /// PriorityClass of the pods.
    pub priority_class_name: String,
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
    /// Name of the port that serves the web interface and the API.
    #[schemars(extend("default" = "web"))]
    pub port_name: String,
    /// Whether cluster mode stays on even with a single replica.
    pub force_enable_cluster_mode: bool,
    /// Labels of the AlertmanagerConfig objects to merge into the configuration.
    pub alertmanager_config_selector: Option<LabelSelector>,
    /// Labels of the namespaces to search for AlertmanagerConfigs; unset means its own only.
    pub alertmanager_config_namespace_selector: Option<LabelSelector>,
    /// How AlertmanagerConfig objects are restricted to alerts of their own namespace.
    pub alertmanager_config_matcher_strategy: MatcherStrategy,
    /// Seconds that a new pod must be ready before it counts as available.
    #[schemars(range(min = 0))]
    pub min_ready_seconds: Option<i32>,
    /// More entries for the hosts file of the pods.
    #[schemars(extend("x-kubernetes-list-type" = "map"), extend("x-kubernetes-list-map-keys" = ["ip"]))]
    pub host_aliases: Vec<HostAlias>,
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
    /// Feature flags to switch on.
    pub enable_features: Vec<String>,
    /// More command-line arguments for the main container.
    pub additional_args: Vec<Argument>,
    /// Seconds that a pod has to stop before it is killed.
    #[schemars(range(min = 0))]
    pub termination_grace_period_seconds: Option<i64>,
    /// Whether the pods share the user namespace of the node; `false` gives them their own.
    pub host_users: Option<bool>,
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
    /// Seconds after which an HTTP request is given up; 0 means no timeout.
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
