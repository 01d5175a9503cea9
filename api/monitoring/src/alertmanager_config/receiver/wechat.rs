//! WeChat.

use k8s_openapi::api::core::v1::SecretKeySelector;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::alertmanager_config::receiver::HttpConfig;
use crate::scrape_config::discovery::Url;

/// How to send notifications to WeChat.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct WeChatConfig {
    /// Whether to also notify when alerts are resolved.
    pub send_resolved: Option<bool>,
    /// Key of a Secret that holds the secret of the WeChat API.
    pub api_secret: Option<SecretKeySelector>,
    /// Base URL of the API that notifications go to.
    #[serde(rename = "apiURL")]
    pub api_url: Option<Url>,
    /// Identifier of the company, used to log in.
    #[serde(rename = "corpID")]
    #[schemars(length(min = 1))]
    pub corp_id: Option<String>,
    /// Identifier of the WeChat application that sends the message.
    #[serde(rename = "agentID")]
    #[schemars(length(min = 1))]
    pub agent_id: Option<String>,
    /// Users that get the message.
    #[schemars(length(min = 1))]
    pub to_user: Option<String>,
    /// Departments that get the message.
    #[schemars(length(min = 1))]
    pub to_party: Option<String>,
    /// Tags whose members get the message.
    #[schemars(length(min = 1))]
    pub to_tag: Option<String>,
    /// Text of the message.
    #[schemars(length(min = 1))]
    pub message: Option<String>,
    /// Format of the message: `text` or `markdown`.
    #[schemars(length(min = 1))]
    pub message_type: Option<String>,
    /// HTTP client settings for sending notifications.
    pub http_config: Option<HttpConfig>,
}
