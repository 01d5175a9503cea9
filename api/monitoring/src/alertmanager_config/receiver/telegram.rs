//! Telegram.

use k8s_openapi::api::core::v1::SecretKeySelector;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::alertmanager_config::receiver::HttpConfig;
use crate::scrape_config::discovery::Url;

/// How to send notifications to Telegram.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["chatID"]))]
pub struct TelegramConfig {
    /// Whether to also notify when alerts are resolved.
    pub send_resolved: Option<bool>,
    /// Base URL of the API that notifications go to.
    #[serde(rename = "apiURL")]
    pub api_url: Option<Url>,
    /// Key of a Secret that holds the token of the Telegram bot.
    pub bot_token: Option<SecretKeySelector>,
    /// Path of a file that holds the token of the Telegram bot.
    pub bot_token_file: Option<String>,
    /// Identifier of the chat to send the message to.
    #[serde(rename = "chatID")]
    pub chat_id: i64,
    /// Identifier of the topic in the chat to send the message to.
    #[serde(rename = "messageThreadID")]
    pub message_thread_id: Option<i64>,
    /// Text of the message.
    pub message: String,
    /// Whether the message arrives without a sound.
    pub disable_notifications: Option<bool>,
    /// How Telegram reads formatting in the message.
    #[schemars(extend("enum" = ["MarkdownV2", "Markdown", "HTML"]))]
    pub parse_mode: String,
    /// HTTP client settings for sending notifications.
    pub http_config: Option<HttpConfig>,
}
