//! Settings of HTTP clients except TLS.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::SecretKeySelector;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::auth::{BasicAuth, OAuth2, SafeAuthorization};
use crate::tls::SafeTlsConfig;

/// HTTP client settings with a proxy and TLS.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct HttpConfigWithProxy {
    /// Authentication, redirects and HTTP/2.
    #[serde(flatten)]
    pub client: HttpClient,
    /// TLS settings of the connection.
    pub tls_config: Option<SafeTlsConfig>,
    /// Proxy of the connection.
    #[serde(flatten)]
    pub proxy: ProxyConfig,
}

/// HTTP client settings without TLS.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct HttpClient {
    /// `Authorization` header to send with the requests.
    pub authorization: Option<SafeAuthorization>,
    /// User name and password for HTTP basic authentication.
    pub basic_auth: Option<BasicAuth>,
    /// OAuth 2.0 settings to get an access token for the requests.
    pub oauth2: Option<OAuth2>,
    /// Deprecated: use `authorization`. Secret key with the bearer token.
    pub bearer_token_secret: Option<SecretKeySelector>,
    /// Whether HTTP redirects are followed.
    pub follow_redirects: Option<bool>,
    /// Whether HTTP/2 may be used.
    pub enable_http2: Option<bool>,
}

/// Settings for the HTTP proxy of a client.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ProxyConfig {
    /// URL of the proxy; starts with `http://`, `https://` or `socks5://`.
    #[schemars(extend("pattern" = "^(http|https|socks5)://.+$"))]
    pub proxy_url: Option<String>,
    /// Comma-separated hosts, domains and IP ranges that bypass the proxy.
    pub no_proxy: Option<String>,
    /// Takes the proxy from the environment, such as `HTTPS_PROXY` and `NO_PROXY`.
    pub proxy_from_environment: Option<bool>,
    /// Headers sent to the proxy with CONNECT requests, by name.
    #[schemars(extend("x-kubernetes-map-type" = "atomic"))]
    pub proxy_connect_header: Option<BTreeMap<String, Vec<SecretKeySelector>>>,
}
