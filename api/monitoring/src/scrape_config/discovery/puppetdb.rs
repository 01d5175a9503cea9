//! PuppetDB.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::auth::{BasicAuth, OAuth2, SafeAuthorization};
use crate::http::ProxyConfig;
use crate::scrape_config::discovery::Url;
use crate::text::Duration;
use crate::tls::SafeTlsConfig;

/// Discovery of targets among PuppetDB resources.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["url", "query"]))]
pub struct PuppetDbSdConfig {
    /// URL of the PuppetDB server.
    pub url: Url,
    /// PQL query that returns the resources; it must select from `resources`.
    #[schemars(length(min = 1))]
    pub query: String,
    /// Add the resource parameters as labels; they may contain secrets.
    pub include_parameters: Option<bool>,
    /// Time between two refreshes of the target list.
    pub refresh_interval: Option<Duration>,
    /// Port to scrape the found targets on.
    #[schemars(range(min = 0, max = 65535))]
    pub port: Option<i32>,
    /// Username and password to send with each request.
    pub basic_auth: Option<BasicAuth>,
    /// Type and credentials of the `Authorization` header to send with each request.
    pub authorization: Option<SafeAuthorization>,
    /// OAuth 2.0 client settings used to get an access token for the requests.
    pub oauth2: Option<OAuth2>,
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
}
