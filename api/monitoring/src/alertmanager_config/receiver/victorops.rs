//! VictorOps.

use k8s_openapi::api::core::v1::SecretKeySelector;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::alertmanager_config::receiver::{HttpConfig, KeyValue};
use crate::scrape_config::discovery::Url;

/// How to send notifications to VictorOps.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["routingKey"]))]
pub struct VictorOpsConfig {
    /// Whether to also notify when alerts are resolved.
    pub send_resolved: Option<bool>,
    /// Key of a Secret that holds the API key.
    pub api_key: Option<SecretKeySelector>,
    /// Base URL of the API that notifications go to.
    pub api_url: Option<Url>,
    /// Routing key that decides which team gets the alert.
    #[schemars(length(min = 1))]
    pub routing_key: String,
    /// Behavior of the alert: `CRITICAL`, `WARNING` or `INFO`.
    #[schemars(length(min = 1))]
    pub message_type: Option<String>,
    /// Short summary of the problem.
    #[schemars(length(min = 1))]
    pub entity_display_name: Option<String>,
    /// Long explanation of the problem.
    #[schemars(length(min = 1))]
    pub state_message: Option<String>,
    /// Name of the monitoring tool that the message comes from.
    #[schemars(length(min = 1))]
    pub monitoring_tool: Option<String>,
    /// Extra key and value pairs added to the message.
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub custom_fields: Vec<KeyValue>,
    /// HTTP client settings for sending notifications.
    pub http_config: Option<HttpConfig>,
}
