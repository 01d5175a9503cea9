//! ThanosRuler.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{SecretKeySelector, TopologySpreadConstraint};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::prometheus::remote::RemoteWriteSpec;
use crate::reference::{ObjectReference, RuleExclusion};
use crate::status::ThanosRulerStatus;
use crate::text::{Duration, EnableFeature};
use crate::tls::GrpcServerTlsConfig;
use crate::web::WebConfigFileFields;
use crate::workload::WorkloadSpec;

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
    /// Fields that all workloads share.
    #[serde(flatten)]
    pub workload: WorkloadSpec,
    /// Version of Thanos to run.
    pub version: Option<String>,
    /// Container image of Thanos; overrides the one derived from `version`.
    pub image: String,
    /// How the pods are spread over zones, nodes or other domains.
    pub topology_spread_constraints: Vec<TopologySpreadConstraint>,
    /// Secret key with the object storage configuration of Thanos, in YAML.
    pub object_storage_config: Option<SecretKeySelector>,
    /// Path of the Thanos object storage file; takes precedence over `objectStorageConfig`.
    pub object_storage_config_file: Option<String>,
    /// Addresses of the Thanos queriers that answer the rule queries.
    pub query_endpoints: Vec<String>,
    /// Secret key with the query configuration in YAML; takes precedence over `queryEndpoints`.
    pub query_config: Option<SecretKeySelector>,
    /// URLs of the Alertmanagers that get the alerts.
    pub alertmanagers_url: Vec<String>,
    /// Secret key with the Alertmanager configuration in YAML; takes precedence over `alertmanagersUrl`.
    pub alertmanagers_config: Option<SecretKeySelector>,
    /// Labels of the PrometheusRules to use; `{}` selects all, unset selects none.
    pub rule_selector: Option<LabelSelector>,
    /// Namespaces searched for PrometheusRules; `{}` means all, unset means only the own one.
    pub rule_namespace_selector: Option<LabelSelector>,
    /// Label that is set to the namespace of a rule in its queries and alerts.
    pub enforced_namespace_label: String,
    /// Objects in which the namespace label is not enforced.
    pub excluded_from_enforcement: Vec<ObjectReference>,
    /// Deprecated: use `excludedFromEnforcement`. Rules in which the namespace label is not enforced.
    pub prometheus_rules_excluded_from_enforce: Vec<RuleExclusion>,
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
    /// Secret key with the tracing configuration of Thanos, in YAML.
    pub tracing_config: Option<SecretKeySelector>,
    /// Path of the Thanos tracing file; takes precedence over `tracingConfig`.
    pub tracing_config_file: String,
    /// External labels of Thanos Ruler, added to its series and alerts.
    pub labels: BTreeMap<String, String>,
    /// Names of the labels that are removed from alerts before they are sent.
    pub alert_drop_labels: Vec<String>,
    /// URL under which Thanos Ruler is reached from outside.
    pub external_prefix: String,
    /// TLS settings of the gRPC server.
    pub grpc_server_tls_config: Option<GrpcServerTlsConfig>,
    /// URL of the query page to which the source links of alerts lead.
    pub alert_query_url: String,
    /// Secret key with the relabeling rules for alerts, in YAML.
    pub alert_relabel_configs: Option<SecretKeySelector>,
    /// Path of the alert relabeling file; takes precedence over `alertRelabelConfigs`.
    pub alert_relabel_config_file: Option<String>,
    /// Settings of the web server.
    pub web: Option<ThanosRulerWebSpec>,
    /// Remote write endpoints; with any set, Thanos Ruler keeps no blocks of its own.
    pub remote_write: Vec<RemoteWriteSpec>,
    /// Feature flags to enable.
    #[schemars(extend("x-kubernetes-list-type" = "set"))]
    pub enable_features: Vec<EnableFeature>,
}

/// Settings of the Thanos Ruler web server.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ThanosRulerWebSpec {
    /// What is written into the web configuration file.
    #[serde(flatten)]
    pub file: WebConfigFileFields,
}
