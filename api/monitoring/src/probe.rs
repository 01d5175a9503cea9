//! Probe.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::http::{HttpClient, ProxyConfig};
use crate::reference::NamespaceSelector;
use crate::relabel::RelabelConfig;
use crate::scrape::JobOptions;
use crate::status::ConfigResourceStatus;
use crate::text::{Duration, Scheme, ScrapeProtocol};
use crate::tls::SafeTlsConfig;

/// Which targets to probe, and how.
#[derive(CustomResource, Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "monitoring.coreos.com",
    version = "v1",
    kind = "Probe",
    plural = "probes",
    shortname = "prb",
    category = "prometheus-operator",
    namespaced,
    status = "ConfigResourceStatus",
    derive = "PartialEq",
    derive = "Default",
    doc = "Targets that a prober probes."
)]
#[serde(rename_all = "camelCase", default)]
pub struct ProbeSpec {
    /// Value of the `job` label on the scraped series.
    pub job_name: String,
    /// Address of the prober, such as the blackbox exporter.
    pub prober: ProberSpec,
    /// Module of the prober to use for the checks.
    pub module: String,
    /// Static targets or ingresses to probe.
    pub targets: ProbeTargets,
    /// Time between two scrapes.
    pub interval: Duration,
    /// Time after which a scrape is canceled; not longer than the interval.
    pub scrape_timeout: Duration,
    /// Relabeling rules for the samples before they are stored.
    pub metric_relabelings: Vec<RelabelConfig>,
    /// Exposition formats to ask the target for, in order of preference.
    #[schemars(extend("x-kubernetes-list-type" = "set"))]
    pub scrape_protocols: Vec<ScrapeProtocol>,
    /// Options of the job.
    #[serde(flatten)]
    pub job: JobOptions,
    /// URL parameters to send with each request.
    #[schemars(length(min = 1), extend("x-kubernetes-list-type" = "map"), extend("x-kubernetes-list-map-keys" = ["name"]))]
    pub params: Vec<ProbeParam>,
    /// Authentication, redirects and HTTP/2.
    #[serde(flatten)]
    pub client: HttpClient,
    /// TLS settings of the connection.
    pub tls_config: Option<SafeTlsConfig>,
}

/// One URL parameter for the prober.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["name"]))]
pub struct ProbeParam {
    /// Name of the parameter.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Values of the parameter.
    #[schemars(length(min = 1), inner(length(min = 1)))]
    pub values: Vec<String>,
}

/// Targets of a probe; `staticConfig` takes precedence if both are set.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ProbeTargets {
    /// Fixed list of targets to probe.
    pub static_config: Option<ProbeTargetStaticConfig>,
    /// Ingress objects whose hosts are probed.
    pub ingress: Option<ProbeTargetIngress>,
}

/// Fixed list of targets to probe.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ProbeTargetStaticConfig {
    /// Hosts or URLs to probe.
    #[serde(rename = "static")]
    pub static_: Vec<String>,
    /// Labels added to all series scraped from the targets.
    pub labels: BTreeMap<String, String>,
    /// Relabeling rules for the targets before they are probed.
    pub relabeling_configs: Vec<RelabelConfig>,
}

/// Ingress objects whose hosts are probed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ProbeTargetIngress {
    /// Labels of the objects to select.
    pub selector: LabelSelector,
    /// Namespaces to search for objects; empty means the namespace of this object.
    pub namespace_selector: NamespaceSelector,
    /// Relabeling rules for the targets before they are probed.
    pub relabeling_configs: Vec<RelabelConfig>,
}

/// Address of the prober, and how to connect to it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["url"]))]
pub struct ProberSpec {
    /// Address of the prober, as host with or without port.
    #[schemars(length(min = 1))]
    pub url: String,
    /// URL scheme for the requests, HTTP or HTTPS.
    pub scheme: Option<Scheme>,
    /// HTTP path of the prober that runs a check.
    #[schemars(extend("default" = "/probe"))]
    pub path: String,
    /// Proxy of the connection.
    #[serde(flatten)]
    pub proxy: ProxyConfig,
}
