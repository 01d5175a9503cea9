//! DigitalOcean.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scrape_config::discovery::client::TokenClient;
use crate::text::Duration;

/// Discovery of targets among DigitalOcean droplets.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct DigitalOceanSdConfig {
    /// Port to scrape the found targets on.
    #[schemars(range(min = 0, max = 65535))]
    pub port: Option<i32>,
    /// Time between two refreshes of the target list.
    pub refresh_interval: Option<Duration>,
    /// HTTP client options.
    #[serde(flatten)]
    pub client: TokenClient,
}
