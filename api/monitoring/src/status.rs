//! The status of workloads, and of the objects that they select.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The part of the status that all workloads have.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct WorkloadStatus {
    /// Whether the operator leaves all objects of this resource unchanged.
    pub paused: bool,
    /// Number of pods, of all shards.
    pub replicas: i32,
    /// Number of pods that run the latest revision.
    pub updated_replicas: i32,
    /// Number of pods that have been ready for long enough.
    pub available_replicas: i32,
    /// Number of pods that are not available.
    pub unavailable_replicas: i32,
    /// Conditions of the workload.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["type"]))]
    pub conditions: Vec<Condition>,
}

/// Status of a Prometheus or a PrometheusAgent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PrometheusStatus {
    /// The part that all workloads have.
    #[serde(flatten)]
    pub workload: WorkloadStatus,
    /// The same for each shard.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["shardID"]))]
    pub shard_statuses: Vec<ShardStatus>,
    /// Number of shards, for the `scale` subresource.
    #[serde(skip_serializing_if = "is_zero")]
    pub shards: i32,
    /// Labels of the pods, for the `scale` subresource.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub selector: String,
}

/// State of one shard.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["shardID", "replicas", "updatedReplicas", "availableReplicas", "unavailableReplicas"]))]
pub struct ShardStatus {
    /// Number of the shard.
    #[serde(rename = "shardID")]
    pub shard_id: String,
    /// Number of pods.
    pub replicas: i32,
    /// Number of pods that run the latest revision.
    pub updated_replicas: i32,
    /// Number of pods that have been ready for long enough.
    pub available_replicas: i32,
    /// Number of pods that are not available.
    pub unavailable_replicas: i32,
}

/// Status of an Alertmanager.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct AlertmanagerStatus {
    /// The part that all workloads have.
    #[serde(flatten)]
    pub workload: WorkloadStatus,
    /// Labels of the pods, for the `scale` subresource.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub selector: String,
}

/// Status of a ThanosRuler.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ThanosRulerStatus {
    /// The part that all workloads have.
    #[serde(flatten)]
    pub workload: WorkloadStatus,
}

/// A condition. Its status may also be `Degraded`, which the conditions of Kubernetes do not have.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["type", "status", "lastTransitionTime"]))]
pub struct Condition {
    /// Type of the condition.
    #[serde(rename = "type")]
    #[schemars(length(min = 1))]
    pub type_: String,
    /// `True`, `False`, `Unknown` or `Degraded`.
    #[schemars(length(min = 1))]
    pub status: String,
    /// Time at which the status changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_transition_time: Option<Time>,
    /// Reason for the status, in CamelCase.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Message for users.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// Generation of the resource that the condition describes.
    #[serde(skip_serializing_if = "is_zero_long")]
    pub observed_generation: i64,
}

/// Which workloads accept an object, and which reject it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ConfigResourceStatus {
    /// One entry for each workload.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend(
        "x-kubernetes-list-type" = "map",
        "x-kubernetes-list-map-keys" = ["group", "resource", "name", "namespace"]
    ))]
    pub bindings: Vec<WorkloadBinding>,
}

/// Whether one workload accepts an object.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["group", "resource", "name", "namespace"]))]
pub struct WorkloadBinding {
    /// Group of the workload.
    #[schemars(extend("enum" = ["monitoring.coreos.com"]))]
    pub group: String,
    /// Resource of the workload, in the plural.
    #[schemars(extend("enum" = ["prometheuses", "prometheusagents", "thanosrulers", "alertmanagers"]))]
    pub resource: String,
    /// Name of the workload.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Namespace of the workload.
    #[schemars(length(min = 1))]
    pub namespace: String,
    /// Conditions of the object for this workload.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["type"]))]
    pub conditions: Vec<BindingCondition>,
}

/// Condition that says whether a workload accepts an object.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["type", "status", "lastTransitionTime"]))]
pub struct BindingCondition {
    /// `Accepted`.
    #[serde(rename = "type")]
    #[schemars(length(min = 1), extend("enum" = ["Accepted"]))]
    pub type_: String,
    /// `True`, `False` or `Unknown`.
    #[schemars(length(min = 1))]
    pub status: String,
    /// Time at which the status changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_transition_time: Option<Time>,
    /// Reason for the status, in CamelCase.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Message for users.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// Generation of the object that the condition describes.
    #[serde(skip_serializing_if = "is_zero_long")]
    pub observed_generation: i64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &i32) -> bool {
    *number == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero_long(number: &i64) -> bool {
    *number == 0
}
