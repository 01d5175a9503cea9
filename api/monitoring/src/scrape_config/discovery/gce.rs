//! Google Compute Engine.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text::Duration;

/// Discovery of targets among Google Compute Engine instances.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["project", "zone"]))]
pub struct GceSdConfig {
    /// Google Cloud project to look in.
    #[schemars(length(min = 1))]
    pub project: String,
    /// Zone to look in; use several entries for several zones.
    #[schemars(length(min = 1))]
    pub zone: String,
    /// Filter expression for the instances, as the Compute Engine API defines it.
    #[schemars(length(min = 1))]
    pub filter: Option<String>,
    /// Time between two refreshes of the target list.
    pub refresh_interval: Option<Duration>,
    /// Port to scrape the found targets on.
    #[schemars(range(min = 0, max = 65535))]
    pub port: Option<i32>,
    /// Text that joins the tags of a target into one label value.
    #[schemars(length(min = 1))]
    pub tag_separator: Option<String>,
}
