//! Kuma.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scrape_config::discovery::Url;
use crate::scrape_config::discovery::client::DiscoveryClient;
use crate::text::Duration;

/// Discovery of targets through the control plane of a Kuma mesh.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["server"]))]
pub struct KumaSdConfig {
    /// URL of the Kuma monitoring assignment server.
    pub server: Url,
    /// ID of Prometheus in requests to the Kuma control plane.
    #[serde(rename = "clientID")]
    #[schemars(length(min = 1))]
    pub client_id: Option<String>,
    /// Time between two refreshes of the target list.
    pub refresh_interval: Option<Duration>,
    /// Time after which a request for the target list fails.
    pub fetch_timeout: Option<Duration>,
    /// HTTP client options.
    #[serde(flatten)]
    pub client: DiscoveryClient,
}
