//! OVHcloud.

use k8s_openapi::api::core::v1::SecretKeySelector;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text::{Duration, text};

text! {
    /// Kind of OVHcloud server that becomes a target.
    #[schemars(extend("enum" = ["VPS", "DedicatedServer"]))]
    OvhService
}

/// Discovery of targets among OVHcloud servers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["applicationKey", "applicationSecret", "consumerKey", "service"]))]
pub struct OvhCloudSdConfig {
    /// Application key for the OVHcloud API.
    #[schemars(length(min = 1))]
    pub application_key: String,
    /// Secret key that holds the application secret for the OVHcloud API.
    pub application_secret: SecretKeySelector,
    /// Secret key that holds the consumer key for the OVHcloud API.
    pub consumer_key: SecretKeySelector,
    /// Kind of server that becomes a target.
    pub service: OvhService,
    /// OVHcloud API to use, such as `ovh-eu`.
    #[schemars(length(min = 1))]
    pub endpoint: Option<String>,
    /// Time between two refreshes of the target list.
    pub refresh_interval: Option<Duration>,
}
