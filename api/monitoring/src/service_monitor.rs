//! ServiceMonitor.

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
use crate::text::{ByteSize, Duration, Scheme, ScrapeProtocol, SelectorMechanism, ServiceDiscoveryRole};
use crate::tls::TlsConfig;

/// Which Services to scrape, and how.
#[derive(CustomResource, Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "monitoring.coreos.com",
    version = "v1",
    kind = "ServiceMonitor",
    plural = "servicemonitors",
    shortname = "smon",
    category = "prometheus-operator",
    namespaced,
    status = "ConfigResourceStatus",
    derive = "PartialEq",
    derive = "Default",
    doc = "Which Services are scraped, and how."
)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["endpoints", "selector"]))]
pub struct ServiceMonitorSpec {
    /// Label of the selected object whose value becomes the `job` label.
    pub job_label: String,
    /// Service labels that are copied to the scraped series.
    pub target_labels: Vec<String>,
    /// Pod labels that are copied to the scraped series.
    pub pod_target_labels: Vec<String>,
    /// Endpoints to scrape on each selected Service.
    pub endpoints: Vec<Endpoint>,
    /// Labels of the objects to select.
    pub selector: LabelSelector,
    /// Whether `selector` is applied by relabeling or by the Kubernetes API.
    pub selector_mechanism: Option<SelectorMechanism>,
    /// Namespaces to search for objects; empty means the namespace of this object.
    pub namespace_selector: NamespaceSelector,
    /// How many samples one scrape may bring; more make it fail.
    #[schemars(range(min = 0))]
    pub sample_limit: Option<i64>,
    /// Exposition formats to ask the target for, most wanted first.
    #[schemars(extend("x-kubernetes-list-type" = "set"))]
    pub scrape_protocols: Vec<ScrapeProtocol>,
    /// Format to assume when the target answers with a missing or invalid content type.
    pub fallback_scrape_protocol: Option<ScrapeProtocol>,
    /// How many targets may be scraped; more make all their scrapes fail.
    #[schemars(range(min = 0))]
    pub target_limit: Option<i64>,
    /// How many labels one sample may have; more make the scrape fail.
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
    /// How many targets dropped by relabeling are kept in memory; `0` means no limit.
    #[schemars(range(min = 0))]
    pub keep_dropped_targets: Option<i64>,
    /// Extra metadata that service discovery adds to the targets.
    pub attach_metadata: Option<AttachMetadata>,
    /// Name of the scrape class to apply.
    #[schemars(length(min = 1))]
    pub scrape_class: Option<String>,
    /// How large an uncompressed response may be; a larger one makes the scrape fail.
    pub body_size_limit: Option<ByteSize>,
    /// Kind of Kubernetes object from which the targets are discovered.
    pub service_discovery_role: Option<ServiceDiscoveryRole>,
}

/// One port of the selected services that Prometheus scrapes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Endpoint {
    /// Name of the service port to scrape.
    pub port: String,
    /// Name or number of the pod port to scrape.
    pub target_port: Option<IntOrString>,
    /// HTTP path to scrape; empty means `/metrics`.
    pub path: String,
    /// Whether to use HTTP or HTTPS.
    pub scheme: Option<Scheme>,
    /// URL parameters of the scrape request.
    pub params: Option<BTreeMap<String, Vec<String>>>,
    /// Time between two scrapes.
    pub interval: Duration,
    /// Time after which a scrape fails; not longer than the interval.
    pub scrape_timeout: Duration,
    /// Keeps the scraped labels when they clash with the labels of the target.
    pub honor_labels: bool,
    /// Whether timestamps in the scraped data are used.
    pub honor_timestamps: Option<bool>,
    /// Marks series with own timestamps as stale when they vanish from the scrape.
    pub track_timestamps_staleness: Option<bool>,
    /// Relabeling rules for the samples, applied before they are stored.
    pub metric_relabelings: Vec<RelabelConfig>,
    /// Relabeling rules for the targets, applied before they are scraped.
    pub relabelings: Vec<RelabelConfig>,
    /// Whether pods that have failed or finished are left out.
    pub filter_running: Option<bool>,
    /// Deprecated: use `authorization`. Path of a file with the bearer token.
    pub bearer_token_file: String,
    /// Who the client is and what it follows.
    #[serde(flatten)]
    pub client: HttpClient,
    /// TLS settings of the connection.
    pub tls_config: Option<TlsConfig>,
    /// Proxy on the way.
    #[serde(flatten)]
    pub proxy: ProxyConfig,
}
