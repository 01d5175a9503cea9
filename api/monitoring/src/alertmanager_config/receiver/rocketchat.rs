//! Rocket.Chat.

use k8s_openapi::api::core::v1::SecretKeySelector;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::alertmanager_config::receiver::HttpConfig;
use crate::scrape_config::discovery::Url;

/// How to send notifications to Rocket.Chat.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["token", "tokenID"]))]
pub struct RocketChatConfig {
    /// Whether to also notify when alerts are resolved.
    pub send_resolved: Option<bool>,
    /// Base URL of the API that notifications go to.
    #[serde(rename = "apiURL")]
    pub api_url: Option<Url>,
    /// Channel or user to send the notification to.
    #[schemars(length(min = 1))]
    pub channel: Option<String>,
    /// Key of a Secret that holds the access token of the sender.
    pub token: SecretKeySelector,
    /// Key of a Secret that holds the identifier that belongs to `token`.
    #[serde(rename = "tokenID")]
    pub token_id: SecretKeySelector,
    /// Color of the bar beside the message.
    #[schemars(length(min = 1))]
    pub color: Option<String>,
    /// Emoji used as the icon of the sender, such as `:fire:`.
    #[schemars(length(min = 1))]
    pub emoji: Option<String>,
    /// URL of the image used as the icon of the sender.
    #[serde(rename = "iconURL")]
    pub icon_url: Option<String>,
    /// Main text of the message.
    #[schemars(length(min = 1))]
    pub text: Option<String>,
    /// Title of the message.
    #[schemars(length(min = 1))]
    pub title: Option<String>,
    /// URL that a click on the title opens.
    #[schemars(length(min = 1))]
    pub title_link: Option<String>,
    /// Title and value pairs shown below the text of the message.
    #[schemars(length(min = 1), extend("x-kubernetes-list-type" = "atomic"))]
    pub fields: Vec<RocketChatFieldConfig>,
    /// Whether fields are short unless they say otherwise in `short`.
    pub short_fields: Option<bool>,
    /// URL of an image shown in the message.
    #[serde(rename = "imageURL")]
    pub image_url: Option<String>,
    /// URL of a small image shown beside the message.
    #[serde(rename = "thumbURL")]
    pub thumb_url: Option<String>,
    /// Whether channel and user names in the text become links.
    pub link_names: Option<bool>,
    /// Buttons shown with the message.
    #[schemars(length(min = 1), extend("x-kubernetes-list-type" = "atomic"))]
    pub actions: Vec<RocketChatActionConfig>,
    /// HTTP client settings for sending notifications.
    pub http_config: Option<HttpConfig>,
}

/// Title and value pair shown in a Rocket.Chat message.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct RocketChatFieldConfig {
    /// Title of the field.
    #[schemars(length(min = 1))]
    pub title: Option<String>,
    /// Value of the field.
    #[schemars(length(min = 1))]
    pub value: Option<String>,
    /// Whether the field is narrow enough to be shown beside another one.
    pub short: Option<bool>,
}

/// Button shown with a Rocket.Chat message.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct RocketChatActionConfig {
    /// Text shown on the button.
    #[schemars(length(min = 1))]
    pub text: Option<String>,
    /// URL that a click on the button opens.
    pub url: Option<String>,
    /// Message that a click on the button sends.
    #[schemars(length(min = 1))]
    pub msg: Option<String>,
}
