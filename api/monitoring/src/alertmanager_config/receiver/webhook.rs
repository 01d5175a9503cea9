//! Webhooks.

use k8s_openapi::api::core::v1::SecretKeySelector;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::alertmanager_config::receiver::HttpConfig;
use crate::text::Duration;

/// How to send notifications to a generic HTTP webhook.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct WebhookConfig {
    /// Whether to also notify when alerts are resolved.
    pub send_resolved: Option<bool>,
    /// URL that notifications are posted to; `urlSecret` takes precedence over it.
    pub url: Option<String>,
    /// Key of a Secret that holds the URL that notifications are posted to; takes precedence over `url`.
    pub url_secret: Option<SecretKeySelector>,
    /// HTTP client settings for sending notifications.
    pub http_config: Option<HttpConfig>,
    /// How many alerts one notification may contain; 0 means all of them.
    #[schemars(range(min = 0))]
    pub max_alerts: i32,
    /// How long one attempt to send a notification may take.
    pub timeout: Option<Duration>,
    /// Template of the body to send instead of the standard one.
    #[schemars(length(min = 1))]
    pub payload: Option<String>,
}
