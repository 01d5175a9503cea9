//! Azure.

use k8s_openapi::api::core::v1::SecretKeySelector;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scrape_config::discovery::client::DiscoveryClient;
use crate::text::{Duration, text};

text! {
    /// How to log in to Azure.
    #[schemars(extend("enum" = ["OAuth", "ManagedIdentity", "SDK", "WorkloadIdentity"]))]
    AuthenticationMethodType
}

/// Discovery of targets among Azure virtual machines.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["subscriptionID"]))]
pub struct AzureSdConfig {
    /// Name of the Azure cloud, such as `AzurePublicCloud`.
    #[schemars(length(min = 1))]
    pub environment: Option<String>,
    /// How to log in to Azure; `OAuth` if empty.
    pub authentication_method: Option<AuthenticationMethodType>,
    /// ID of the Azure subscription to look in.
    #[serde(rename = "subscriptionID")]
    #[schemars(length(min = 1))]
    pub subscription_id: String,
    /// ID of the Azure tenant; needed for `OAuth`.
    #[serde(rename = "tenantID")]
    #[schemars(length(min = 1))]
    pub tenant_id: Option<String>,
    /// ID of the Azure client; needed for `OAuth`.
    #[serde(rename = "clientID")]
    #[schemars(length(min = 1))]
    pub client_id: Option<String>,
    /// Secret key that holds the Azure client secret; needed for `OAuth`.
    pub client_secret: Option<SecretKeySelector>,
    /// Azure resource group to look in; empty means all.
    #[schemars(length(min = 1))]
    pub resource_group: Option<String>,
    /// Time between two refreshes of the target list.
    pub refresh_interval: Option<Duration>,
    /// Port to scrape the found targets on.
    #[schemars(range(min = 0, max = 65535))]
    pub port: Option<i32>,
    /// HTTP client options.
    #[serde(flatten)]
    pub client: DiscoveryClient,
}
