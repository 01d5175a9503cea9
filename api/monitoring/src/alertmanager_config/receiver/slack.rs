//! Slack.

use k8s_openapi::api::core::v1::SecretKeySelector;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::alertmanager_config::receiver::HttpConfig;
use crate::text::Duration;

/// How to send notifications to Slack.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct SlackConfig {
    /// Whether to also notify when alerts are resolved.
    pub send_resolved: Option<bool>,
    /// Key of a Secret that holds the URL of the Slack webhook.
    #[serde(rename = "apiURL")]
    pub api_url: Option<SecretKeySelector>,
    /// Channel or user to send the notification to.
    #[schemars(length(min = 1))]
    pub channel: Option<String>,
    /// Name shown as the sender of the message.
    #[schemars(length(min = 1))]
    pub username: Option<String>,
    /// Color of the bar beside the message.
    #[schemars(length(min = 1))]
    pub color: Option<String>,
    /// Title of the message.
    #[schemars(length(min = 1))]
    pub title: Option<String>,
    /// URL that a click on the title opens.
    pub title_link: String,
    /// Text shown above the attachment.
    #[schemars(length(min = 1))]
    pub pretext: Option<String>,
    /// Main text of the message.
    #[schemars(length(min = 1))]
    pub text: Option<String>,
    /// Title and value pairs shown below the text of the message.
    #[schemars(length(min = 1), extend("x-kubernetes-list-type" = "atomic"))]
    pub fields: Vec<SlackField>,
    /// Whether fields are short unless they say otherwise in `short`.
    pub short_fields: Option<bool>,
    /// Short text below the attachment.
    #[schemars(length(min = 1))]
    pub footer: Option<String>,
    /// Plain text for clients that cannot show the attachment.
    #[schemars(length(min = 1))]
    pub fallback: Option<String>,
    /// Identifier that Slack returns when a button is used.
    #[schemars(length(min = 1))]
    pub callback_id: Option<String>,
    /// Emoji used as the icon of the sender, such as `:fire:`.
    #[schemars(length(min = 1))]
    pub icon_emoji: Option<String>,
    /// URL of the image used as the icon of the sender.
    #[serde(rename = "iconURL")]
    pub icon_url: String,
    /// URL of an image shown in the message.
    #[serde(rename = "imageURL")]
    pub image_url: String,
    /// URL of a small image shown beside the message.
    #[serde(rename = "thumbURL")]
    pub thumb_url: String,
    /// Whether channel and user names in the text become links.
    pub link_names: Option<bool>,
    /// Parts of the attachment where Slack renders its markdown, such as `text`.
    #[schemars(length(min = 1), inner(length(min = 1)), extend("x-kubernetes-list-type" = "atomic"))]
    pub mrkdwn_in: Vec<String>,
    /// Buttons shown with the message.
    #[schemars(length(min = 1), extend("x-kubernetes-list-type" = "atomic"))]
    pub actions: Vec<SlackAction>,
    /// HTTP client settings for sending notifications.
    pub http_config: Option<HttpConfig>,
    /// How long one attempt to send a notification may take.
    pub timeout: Option<Duration>,
    /// Text of the message itself, outside of the attachment.
    #[schemars(length(min = 1))]
    pub message_text: Option<String>,
    /// Whether to change the message already posted instead of posting a new one.
    pub update_message: Option<bool>,
}

/// Button or other control shown with a Slack message.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["type", "text"]))]
pub struct SlackAction {
    /// Kind of control, such as `button`.
    #[serde(rename = "type")]
    #[schemars(length(min = 1))]
    pub type_: String,
    /// Text shown on the control.
    #[schemars(length(min = 1))]
    pub text: String,
    /// URL that a click on the button opens.
    pub url: String,
    /// Look of the button: `default`, `primary` or `danger`.
    #[schemars(length(min = 1))]
    pub style: Option<String>,
    /// Name of the action that Slack returns when it is used.
    #[schemars(length(min = 1))]
    pub name: Option<String>,
    /// Value that Slack returns when the action is used.
    #[schemars(length(min = 1))]
    pub value: Option<String>,
    /// Question that the user must confirm before the action runs.
    pub confirm: Option<SlackConfirmationField>,
}

/// Confirmation dialog shown before a Slack action runs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["text"]))]
pub struct SlackConfirmationField {
    /// Question that the dialog asks.
    #[schemars(length(min = 1))]
    pub text: String,
    /// Title of the dialog.
    #[schemars(length(min = 1))]
    pub title: Option<String>,
    /// Text of the button that confirms.
    #[schemars(length(min = 1))]
    pub ok_text: Option<String>,
    /// Text of the button that cancels.
    #[schemars(length(min = 1))]
    pub dismiss_text: Option<String>,
}

/// Title and value pair shown in a Slack message.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["title", "value"]))]
pub struct SlackField {
    /// Title of the field.
    #[schemars(length(min = 1))]
    pub title: String,
    /// Value of the field.
    #[schemars(length(min = 1))]
    pub value: String,
    /// Whether the field is narrow enough to be shown beside another one.
    pub short: Option<bool>,
}
