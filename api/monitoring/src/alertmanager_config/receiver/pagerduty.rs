//! PagerDuty.

use k8s_openapi::api::core::v1::SecretKeySelector;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::alertmanager_config::receiver::{HttpConfig, KeyValue};
use crate::scrape_config::discovery::Url;
use crate::text::Duration;

/// How to send notifications to PagerDuty.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PagerDutyConfig {
    /// Whether to also notify when alerts are resolved.
    pub send_resolved: Option<bool>,
    /// Key of a Secret that holds the integration key for Events API v2.
    pub routing_key: Option<SecretKeySelector>,
    /// Key of a Secret that holds the integration key of type Prometheus.
    pub service_key: Option<SecretKeySelector>,
    /// URL that PagerDuty events are sent to.
    pub url: Option<Url>,
    /// Name of the monitoring client shown in the incident.
    #[schemars(length(min = 1))]
    pub client: Option<String>,
    /// URL that the name of the monitoring client links to.
    #[serde(rename = "clientURL")]
    pub client_url: Option<String>,
    /// Description of the incident.
    #[schemars(length(min = 1))]
    pub description: Option<String>,
    /// Severity of the incident, such as `critical` or `warning`.
    #[schemars(length(min = 1))]
    pub severity: Option<String>,
    /// Class or type of the event.
    #[schemars(length(min = 1))]
    pub class: Option<String>,
    /// Logical group of components that the event belongs to.
    #[schemars(length(min = 1))]
    pub group: Option<String>,
    /// Part of the affected system that is broken.
    #[schemars(length(min = 1))]
    pub component: Option<String>,
    /// Extra key and value pairs shown in the incident.
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub details: Vec<KeyValue>,
    /// Images to attach to the incident.
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub pager_duty_image_configs: Vec<PagerDutyImageConfig>,
    /// Links to attach to the incident.
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub pager_duty_link_configs: Vec<PagerDutyLinkConfig>,
    /// HTTP client settings for sending notifications.
    pub http_config: Option<HttpConfig>,
    /// Unique place of the affected system, such as a host name.
    #[schemars(length(min = 1))]
    pub source: Option<String>,
    /// How long one attempt to send a notification may take.
    pub timeout: Option<Duration>,
}

/// Image attached to a PagerDuty incident.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PagerDutyImageConfig {
    /// URL of the image.
    #[schemars(length(min = 1))]
    pub src: Option<String>,
    /// URL that a click on the image opens.
    pub href: Option<String>,
    /// Text shown in place of the image.
    #[schemars(length(min = 1))]
    pub alt: Option<String>,
}

/// Link attached to a PagerDuty incident.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PagerDutyLinkConfig {
    /// URL that the link opens.
    pub href: Option<String>,
    /// Text of the link.
    #[schemars(length(min = 1))]
    pub alt: Option<String>,
}
