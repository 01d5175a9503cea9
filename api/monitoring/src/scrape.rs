//! Options of scrapes that several kinds have.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};

use crate::http::{HttpClient, ProxyConfig};
use crate::reference::NamespaceSelector;
use crate::relabel::RelabelConfig;
use crate::text::{ByteSize, Duration, Scheme, ScrapeProtocol, SelectorMechanism};

/// Options of a ServiceMonitor and of a PodMonitor.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct MonitorOptions {
    /// Label of the selected object whose value becomes the `job` label.
    pub job_label: String,
    /// Pod labels that are copied to the scraped series.
    pub pod_target_labels: Vec<String>,
    /// Labels of the objects to select.
    pub selector: LabelSelector,
    /// Whether `selector` is applied by relabeling or by the Kubernetes API.
    pub selector_mechanism: Option<SelectorMechanism>,
    /// Namespaces to search for objects; empty means the namespace of this object.
    pub namespace_selector: NamespaceSelector,
    /// Exposition formats to ask the target for, in order of preference.
    #[schemars(extend("x-kubernetes-list-type" = "set"))]
    pub scrape_protocols: Vec<ScrapeProtocol>,
    /// More metadata to add to the discovered targets.
    pub attach_metadata: Option<AttachMetadata>,
    /// Largest uncompressed response that is accepted; a larger one makes the scrape fail.
    pub body_size_limit: Option<ByteSize>,
    /// Options of the jobs.
    #[serde(flatten)]
    pub job: JobOptions,
}

/// Options of the scrape jobs of all kinds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct JobOptions {
    /// Format to assume when the target answers with a missing or invalid content type.
    pub fallback_scrape_protocol: Option<ScrapeProtocol>,
    /// How many samples one scrape may return; more make it fail.
    #[schemars(range(min = 0))]
    pub sample_limit: Option<i64>,
    /// How many targets may be scraped; more make all of them fail.
    #[schemars(range(min = 0))]
    pub target_limit: Option<i64>,
    /// How many labels a sample may have; more make the scrape fail.
    #[schemars(range(min = 0))]
    pub label_limit: Option<i64>,
    /// How long a label name may be; a longer one makes the scrape fail.
    #[schemars(range(min = 0))]
    pub label_name_length_limit: Option<i64>,
    /// How long a label value may be; a longer one makes the scrape fail.
    #[schemars(range(min = 0))]
    pub label_value_length_limit: Option<i64>,
    /// How many targets dropped by relabeling are kept in memory; 0 means no limit.
    #[schemars(range(min = 0))]
    pub keep_dropped_targets: Option<i64>,
    /// How native and classic histograms are scraped.
    #[serde(flatten)]
    pub histograms: NativeHistogramConfig,
    /// Name of the scrape class to use.
    #[schemars(length(min = 1))]
    pub scrape_class: Option<String>,
}

/// Options of an endpoint of a ServiceMonitor or a PodMonitor.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct EndpointOptions {
    /// HTTP path to scrape; empty means `/metrics`.
    pub path: String,
    /// URL scheme for the requests, HTTP or HTTPS.
    pub scheme: Option<Scheme>,
    /// URL parameters to send with each request.
    pub params: Option<BTreeMap<String, Vec<String>>>,
    /// Time between two scrapes.
    pub interval: Duration,
    /// Time after which a scrape is canceled; not longer than the interval.
    pub scrape_timeout: Duration,
    /// Whether labels of the scraped data take precedence over labels that Prometheus would add.
    pub honor_labels: bool,
    /// Whether timestamps in the scraped data are kept.
    pub honor_timestamps: Option<bool>,
    /// Whether series with their own timestamps are marked stale when they disappear.
    pub track_timestamps_staleness: Option<bool>,
    /// Relabeling rules for the samples before they are stored.
    pub metric_relabelings: Vec<RelabelConfig>,
    /// Relabeling rules for the targets before they are scraped.
    pub relabelings: Vec<RelabelConfig>,
    /// Whether pods that have failed or completed are left out.
    pub filter_running: Option<bool>,
    /// Authentication, redirects and HTTP/2.
    #[serde(flatten)]
    pub client: HttpClient,
    /// Proxy of the connection.
    #[serde(flatten)]
    pub proxy: ProxyConfig,
}

/// Replaces the descriptions of fields for one kind.
pub(crate) fn describe(schema: &mut Schema, descriptions: &[(&str, &str)]) {
    for (field, description) in descriptions {
        let property = schema.pointer_mut(&format!("/properties/{field}"));
        if let Some(property) = property.and_then(|property| property.as_object_mut()) {
            property.insert("description".into(), (*description).into());
        }
    }
}

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
