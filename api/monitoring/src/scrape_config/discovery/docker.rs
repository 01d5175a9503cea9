//! Docker.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::auth::{BasicAuth, OAuth2, SafeAuthorization};
use crate::http::ProxyConfig;
use crate::scrape_config::discovery::Filter;
use crate::text::Duration;
use crate::tls::SafeTlsConfig;

/// Discovery of targets among the containers of a Docker host.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["host"]))]
pub struct DockerSdConfig {
    /// Address of the Docker daemon with its scheme, such as `unix:///var/run/docker.sock`.
    #[schemars(length(min = 1), extend("pattern" = "^[a-zA-Z][a-zA-Z0-9+.-]*://.+$"))]
    pub host: String,
    /// Proxy on the way.
    #[serde(flatten)]
    pub proxy: ProxyConfig,
    /// TLS settings for the connection.
    pub tls_config: Option<SafeTlsConfig>,
    /// Port to scrape containers on that expose no port.
    #[schemars(range(min = 0, max = 65535))]
    pub port: Option<i32>,
    /// Host name to use for containers that share the network of the host.
    #[schemars(length(min = 1))]
    pub host_networking_host: Option<String>,
    /// Use only the first network of a container that has several.
    pub match_first_network: Option<bool>,
    /// Conditions that limit the found containers, as the Docker API knows them.
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["name"]))]
    pub filters: Vec<Filter>,
    /// Time between two refreshes of the target list.
    pub refresh_interval: Option<Duration>,
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
