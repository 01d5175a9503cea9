//! PodMonitor.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::http::{HttpClient, ProxyConfig};
use crate::reference::NamespaceSelector;
use crate::relabel::RelabelConfig;
use crate::scrape::{AttachMetadata, NativeHistogramConfig};
use crate::status::ConfigResourceStatus;
use crate::text::{ByteSize, Duration, Scheme, ScrapeProtocol, SelectorMechanism};
use crate::tls::SafeTlsConfig;

/// Which pods to scrape, and how.
#[derive(CustomResource, Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "monitoring.coreos.com",
    version = "v1",
    kind = "PodMonitor",
    plural = "podmonitors",
    shortname = "pmon",
    category = "prometheus-operator",
    namespaced,
    status = "ConfigResourceStatus",
    derive = "PartialEq",
    derive = "Default",
    doc = "Which pods are scraped, and how."
)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["selector"]))]
pub struct PodMonitorSpec {
    /// Label of the selected object whose value becomes the `job` label.
    pub job_label: String,
    /// Pod labels that are copied to the scraped series.
    pub pod_target_labels: Vec<String>,
    /// Endpoints to scrape on each selected pod.
    pub pod_metrics_endpoints: Vec<PodMetricsEndpoint>,
    /// Labels of the objects to select.
    pub selector: LabelSelector,
    /// Whether `selector` is applied by relabeling or by the Kubernetes API.
    pub selector_mechanism: Option<SelectorMechanism>,
    /// Namespaces to search for objects; empty means the namespace of this object.
    pub namespace_selector: NamespaceSelector,
    /// How many samples one scrape may bring; more make it fail.
    #[schemars(range(min = 0))]
    pub sample_limit: Option<i64>,
    /// How many targets may be scraped; more make all of them fail.
    #[schemars(range(min = 0))]
    pub target_limit: Option<i64>,
    /// Exposition formats to ask the target for, most wanted first.
    #[schemars(extend("x-kubernetes-list-type" = "set"))]
    pub scrape_protocols: Vec<ScrapeProtocol>,
    /// Format to assume when the target answers with a missing or invalid content type.
    pub fallback_scrape_protocol: Option<ScrapeProtocol>,
    /// How many labels a sample may have; more make the scrape fail.
    #[schemars(range(min = 0))]
    pub label_limit: Option<i64>,
    /// How long a label name may be; a longer one makes the scrape fail.
    #[schemars(range(min = 0))]
    pub label_name_length_limit: Option<i64>,
    /// How long a label value may be; a longer one makes the scrape fail.
    #[schemars(range(min = 0))]
    pub label_value_length_limit: Option<i64>,
    /// What becomes of native and classic histograms.
    #[serde(flatten)]
    pub histograms: NativeHistogramConfig,
    /// How many targets dropped by relabeling are kept in memory; 0 means no limit.
    #[schemars(range(min = 0))]
    pub keep_dropped_targets: Option<i64>,
    /// More metadata to add to the discovered targets.
    pub attach_metadata: Option<AttachMetadata>,
    /// Name of the scrape class to use.
    #[schemars(length(min = 1))]
    pub scrape_class: Option<String>,
    /// Largest uncompressed response that is accepted; a larger one makes the scrape fail.
    pub body_size_limit: Option<ByteSize>,
}

/// One endpoint of a pod that serves metrics.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PodMetricsEndpoint {
    /// Name of the pod port to scrape; it wins over `portNumber`.
    pub port: Option<String>,
    /// Number of the pod port to scrape.
    #[schemars(range(min = 1, max = 65535))]
    pub port_number: Option<i32>,
    /// Deprecated: use `port` or `portNumber` instead. Name or number of the port to scrape.
    pub target_port: Option<IntOrString>,
    /// HTTP path to scrape; empty means `/metrics`.
    pub path: String,
    /// URL scheme for the requests, HTTP or HTTPS.
    pub scheme: Option<Scheme>,
    /// URL parameters to send with each request.
    pub params: Option<BTreeMap<String, Vec<String>>>,
    /// Time between two scrapes.
    pub interval: Duration,
    /// Time after which a scrape is given up; not longer than the interval.
    pub scrape_timeout: Duration,
    /// Whether labels of the scraped data win over labels that Prometheus would add.
    pub honor_labels: bool,
    /// Whether timestamps in the scraped data are kept.
    pub honor_timestamps: Option<bool>,
    /// Whether series with their own timestamps are marked stale when they vanish.
    pub track_timestamps_staleness: Option<bool>,
    /// Relabeling rules for the samples before they are stored.
    pub metric_relabelings: Vec<RelabelConfig>,
    /// Relabeling rules for the targets before they are scraped.
    pub relabelings: Vec<RelabelConfig>,
    /// Whether pods that have failed or completed are left out.
    pub filter_running: Option<bool>,
    /// Who the client is and what it follows.
    #[serde(flatten)]
    pub client: HttpClient,
    /// TLS settings of the connection.
    pub tls_config: Option<SafeTlsConfig>,
    /// Proxy on the way.
    #[serde(flatten)]
    pub proxy: ProxyConfig,
}
