//! Hetzner.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::auth::{BasicAuth, OAuth2, SafeAuthorization};
use crate::http::ProxyConfig;
use crate::text::Duration;
use crate::tls::SafeTlsConfig;

/// Discovery of targets among Hetzner servers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["role"]))]
pub struct HetznerSdConfig {
    /// Hetzner API to query: `hcloud` for cloud servers, `robot` for dedicated ones.
    #[schemars(extend("enum" = ["hcloud", "Hcloud", "robot", "Robot"]))]
    pub role: String,
    /// Username and password to send with each request.
    pub basic_auth: Option<BasicAuth>,
    /// Type and credentials of the `Authorization` header to send with each request.
    pub authorization: Option<SafeAuthorization>,
    /// OAuth 2.0 client settings used to get an access token for the requests.
    pub oauth2: Option<OAuth2>,
    /// Proxy on the way.
    #[serde(flatten)]
    pub proxy: ProxyConfig,
    /// Follow HTTP redirects.
    pub follow_redirects: Option<bool>,
    /// Allow HTTP/2 for the connection.
    #[serde(rename = "enableHTTP2")]
    pub enable_http2: Option<bool>,
    /// TLS settings for the connection.
    pub tls_config: Option<SafeTlsConfig>,
    /// Port to scrape the found targets on.
    #[schemars(range(min = 0, max = 65535))]
    pub port: Option<i32>,
    /// Time between two refreshes of the target list.
    pub refresh_interval: Option<Duration>,
    /// Label selector that limits the found servers.
    #[schemars(length(min = 1))]
    pub label_selector: Option<String>,
}
