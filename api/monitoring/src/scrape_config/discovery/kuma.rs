//! Kuma.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::auth::{BasicAuth, OAuth2, SafeAuthorization};
use crate::http::ProxyConfig;
use crate::scrape_config::discovery::Url;
use crate::text::Duration;
use crate::tls::SafeTlsConfig;

/// Discovery of targets through the control plane of a Kuma mesh.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["server"]))]
pub struct KumaSdConfig {
    /// URL of the Kuma monitoring assignment server.
    pub server: Url,
    /// ID with which Prometheus presents itself to the Kuma control plane.
    #[serde(rename = "clientID")]
    #[schemars(length(min = 1))]
    pub client_id: Option<String>,
    /// Time between two refreshes of the target list.
    pub refresh_interval: Option<Duration>,
    /// Time after which a request for the target list fails.
    pub fetch_timeout: Option<Duration>,
    /// Proxy on the way.
    #[serde(flatten)]
    pub proxy: ProxyConfig,
    /// TLS settings for the connection.
    pub tls_config: Option<SafeTlsConfig>,
    /// Username and password to send with each request.
    pub basic_auth: Option<BasicAuth>,
    /// Type and credentials of the `Authorization` header to send with each request.
    pub authorization: Option<SafeAuthorization>,
    /// OAuth 2.0 client settings used to get an access token for the requests.
    pub oauth2: Option<OAuth2>,
    /// Follow HTTP redirects.
    pub follow_redirects: Option<bool>,
    /// Allow HTTP/2 for the connection.
    #[serde(rename = "enableHTTP2")]
    pub enable_http2: Option<bool>,
}
