//! Nomad.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scrape_config::discovery::Url;
use crate::scrape_config::discovery::client::DiscoveryClient;
use crate::text::Duration;

/// Discovery of targets among Nomad services.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["server"]))]
pub struct NomadSdConfig {
    /// Accept answers that may be out of date; this lowers the load on the servers.
    pub allow_stale: Option<bool>,
    /// Nomad namespace to look in.
    #[schemars(length(min = 1))]
    pub namespace: Option<String>,
    /// Time between two refreshes of the target list.
    pub refresh_interval: Option<Duration>,
    /// Nomad region to look in.
    #[schemars(length(min = 1))]
    pub region: Option<String>,
    /// URL of the Nomad server.
    pub server: Url,
    /// Text that joins the tags of a target into one label value.
    #[schemars(length(min = 1))]
    pub tag_separator: Option<String>,
    /// HTTP client options.
    #[serde(flatten)]
    pub client: DiscoveryClient,
}
