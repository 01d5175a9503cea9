//! Prometheus, the server.

pub mod alerting;
pub mod otlp;
pub mod remote;
pub mod scrape_class;
pub mod sharding;
pub mod shared;
pub mod thanos;
pub mod tracing;
pub mod tsdb;

use k8s_openapi::api::core::v1::SecretKeySelector;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::prometheus::alerting::AlertingSpec;
use crate::prometheus::remote::RemoteReadSpec;
use crate::prometheus::sharding::ShardRetentionPolicy;
use crate::prometheus::shared::SharedSpec;
use crate::prometheus::thanos::ThanosSpec;
use crate::reference::RuleExclusion;
use crate::status::PrometheusStatus;
use crate::text::{ByteSize, Duration};

/// The wanted state of a Prometheus server setup.
#[derive(CustomResource, Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "monitoring.coreos.com",
    version = "v1",
    kind = "Prometheus",
    plural = "prometheuses",
    shortname = "prom",
    category = "prometheus-operator",
    namespaced,
    status = "PrometheusStatus",
    derive = "PartialEq",
    derive = "Default",
    doc = "A Prometheus server, or several that share the work.",
    scale(
        spec_replicas_path = ".spec.shards",
        status_replicas_path = ".status.shards",
        label_selector_path = ".status.selector"
    ),
    printcolumn(name = "Version", type_ = "string", json_path = ".spec.version"),
    printcolumn(name = "Desired", type_ = "integer", json_path = ".spec.replicas"),
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
pub struct PrometheusSpec {
    /// What servers and agents have in common.
    #[serde(flatten)]
    pub shared: SharedSpec,
    /// Deprecated: use `image` instead.
    pub base_image: String,
    /// Deprecated: use `image` instead.
    pub tag: String,
    /// Deprecated: use `image` instead.
    pub sha: String,
    /// How long samples are kept.
    pub retention: Duration,
    /// How much disk space the stored blocks may use; the oldest are removed first.
    pub retention_size: ByteSize,
    /// What happens to the surplus shards after a scale-down.
    pub shard_retention_policy: Option<ShardRetentionPolicy>,
    /// Disable the compaction of blocks.
    pub disable_compaction: bool,
    /// How rules are evaluated.
    pub rules: Rules,
    /// Deprecated: use `excludedFromEnforcement` instead.
    pub prometheus_rules_excluded_from_enforce: Vec<RuleExclusion>,
    /// Labels of the PrometheusRules to use; `{}` selects all, unset selects none.
    pub rule_selector: Option<LabelSelector>,
    /// Namespaces searched for PrometheusRules; `{}` means all, unset means only the own one.
    pub rule_namespace_selector: Option<LabelSelector>,
    /// Limits and defaults of queries.
    pub query: Option<QuerySpec>,
    /// Which Alertmanagers receive the alerts.
    pub alerting: Option<AlertingSpec>,
    /// Secret key with more relabeling of alerts, written in the YAML of Prometheus.
    pub additional_alert_relabel_configs: Option<SecretKeySelector>,
    /// Secret key with more Alertmanager entries, written in the YAML of Prometheus.
    pub additional_alert_manager_configs: Option<SecretKeySelector>,
    /// Endpoints that queries also read samples from.
    pub remote_read: Vec<RemoteReadSpec>,
    /// Settings of the Thanos sidecar; unset means no sidecar.
    pub thanos: Option<ThanosSpec>,
    /// File that every query is logged to.
    pub query_log_file: String,
    /// Deprecated: newer Prometheus versions always accept overlapping blocks.
    pub allow_overlapping_blocks: bool,
    /// How exemplars are stored.
    pub exemplars: Option<Exemplars>,
    /// Time between two evaluations of the rules.
    #[schemars(extend("default" = "30s"))]
    pub evaluation_interval: Duration,
    /// How far in the past rules are evaluated, so that late samples still count.
    pub rule_query_offset: Option<Duration>,
    /// Enable the admin API, which can delete series and take snapshots.
    #[serde(rename = "enableAdminAPI")]
    pub enable_admin_api: bool,
}

/// Limits and defaults of queries.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct QuerySpec {
    /// How far back a query looks for the latest sample of a series.
    pub lookback_delta: Option<String>,
    /// How many queries may run at the same time.
    #[schemars(range(min = 1))]
    pub max_concurrency: Option<i32>,
    /// How many samples one query may load into memory; more make it fail.
    pub max_samples: Option<i32>,
    /// How long a query may run before it is canceled.
    pub timeout: Option<Duration>,
}

/// How rules are evaluated.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Rules {
    /// How alerting rules are evaluated.
    pub alert: RulesAlert,
}

/// How alerting rules are evaluated.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct RulesAlert {
    /// Longest Prometheus outage after which the `for` state of alerts is restored.
    pub for_outage_tolerance: String,
    /// Least wait after a restart before an alert with restored `for` state fires.
    pub for_grace_period: String,
    /// Least wait before an alert is sent to Alertmanager again.
    pub resend_delay: String,
}

/// How exemplars are stored.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Exemplars {
    /// How many exemplars are kept in memory, over all series.
    pub max_size: Option<i64>,
}
