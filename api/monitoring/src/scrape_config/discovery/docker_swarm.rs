//! Docker Swarm.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scrape_config::discovery::Filter;
use crate::scrape_config::discovery::client::DiscoveryClient;
use crate::text::Duration;

/// Discovery of targets in a Docker Swarm.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["host", "role"]))]
pub struct DockerSwarmSdConfig {
    /// Address of the Docker daemon with its scheme, such as `unix:///var/run/docker.sock`.
    #[schemars(extend("pattern" = "^[a-zA-Z][a-zA-Z0-9+.-]*://.+$"))]
    pub host: String,
    /// Kind of Swarm object that becomes a target: `Services`, `Tasks` or `Nodes`.
    #[schemars(extend("enum" = ["Services", "Tasks", "Nodes"]))]
    pub role: String,
    /// Port to scrape nodes on, and services and tasks that publish no port.
    #[schemars(range(min = 0, max = 65535))]
    pub port: Option<i32>,
    /// Conditions that limit the found objects, as the Docker API defines them.
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["name"]))]
    pub filters: Vec<Filter>,
    /// Time between two refreshes of the target list.
    pub refresh_interval: Option<Duration>,
    /// HTTP client options.
    #[serde(flatten)]
    pub client: DiscoveryClient,
}
