//! HTTP.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scrape_config::discovery::Url;
use crate::scrape_config::discovery::client::DiscoveryClient;
use crate::text::Duration;

/// Discovery of targets from an HTTP endpoint.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["url"]))]
pub struct HttpSdConfig {
    /// URL that returns the list of targets as JSON.
    pub url: Url,
    /// Time between two refreshes of the target list.
    pub refresh_interval: Option<Duration>,
    /// HTTP client options.
    #[serde(flatten)]
    pub client: DiscoveryClient,
}
