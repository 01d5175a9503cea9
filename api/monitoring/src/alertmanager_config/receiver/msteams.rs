//! Microsoft Teams, by its old and its new connector.

use k8s_openapi::api::core::v1::SecretKeySelector;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::alertmanager_config::receiver::HttpConfig;

/// How to send notifications to Microsoft Teams through a connector.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["webhookUrl"]))]
pub struct MsTeamsConfig {
    /// Whether to also notify when alerts are resolved.
    pub send_resolved: Option<bool>,
    /// Key of a Secret that holds the URL of the Teams webhook.
    pub webhook_url: SecretKeySelector,
    /// Title of the message.
    pub title: Option<String>,
    /// Short summary of the message, shown in previews.
    pub summary: Option<String>,
    /// Main text of the message.
    pub text: Option<String>,
    /// HTTP client settings for sending notifications.
    pub http_config: Option<HttpConfig>,
}

/// How to send notifications to Microsoft Teams through a workflow.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct MsTeamsV2Config {
    /// Whether to also notify when alerts are resolved.
    pub send_resolved: Option<bool>,
    /// Key of a Secret that holds the URL of the Teams webhook.
    #[serde(rename = "webhookURL")]
    pub webhook_url: Option<SecretKeySelector>,
    /// Title of the message.
    #[schemars(length(min = 1))]
    pub title: Option<String>,
    /// Main text of the message.
    #[schemars(length(min = 1))]
    pub text: Option<String>,
    /// HTTP client settings for sending notifications.
    pub http_config: Option<HttpConfig>,
}
