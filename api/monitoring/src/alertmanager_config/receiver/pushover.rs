//! Pushover.

use k8s_openapi::api::core::v1::SecretKeySelector;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::alertmanager_config::receiver::HttpConfig;
use crate::text::Duration;

/// How to send notifications to Pushover.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PushoverConfig {
    /// Whether to also notify when alerts are resolved.
    pub send_resolved: Option<bool>,
    /// Key of a Secret that holds the key of the user to notify.
    pub user_key: Option<SecretKeySelector>,
    /// Path of a file that holds the key of the user to notify.
    #[schemars(length(min = 1))]
    pub user_key_file: Option<String>,
    /// Key of a Secret that holds the API token of the Pushover application.
    pub token: Option<SecretKeySelector>,
    /// Path of a file that holds the API token of the Pushover application.
    #[schemars(length(min = 1))]
    pub token_file: Option<String>,
    /// Title of the message.
    #[schemars(length(min = 1))]
    pub title: Option<String>,
    /// Text of the message.
    #[schemars(length(min = 1))]
    pub message: Option<String>,
    /// URL shown with the message.
    pub url: String,
    /// Text shown in place of `url`.
    #[schemars(length(min = 1))]
    pub url_title: Option<String>,
    /// How long the message is kept before Pushover deletes it.
    pub ttl: Option<Duration>,
    /// Device to notify; empty means all devices of the user.
    #[schemars(length(min = 1))]
    pub device: Option<String>,
    /// Sound that the device plays.
    #[schemars(length(min = 1))]
    pub sound: Option<String>,
    /// Priority of the message, from `-2` (lowest) to `2` (emergency).
    #[schemars(length(min = 1))]
    pub priority: Option<String>,
    /// Time between repeats of an emergency message until it is acknowledged.
    #[schemars(extend("pattern" = "^(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?$"))]
    pub retry: Option<String>,
    /// How long an emergency message is repeated if it is not acknowledged.
    #[schemars(extend("pattern" = "^(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?$"))]
    pub expire: Option<String>,
    /// Whether the message is HTML; not together with `monospace`.
    pub html: Option<bool>,
    /// Whether the message is shown in a fixed-width font; not together with `html`.
    pub monospace: Option<bool>,
    /// HTTP client settings for sending notifications.
    pub http_config: Option<HttpConfig>,
}
