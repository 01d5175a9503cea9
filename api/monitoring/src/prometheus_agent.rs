//! PrometheusAgent.

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::prometheus::sharding::enough_shards;
use crate::prometheus::shared::SharedSpec;
use crate::status::PrometheusStatus;
use crate::text::text;

/// Wanted state of a Prometheus agent.
#[derive(CustomResource, Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "monitoring.coreos.com",
    version = "v1alpha1",
    kind = "PrometheusAgent",
    plural = "prometheusagents",
    shortname = "promagent",
    category = "prometheus-operator",
    namespaced,
    status = "PrometheusStatus",
    derive = "PartialEq",
    derive = "Default",
    doc = "A Prometheus that forwards the scraped samples instead of storing them.",
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
#[schemars(extend("x-kubernetes-validations" = rules()))]
pub struct PrometheusAgentSpec {
    /// Kind of workload that runs the agent: `StatefulSet` or `DaemonSet`.
    pub mode: Option<PrometheusAgentMode>,
    /// What servers and agents have in common.
    #[serde(flatten)]
    pub shared: SharedSpec,
}

text! {
    /// Kind of workload that runs a Prometheus agent.
    #[schemars(extend("enum" = ["StatefulSet", "DaemonSet"]))]
    PrometheusAgentMode
}

/// Validation rules: fields that an agent in a DaemonSet cannot have, and a rule that also applies to servers.
fn rules() -> Value {
    let forbidden = |field: &str| {
        json!({
            "rule": format!("!(has(self.mode) && self.mode == 'DaemonSet' && has(self.{field}))"),
            "message": format!("{field} cannot be set when mode is DaemonSet"),
        })
    };
    let mut rules = vec![
        forbidden("replicas"),
        forbidden("storage"),
        json!({
            "rule": "!(has(self.mode) && self.mode == 'DaemonSet' && has(self.shards) && self.shards > 1)",
            "message": "shards cannot be greater than 1 when mode is DaemonSet",
        }),
    ];
    rules.extend(
        [
            "persistentVolumeClaimRetentionPolicy",
            "scrapeConfigSelector",
            "probeSelector",
            "scrapeConfigNamespaceSelector",
            "probeNamespaceSelector",
            "serviceMonitorSelector",
            "serviceMonitorNamespaceSelector",
            "additionalScrapeConfigs",
            "shardingStrategy",
        ]
        .map(forbidden),
    );
    rules.push(enough_shards());
    Value::Array(rules)
}
