//! ServiceMonitor.

use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use kube::CustomResource;
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};

use crate::scrape::{EndpointOptions, MonitorOptions, describe};
use crate::status::ConfigResourceStatus;
use crate::text::ServiceDiscoveryRole;
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
#[schemars(extend("required" = ["endpoints", "selector"]), transform = describe_spec)]
pub struct ServiceMonitorSpec {
    /// Service labels that are copied to the scraped series.
    pub target_labels: Vec<String>,
    /// Endpoints to scrape on each selected Service.
    pub endpoints: Vec<Endpoint>,
    /// Kind of Kubernetes object from which the targets are discovered.
    pub service_discovery_role: Option<ServiceDiscoveryRole>,
    /// Options that a PodMonitor has too.
    #[serde(flatten)]
    pub options: MonitorOptions,
}

/// One port of the selected services that Prometheus scrapes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(transform = describe_endpoint)]
pub struct Endpoint {
    /// Name of the service port to scrape.
    pub port: String,
    /// Name or number of the pod port to scrape.
    pub target_port: Option<IntOrString>,
    /// Deprecated: use `authorization`. Path of a file with the bearer token.
    pub bearer_token_file: String,
    /// TLS settings of the connection.
    pub tls_config: Option<TlsConfig>,
    /// Options that an endpoint of a PodMonitor has too.
    #[serde(flatten)]
    pub options: EndpointOptions,
}

fn describe_spec(schema: &mut Schema) {
    let descriptions = [
        ("targetLimit", "How many targets may be scraped; more make all their scrapes fail."),
        ("labelLimit", "How many labels one sample may have; more make the scrape fail."),
        (
            "keepDroppedTargets",
            "How many targets dropped by relabeling are kept in memory; `0` means no limit.",
        ),
        ("attachMetadata", "Extra metadata that service discovery adds to the targets."),
        ("scrapeClass", "Name of the scrape class to apply."),
        ("bodySizeLimit", "How large an uncompressed response may be; a larger one makes the scrape fail."),
    ];
    describe(schema, &descriptions);
}

fn describe_endpoint(schema: &mut Schema) {
    let descriptions = [
        ("scheme", "Whether to use HTTP or HTTPS."),
        ("params", "URL parameters of the scrape request."),
        ("scrapeTimeout", "Time after which a scrape fails; not longer than the interval."),
        ("honorLabels", "Keeps the scraped labels if they conflict with the labels of the target."),
        ("honorTimestamps", "Whether timestamps in the scraped data are used."),
        ("trackTimestampsStaleness", "Marks series with their own timestamps as stale when they disappear."),
        ("metricRelabelings", "Relabeling rules for the samples, applied before they are stored."),
        ("relabelings", "Relabeling rules for the targets, applied before they are scraped."),
        ("filterRunning", "Whether pods that have failed or finished are left out."),
    ];
    describe(schema, &descriptions);
}
