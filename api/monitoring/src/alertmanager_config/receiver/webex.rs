//! Webex.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::alertmanager_config::receiver::HttpConfig;
use crate::scrape_config::discovery::Url;

/// How to send notifications to Webex.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["roomID"]))]
pub struct WebexConfig {
    /// Whether to also notify when alerts are resolved.
    pub send_resolved: Option<bool>,
    /// Base URL of the API that notifications go to.
    #[serde(rename = "apiURL")]
    pub api_url: Option<Url>,
    /// HTTP client settings for sending notifications.
    pub http_config: Option<HttpConfig>,
    /// Text of the message.
    pub message: Option<String>,
    /// Identifier of the Webex room to send the message to.
    #[serde(rename = "roomID")]
    #[schemars(length(min = 1))]
    pub room_id: String,
}
