//! Discord.

use k8s_openapi::api::core::v1::SecretKeySelector;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::alertmanager_config::receiver::HttpConfig;
use crate::scrape_config::discovery::Url;

/// How to send notifications to Discord.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["apiURL"]))]
pub struct DiscordConfig {
    /// Whether to also notify when alerts are resolved.
    pub send_resolved: Option<bool>,
    /// Key of a Secret that holds the URL of the Discord webhook.
    #[serde(rename = "apiURL")]
    pub api_url: SecretKeySelector,
    /// Title of the message.
    pub title: Option<String>,
    /// Text of the message.
    pub message: Option<String>,
    /// Plain text shown above the embedded message.
    #[schemars(length(min = 1))]
    pub content: Option<String>,
    /// Name shown as the sender of the message.
    #[schemars(length(min = 1))]
    pub username: Option<String>,
    /// URL of the image used as the avatar of the sender.
    #[serde(rename = "avatarURL")]
    pub avatar_url: Option<Url>,
    /// HTTP client settings for sending notifications.
    pub http_config: Option<HttpConfig>,
}
