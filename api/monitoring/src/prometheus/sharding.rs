//! How targets are spread over shards, and what happens to shards that are no longer needed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::text::{Duration, text};

text! {
    /// Whether a shard that is no longer needed is kept or deleted.
    WhenScaled
}

/// How long shards that are no longer needed are kept.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["retentionPeriod"]))]
pub struct RetainConfig {
    /// Time after which a kept shard is removed.
    pub retention_period: Duration,
}

/// What happens to shards when the number of shards goes down.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ShardRetentionPolicy {
    /// Keep (`Retain`) or remove (`Delete`) the surplus shards after a scale-down.
    #[schemars(extend("enum" = ["Retain", "Delete"]))]
    pub when_scaled: Option<WhenScaled>,
    /// Details for shards that are kept.
    pub retain: Option<RetainConfig>,
}

text! {
    /// Divide targets by their address or by their topology.
    #[schemars(extend("enum" = ["Address", "Topology"]))]
    ShardingStrategyMode
}

/// How targets are divided by topology, for example by zone.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct TopologyShardingStrategy {
    /// External label that holds the topology value of the shard.
    pub external_label_name: Option<String>,
    /// Topology values, such as zone names, that the shards are assigned to.
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub values: Vec<String>,
}

/// How targets are divided among the shards.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("x-kubernetes-validations" = [
    {"rule": "!has(self.topology) || (has(self.mode) && self.mode == 'Topology')", "message": "topology can only be defined when mode is set to 'Topology'"},
]))]
pub struct ShardingStrategy {
    /// Divide targets by their `Address` or by their `Topology`.
    pub mode: Option<ShardingStrategyMode>,
    /// Details for the mode `Topology`.
    pub topology: Option<TopologyShardingStrategy>,
}

/// The rule that a topology has a shard for each of its values.
pub(crate) fn enough_shards() -> Value {
    json!({
        "rule": "!has(self.shardingStrategy) || !has(self.shardingStrategy.mode) || \
            self.shardingStrategy.mode != 'Topology' || !has(self.shardingStrategy.topology) || \
            !has(self.shardingStrategy.topology.values) || self.shardingStrategy.topology.values.size() == 0 || \
            (has(self.shards) ? self.shards : 1) >= self.shardingStrategy.topology.values.size()",
        "message": "shards must be greater than or equal to the number of topology values when sharding strategy mode is \
            Topology",
    })
}
