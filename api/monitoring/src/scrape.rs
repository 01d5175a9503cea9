//! What the monitors and the servers say about a scrape alike.

use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Extra metadata that service discovery adds to the targets.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct AttachMetadata {
    /// Adds the metadata of the node to the targets; needs read access to nodes.
    pub node: Option<bool>,
}

/// How histograms are scraped.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct NativeHistogramConfig {
    /// Whether native histograms are scraped.
    pub scrape_native_histograms: Option<bool>,
    /// Also scrapes the classic form of a histogram that is exposed as native too.
    pub scrape_classic_histograms: Option<bool>,
    /// How many buckets a native histogram may have; above it, buckets are merged.
    #[schemars(range(min = 0))]
    pub native_histogram_bucket_limit: Option<i64>,
    /// Smallest growth factor between buckets; finer buckets are merged.
    pub native_histogram_min_bucket_factor: Option<Quantity>,
    /// Stores classic histograms as native histograms with custom buckets.
    #[serde(rename = "convertClassicHistogramsToNHCB")]
    pub convert_classic_histograms_to_nhcb: Option<bool>,
}
