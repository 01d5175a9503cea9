//! Docker.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scrape_config::discovery::Filter;
use crate::scrape_config::discovery::client::DiscoveryClient;
use crate::text::Duration;

/// Discovery of targets among the containers of a Docker host.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["host"]))]
pub struct DockerSdConfig {
    /// Address of the Docker daemon with its scheme, such as `unix:///var/run/docker.sock`.
    #[schemars(length(min = 1), extend("pattern" = "^[a-zA-Z][a-zA-Z0-9+.-]*://.+$"))]
    pub host: String,
    /// Port to scrape containers on that expose no port.
    #[schemars(range(min = 0, max = 65535))]
    pub port: Option<i32>,
    /// Host name to use for containers that share the network of the host.
    #[schemars(length(min = 1))]
    pub host_networking_host: Option<String>,
    /// Use only the first network of a container that has several.
    pub match_first_network: Option<bool>,
    /// Conditions that limit the found containers, as the Docker API defines them.
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["name"]))]
    pub filters: Vec<Filter>,
    /// Time between two refreshes of the target list.
    pub refresh_interval: Option<Duration>,
    /// HTTP client options.
    #[serde(flatten)]
    pub client: DiscoveryClient,
}
