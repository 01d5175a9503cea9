//! IONOS.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::auth::{OAuth2, SafeAuthorization};
use crate::http::ProxyConfig;
use crate::text::Duration;
use crate::tls::SafeTlsConfig;

/// Discovery of targets among the servers of an IONOS data center.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["datacenterID", "authorization"]))]
pub struct IonosSdConfig {
    /// ID of the IONOS data center to look in.
    #[serde(rename = "datacenterID")]
    #[schemars(length(min = 1))]
    pub datacenter_id: String,
    /// Port to scrape the found targets on.
    #[schemars(range(min = 0, max = 65535))]
    pub port: Option<i32>,
    /// Time between two refreshes of the target list.
    pub refresh_interval: Option<Duration>,
    /// Type and credentials of the `Authorization` header to send with each request.
    pub authorization: SafeAuthorization,
    /// Proxy on the way.
    #[serde(flatten)]
    pub proxy: ProxyConfig,
    /// TLS settings for the connection.
    pub tls_config: Option<SafeTlsConfig>,
    /// Follow HTTP redirects.
    pub follow_redirects: Option<bool>,
    /// Allow HTTP/2 for the connection.
    #[serde(rename = "enableHTTP2")]
    pub enable_http2: Option<bool>,
    /// OAuth 2.0 client settings used to get an access token for the requests.
    pub oauth2: Option<OAuth2>,
}
