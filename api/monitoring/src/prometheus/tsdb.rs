//! The database of a server.

use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text::{Duration, text};

/// Settings of the time series database.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct TsdbSpec {
    /// How old a sample that arrives out of order may be and still be stored.
    pub out_of_order_time_window: Option<Duration>,
    /// Share of stale series in memory that starts a compaction of them.
    pub stale_series_compaction_threshold: Option<Quantity>,
    /// How samples are encoded in chunks.
    pub chunk_encoding: Option<ChunkEncodingSpec>,
}

text! {
    /// Encoding of chunks with float samples.
    #[schemars(extend("enum" = ["Xor", "Xor2"]))]
    ChunkEncodingFloats
}

/// How samples are encoded in chunks.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ChunkEncodingSpec {
    /// Encoding of chunks with float samples.
    pub floats: Option<ChunkEncodingFloats>,
}
