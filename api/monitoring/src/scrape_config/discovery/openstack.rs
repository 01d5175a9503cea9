//! OpenStack.

use k8s_openapi::api::core::v1::SecretKeySelector;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scrape_config::discovery::Url;
use crate::text::{Duration, text};
use crate::tls::SafeTlsConfig;

text! {
    /// Kind of OpenStack object that becomes a target.
    #[schemars(extend("enum" = ["Instance", "Hypervisor", "LoadBalancer"]))]
    OpenStackRole
}

/// Discovery of targets in OpenStack.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["role", "region"]))]
pub struct OpenStackSdConfig {
    /// Kind of object that becomes a target.
    pub role: OpenStackRole,
    /// OpenStack region to look in.
    #[schemars(length(min = 1))]
    pub region: String,
    /// URL of the OpenStack identity API (Keystone).
    pub identity_endpoint: Option<Url>,
    /// Name of the user to log in with.
    #[schemars(length(min = 1))]
    pub username: Option<String>,
    /// ID of the user to log in with.
    #[schemars(length(min = 1))]
    pub userid: Option<String>,
    /// Secret key that holds the password of the user.
    pub password: Option<SecretKeySelector>,
    /// Name of the domain that the user belongs to.
    #[schemars(length(min = 1))]
    pub domain_name: Option<String>,
    /// ID of the domain that the user belongs to.
    #[serde(rename = "domainID")]
    #[schemars(length(min = 1))]
    pub domain_id: Option<String>,
    /// Name of the project to look in.
    #[schemars(length(min = 1))]
    pub project_name: Option<String>,
    /// ID of the project to look in.
    #[serde(rename = "projectID")]
    #[schemars(length(min = 1))]
    pub project_id: Option<String>,
    /// Name of the application credential to log in with.
    #[schemars(length(min = 1))]
    pub application_credential_name: Option<String>,
    /// ID of the application credential to log in with.
    #[schemars(length(min = 1))]
    pub application_credential_id: Option<String>,
    /// Secret key that holds the secret of the application credential.
    pub application_credential_secret: Option<SecretKeySelector>,
    /// List the instances of all projects; normally needs admin permissions.
    pub all_tenants: Option<bool>,
    /// Time between two refreshes of the target list.
    pub refresh_interval: Option<Duration>,
    /// Port to scrape the found targets on.
    #[schemars(range(min = 0, max = 65535))]
    pub port: Option<i32>,
    /// Which endpoint of the OpenStack service to use: public, admin or internal.
    #[schemars(extend("enum" = ["Public", "public", "Admin", "admin", "Internal", "internal"]))]
    pub availability: Option<String>,
    /// TLS settings for the connection.
    pub tls_config: Option<SafeTlsConfig>,
}
