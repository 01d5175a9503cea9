//! PuppetDB.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scrape_config::discovery::Url;
use crate::scrape_config::discovery::client::DiscoveryClient;
use crate::text::Duration;

/// Discovery of targets among PuppetDB resources.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["url", "query"]))]
pub struct PuppetDbSdConfig {
    /// URL of the PuppetDB server.
    pub url: Url,
    /// PQL query that returns the resources; it must select from `resources`.
    #[schemars(length(min = 1))]
    pub query: String,
    /// Add the resource parameters as labels; they may contain secrets.
    pub include_parameters: Option<bool>,
    /// Time between two refreshes of the target list.
    pub refresh_interval: Option<Duration>,
    /// Port to scrape the found targets on.
    #[schemars(range(min = 0, max = 65535))]
    pub port: Option<i32>,
    /// HTTP client options.
    #[serde(flatten)]
    pub client: DiscoveryClient,
}
