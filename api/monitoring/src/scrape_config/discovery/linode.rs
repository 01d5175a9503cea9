//! Linode.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scrape_config::discovery::client::TokenClient;
use crate::text::Duration;

/// Discovery of targets among Linode instances.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct LinodeSdConfig {
    /// Linode region to look in; empty means all.
    #[schemars(length(min = 1))]
    pub region: Option<String>,
    /// Port to scrape the found targets on.
    #[schemars(range(min = 0, max = 65535))]
    pub port: Option<i32>,
    /// Text that joins the tags of a target into one label value.
    #[schemars(length(min = 1))]
    pub tag_separator: Option<String>,
    /// Time between two refreshes of the target list.
    pub refresh_interval: Option<Duration>,
    /// HTTP client options.
    #[serde(flatten)]
    pub client: TokenClient,
}
