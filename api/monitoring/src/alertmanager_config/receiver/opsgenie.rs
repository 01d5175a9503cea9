//! OpsGenie.

use k8s_openapi::api::core::v1::SecretKeySelector;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::alertmanager_config::receiver::{HttpConfig, KeyValue};
use crate::scrape_config::discovery::Url;

/// How to send notifications to OpsGenie.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct OpsGenieConfig {
    /// Whether to also notify when alerts are resolved.
    pub send_resolved: Option<bool>,
    /// Key of a Secret that holds the API key.
    pub api_key: Option<SecretKeySelector>,
    /// Base URL of the API that notifications go to.
    #[serde(rename = "apiURL")]
    pub api_url: Option<Url>,
    /// Title of the alert in OpsGenie.
    #[schemars(length(min = 1))]
    pub message: Option<String>,
    /// Description of the alert.
    #[schemars(length(min = 1))]
    pub description: Option<String>,
    /// Where the alert comes from.
    #[schemars(length(min = 1))]
    pub source: Option<String>,
    /// Tags of the alert, separated by commas.
    #[schemars(length(min = 1))]
    pub tags: Option<String>,
    /// Extra note added to the alert.
    #[schemars(length(min = 1))]
    pub note: Option<String>,
    /// Priority of the alert, from `P1` (highest) to `P5`.
    #[schemars(length(min = 1))]
    pub priority: Option<String>,
    /// Whether to update the message and description of an alert that exists already.
    pub update_alerts: Option<bool>,
    /// Extra key and value pairs shown with the alert.
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub details: Vec<KeyValue>,
    /// Who is responsible for the alert.
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub responders: Vec<OpsGenieConfigResponder>,
    /// HTTP client settings for sending notifications.
    pub http_config: Option<HttpConfig>,
    /// What the alert is about, such as a server or an application.
    #[schemars(length(min = 1))]
    pub entity: Option<String>,
    /// Actions offered for the alert, separated by commas.
    #[schemars(length(min = 1))]
    pub actions: Option<String>,
}

/// Who handles an OpsGenie alert; set `id`, `name` or `username`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["type"]))]
pub struct OpsGenieConfigResponder {
    /// Identifier of the responder.
    #[schemars(length(min = 1))]
    pub id: Option<String>,
    /// Name of the responder.
    #[schemars(length(min = 1))]
    pub name: Option<String>,
    /// User name of the responder.
    #[schemars(length(min = 1))]
    pub username: Option<String>,
    /// Kind of responder.
    #[serde(rename = "type")]
    #[schemars(length(min = 1), extend("enum" = ["team", "teams", "user", "escalation", "schedule"]))]
    pub type_: String,
}
