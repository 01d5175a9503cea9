//! Eureka.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scrape_config::discovery::Url;
use crate::scrape_config::discovery::client::DiscoveryClient;
use crate::text::Duration;

/// Discovery of targets in a Eureka registry.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["server"]))]
pub struct EurekaSdConfig {
    /// URL of the Eureka server.
    pub server: Url,
    /// Time between two refreshes of the target list.
    pub refresh_interval: Option<Duration>,
    /// HTTP client options.
    #[serde(flatten)]
    pub client: DiscoveryClient,
}
