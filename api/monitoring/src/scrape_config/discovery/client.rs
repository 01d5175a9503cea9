//! HTTP client options of discoveries. Some discoveries do not have basic authentication, and some have their own
//! authentication.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::auth::{BasicAuth, OAuth2, SafeAuthorization};
use crate::http::ProxyConfig;
use crate::tls::SafeTlsConfig;

/// HTTP client options with all ways to authenticate.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct DiscoveryClient {
    /// Username and password to send with each request.
    pub basic_auth: Option<BasicAuth>,
    /// Options without basic authentication.
    #[serde(flatten)]
    pub tokens: TokenClient,
}

/// HTTP client options without basic authentication.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct TokenClient {
    /// Type and credentials of the `Authorization` header to send with each request.
    pub authorization: Option<SafeAuthorization>,
    /// OAuth 2.0 client settings used to get an access token for the requests.
    pub oauth2: Option<OAuth2>,
    /// Options without authentication.
    #[serde(flatten)]
    pub connection: Connection,
}

/// HTTP client options without authentication.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Connection {
    /// Proxy of the connection.
    #[serde(flatten)]
    pub proxy: ProxyConfig,
    /// Follow HTTP redirects.
    pub follow_redirects: Option<bool>,
    /// Allow HTTP/2 for the connection.
    #[serde(rename = "enableHTTP2")]
    pub enable_http2: Option<bool>,
    /// TLS settings for the connection.
    pub tls_config: Option<SafeTlsConfig>,
}
