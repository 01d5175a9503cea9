//! Eureka.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::auth::{BasicAuth, OAuth2, SafeAuthorization};
use crate::http::ProxyConfig;
use crate::scrape_config::discovery::Url;
use crate::text::Duration;
use crate::tls::SafeTlsConfig;

/// Discovery of targets in a Eureka registry.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["server"]))]
pub struct EurekaSdConfig {
    /// URL of the Eureka server.
    pub server: Url,
    /// Username and password to send with each request.
    pub basic_auth: Option<BasicAuth>,
    /// Type and credentials of the `Authorization` header to send with each request.
    pub authorization: Option<SafeAuthorization>,
    /// OAuth 2.0 client settings used to get an access token for the requests.
    pub oauth2: Option<OAuth2>,
    /// TLS settings for the connection.
    pub tls_config: Option<SafeTlsConfig>,
    /// Proxy on the way.
    #[serde(flatten)]
    pub proxy: ProxyConfig,
    /// Follow HTTP redirects.
    pub follow_redirects: Option<bool>,
    /// Allow HTTP/2 for the connection.
    #[serde(rename = "enableHTTP2")]
    pub enable_http2: Option<bool>,
    /// Time between two refreshes of the target list.
    pub refresh_interval: Option<Duration>,
}
