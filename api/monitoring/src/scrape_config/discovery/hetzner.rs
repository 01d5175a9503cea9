//! Hetzner.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scrape_config::discovery::client::DiscoveryClient;
use crate::text::Duration;

/// Discovery of targets among Hetzner servers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["role"]))]
pub struct HetznerSdConfig {
    /// Hetzner API to query: `hcloud` for cloud servers, `robot` for dedicated ones.
    #[schemars(extend("enum" = ["hcloud", "Hcloud", "robot", "Robot"]))]
    pub role: String,
    /// Port to scrape the found targets on.
    #[schemars(range(min = 0, max = 65535))]
    pub port: Option<i32>,
    /// Time between two refreshes of the target list.
    pub refresh_interval: Option<Duration>,
    /// Label selector that limits the found servers.
    #[schemars(length(min = 1))]
    pub label_selector: Option<String>,
    /// HTTP client options.
    #[serde(flatten)]
    pub client: DiscoveryClient,
}
