//! Where a server sends its alerts.

use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::auth::{BasicAuth, SafeAuthorization, Sigv4};
use crate::http::ProxyConfig;
use crate::relabel::RelabelConfig;
use crate::text::{Duration, Scheme, text};
use crate::tls::TlsConfig;

/// Which Alertmanagers receive the alerts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["alertmanagers"]))]
pub struct AlertingSpec {
    /// Alertmanagers that alerts are sent to.
    pub alertmanagers: Vec<AlertmanagerEndpoints>,
}

text! {
    /// Version of the Alertmanager API.
    #[schemars(extend("enum" = ["v1", "V1", "v2", "V2"]))]
    AlertmanagerApiVersion
}

/// Alertmanagers behind one Service that receive the alerts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["name", "port"]))]
pub struct AlertmanagerEndpoints {
    /// Namespace of the Alertmanager Service; unset means that of this Prometheus.
    #[schemars(length(min = 1))]
    pub namespace: Option<String>,
    /// Name of the Alertmanager Service.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Name or number of the port of the Alertmanager Service.
    pub port: IntOrString,
    /// Use HTTP or HTTPS for the requests.
    pub scheme: Option<Scheme>,
    /// Path put before the API path of Alertmanager.
    #[schemars(length(min = 1))]
    pub path_prefix: Option<String>,
    /// TLS settings of the connection.
    pub tls_config: Option<TlsConfig>,
    /// Credentials for HTTP basic authentication.
    pub basic_auth: Option<BasicAuth>,
    /// Deprecated: use `authorization` instead.
    pub bearer_token_file: String,
    /// Content of the `Authorization` header sent with each request.
    pub authorization: Option<SafeAuthorization>,
    /// Sign requests with AWS Signature Version 4.
    pub sigv4: Option<Sigv4>,
    /// Proxy of the connection.
    #[serde(flatten)]
    pub proxy: ProxyConfig,
    /// Version of the Alertmanager API to use; Prometheus 3 only supports `v2`.
    pub api_version: Option<AlertmanagerApiVersion>,
    /// How long sending alerts to one Alertmanager may take.
    pub timeout: Option<Duration>,
    /// Whether HTTP/2 may be used.
    pub enable_http2: Option<bool>,
    /// Relabeling of the Alertmanagers that were discovered.
    pub relabelings: Vec<RelabelConfig>,
    /// Relabeling of the alerts before they are sent to these Alertmanagers.
    pub alert_relabelings: Vec<RelabelConfig>,
}
