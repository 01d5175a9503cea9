//! PodMonitor.

use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scrape::{EndpointOptions, MonitorOptions};
use crate::status::ConfigResourceStatus;
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
    /// Endpoints to scrape on each selected pod.
    pub pod_metrics_endpoints: Vec<PodMetricsEndpoint>,
    /// Options that a ServiceMonitor has too.
    #[serde(flatten)]
    pub options: MonitorOptions,
}

/// One endpoint of a pod that serves metrics.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PodMetricsEndpoint {
    /// Name of the pod port to scrape; it takes precedence over `portNumber`.
    pub port: Option<String>,
    /// Number of the pod port to scrape.
    #[schemars(range(min = 1, max = 65535))]
    pub port_number: Option<i32>,
    /// Deprecated: use `port` or `portNumber` instead. Name or number of the port to scrape.
    pub target_port: Option<IntOrString>,
    /// TLS settings of the connection.
    pub tls_config: Option<SafeTlsConfig>,
    /// Options that an endpoint of a ServiceMonitor has too.
    #[serde(flatten)]
    pub options: EndpointOptions,
}
