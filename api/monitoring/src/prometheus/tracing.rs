//! Where a server sends traces of its own work.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text::Duration;
use crate::tls::TlsConfig;

/// Where and how traces are sent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["endpoint"]))]
pub struct TracingConfig {
    /// Protocol to send the traces with: HTTP or gRPC.
    #[schemars(extend("enum" = ["http", "grpc", "HTTP", "GRPC"]))]
    pub client_type: Option<String>,
    /// Address of the trace collector, as `host:port`.
    #[schemars(length(min = 1))]
    pub endpoint: String,
    /// Share of requests that are traced, from 0 to 1.
    pub sampling_fraction: Option<Quantity>,
    /// Sends the traces without TLS.
    pub insecure: Option<bool>,
    /// Headers to send with the traces.
    pub headers: BTreeMap<String, String>,
    /// Compression of the sent traces.
    #[schemars(extend("enum" = ["gzip", "Gzip"]))]
    pub compression: Option<String>,
    /// Time after which sending a batch of traces fails.
    pub timeout: Option<Duration>,
    /// TLS settings of the connection.
    pub tls_config: Option<TlsConfig>,
}
