//! ThanosRuler.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{
    Affinity, Container, LocalObjectReference, PodSecurityContext, ResourceRequirements, SecretKeySelector,
    Toleration, TopologySpreadConstraint, Volume, VolumeMount,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::pod::{
    Argument, DnsPolicy, EmbeddedMetadata, HostAlias, PodDnsConfig, PodManagementPolicy,
    StatefulSetUpdateStrategy, StorageSpec,
};
use crate::prometheus::remote::RemoteWriteSpec;
use crate::reference::{ObjectReference, RuleExclusion};
use crate::status::ThanosRulerStatus;
use crate::text::{Duration, EnableFeature};
use crate::tls::GrpcServerTlsConfig;
use crate::web::WebConfigFileFields;

/// Wanted state of a Thanos Ruler deployment.
#[derive(CustomResource, Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "monitoring.coreos.com",
    version = "v1",
    kind = "ThanosRuler",
    plural = "thanosrulers",
    shortname = "ruler",
    category = "prometheus-operator",
    namespaced,
    status = "ThanosRulerStatus",
    derive = "PartialEq",
    derive = "Default",
    doc = "A Thanos Ruler: rules over the data of many servers.",
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
pub struct ThanosRulerSpec {
    /// Version of Thanos to run.
    pub version: Option<String>,
    /// Labels and annotations that the pods get.
    pub pod_metadata: Option<EmbeddedMetadata>,
    /// Container image of Thanos; overrides the one derived from `version`.
    pub image: String,
    /// When the node pulls the container images.
    #[schemars(extend("enum" = ["", "Always", "Never", "IfNotPresent"]))]
    pub image_pull_policy: String,
    /// Secrets with credentials to pull images from private registries.
    pub image_pull_secrets: Vec<LocalObjectReference>,
    /// Stops the operator from changing the objects of the deployment, except deleting them.
    pub paused: bool,
    /// Number of pods to run.
    pub replicas: Option<i32>,
    /// Node labels that a node must have to run the pods.
    pub node_selector: BTreeMap<String, String>,
    /// Name of the scheduler that places the pods.
    #[schemars(length(min = 1))]
    pub scheduler_name: String,
    /// CPU and memory that the main container requests and may use.
    pub resources: ResourceRequirements,
    /// Rules that attract the pods to nodes or other pods, or keep them apart.
    pub affinity: Option<Affinity>,
    /// Node taints that the pods tolerate.
    pub tolerations: Vec<Toleration>,
    /// How the pods are spread over zones, nodes or other domains.
    pub topology_spread_constraints: Vec<TopologySpreadConstraint>,
    /// Security settings of the pods, such as user and group ids.
    pub security_context: Option<PodSecurityContext>,
    /// How the pods resolve DNS names.
    pub dns_policy: Option<DnsPolicy>,
    /// DNS servers, search domains and options of the pods.
    pub dns_config: Option<PodDnsConfig>,
    /// Puts the addresses of the services of the namespace into the environment of the pods.
    pub enable_service_links: Option<bool>,
    /// Priority class of the pods.
    pub priority_class_name: String,
    /// Existing service that governs the StatefulSet; empty lets the operator create one.
    #[schemars(length(min = 1))]
    pub service_name: Option<String>,
    /// Service account that the pods run as.
    pub service_account_name: String,
    /// Storage for the data of each pod.
    pub storage: Option<StorageSpec>,
    /// Extra volumes of the pods.
    pub volumes: Vec<Volume>,
    /// Extra volume mounts of the main container.
    pub volume_mounts: Vec<VolumeMount>,
    /// Secret key with the object storage configuration of Thanos, in YAML.
    pub object_storage_config: Option<SecretKeySelector>,
    /// Path of the Thanos object storage file; wins over `objectStorageConfig`.
    pub object_storage_config_file: Option<String>,
    /// Listens on the loopback address only, not on the pod IP.
    pub listen_local: bool,
    /// Whether pods are created one after the other or all at once.
    pub pod_management_policy: Option<PodManagementPolicy>,
    /// How pods are replaced when their template changes.
    pub update_strategy: Option<StatefulSetUpdateStrategy>,
    /// Addresses of the Thanos queriers that answer the rule queries.
    pub query_endpoints: Vec<String>,
    /// Secret key with the query configuration in YAML; wins over `queryEndpoints`.
    pub query_config: Option<SecretKeySelector>,
    /// URLs of the Alertmanagers that get the alerts.
    pub alertmanagers_url: Vec<String>,
    /// Secret key with the Alertmanager configuration in YAML; wins over `alertmanagersUrl`.
    pub alertmanagers_config: Option<SecretKeySelector>,
    /// Labels that pick PrometheusRules; `{}` picks all, no value picks none.
    pub rule_selector: Option<LabelSelector>,
    /// Labels that pick namespaces of rules; `{}` picks all, no value only its own.
    pub rule_namespace_selector: Option<LabelSelector>,
    /// Label that is forced on all rules and alerts, with their namespace as its value.
    pub enforced_namespace_label: String,
    /// Objects to which the namespace label is not forced.
    pub excluded_from_enforcement: Vec<ObjectReference>,
    /// Deprecated: use `excludedFromEnforcement`. Rules to which the namespace label is not forced.
    pub prometheus_rules_excluded_from_enforce: Vec<RuleExclusion>,
    /// Lowest severity of the messages that are logged.
    #[schemars(extend("enum" = ["", "debug", "info", "warn", "error"]))]
    pub log_level: String,
    /// Format of the log messages.
    #[schemars(extend("enum" = ["", "logfmt", "json"]))]
    pub log_format: String,
    /// Name of the web port on the pods and the service.
    #[schemars(extend("default" = "web"))]
    pub port_name: String,
    /// Time between two evaluations of the rules.
    #[schemars(extend("default" = "15s"))]
    pub evaluation_interval: Duration,
    /// Shortest time before an alert is sent to Alertmanager again.
    pub resend_delay: Option<Duration>,
    /// Longest outage after which the `for` state of alerts is still restored.
    pub rule_outage_tolerance: Option<Duration>,
    /// Default time by which rule queries look back, to let late samples arrive.
    pub rule_query_offset: Option<Duration>,
    /// How many rules may be evaluated at the same time.
    #[schemars(range(min = 1))]
    pub rule_concurrent_eval: Option<i32>,
    /// Shortest time that a restored alert waits before it fires.
    pub rule_grace_period: Option<Duration>,
    /// How long Thanos Ruler keeps data on its disk.
    #[schemars(extend("default" = "24h"))]
    pub retention: Duration,
    /// Extra containers of the pods; one with a known name patches the generated container.
    pub containers: Vec<Container>,
    /// Extra init containers; one with a known name patches the generated container.
    pub init_containers: Vec<Container>,
    /// Secret key with the tracing configuration of Thanos, in YAML.
    pub tracing_config: Option<SecretKeySelector>,
    /// Path of the Thanos tracing file; wins over `tracingConfig`.
    pub tracing_config_file: String,
    /// External labels of Thanos Ruler, added to its series and alerts.
    pub labels: BTreeMap<String, String>,
    /// Names of the labels that are removed from alerts before they are sent.
    pub alert_drop_labels: Vec<String>,
    /// URL under which Thanos Ruler is reached from outside.
    pub external_prefix: String,
    /// Path prefix under which the web handlers are served.
    pub route_prefix: String,
    /// TLS settings of the gRPC server.
    pub grpc_server_tls_config: Option<GrpcServerTlsConfig>,
    /// URL of the query page to which the source links of alerts lead.
    pub alert_query_url: String,
    /// Seconds a new pod must stay ready before it counts as available.
    #[schemars(range(min = 0))]
    pub min_ready_seconds: Option<i32>,
    /// Secret key with the relabeling rules for alerts, in YAML.
    pub alert_relabel_configs: Option<SecretKeySelector>,
    /// Path of the alert relabeling file; wins over `alertRelabelConfigs`.
    pub alert_relabel_config_file: Option<String>,
    /// Extra entries for the hosts file of the pods.
    #[schemars(extend("x-kubernetes-list-type" = "map"), extend("x-kubernetes-list-map-keys" = ["ip"]))]
    pub host_aliases: Vec<HostAlias>,
    /// Extra command line arguments for the main container.
    pub additional_args: Vec<Argument>,
    /// Settings of the web server.
    pub web: Option<ThanosRulerWebSpec>,
    /// Remote write endpoints; with any set, Thanos Ruler keeps no blocks of its own.
    pub remote_write: Vec<RemoteWriteSpec>,
    /// Seconds that a pod has to shut down before it is killed.
    #[schemars(range(min = 0))]
    pub termination_grace_period_seconds: Option<i64>,
    /// Feature flags to turn on.
    #[schemars(extend("x-kubernetes-list-type" = "set"))]
    pub enable_features: Vec<EnableFeature>,
    /// Whether the pods use the user namespace of the host; `false` gives them their own.
    pub host_users: Option<bool>,
}

/// Settings of the Thanos Ruler web server.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ThanosRulerWebSpec {
    /// What is written into the web configuration file.
    #[serde(flatten)]
    pub file: WebConfigFileFields,
}
