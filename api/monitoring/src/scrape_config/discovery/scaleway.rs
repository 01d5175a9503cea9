//! Scaleway.

use k8s_openapi::api::core::v1::SecretKeySelector;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scrape_config::discovery::Url;
use crate::scrape_config::discovery::client::Connection;
use crate::text::{Duration, text};

text! {
    /// Kind of Scaleway server that becomes a target.
    #[schemars(extend("enum" = ["Instance", "Baremetal"]))]
    ScalewayRole
}

/// Discovery of targets among Scaleway servers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["accessKey", "secretKey", "projectID", "role"]))]
pub struct ScalewaySdConfig {
    /// Access key for the Scaleway API.
    #[schemars(length(min = 1))]
    pub access_key: String,
    /// Secret key that holds the secret key for the Scaleway API.
    pub secret_key: SecretKeySelector,
    /// ID of the Scaleway project to look in.
    #[serde(rename = "projectID")]
    #[schemars(length(min = 1))]
    pub project_id: String,
    /// Kind of server that becomes a target.
    pub role: ScalewayRole,
    /// Port to scrape the found targets on.
    #[schemars(range(min = 0, max = 65535))]
    pub port: Option<i32>,
    /// URL of the Scaleway API.
    #[serde(rename = "apiURL")]
    pub api_url: Option<Url>,
    /// Scaleway zone to look in, such as `fr-par-1`.
    #[schemars(length(min = 1))]
    pub zone: Option<String>,
    /// Name that the found servers must match.
    #[schemars(length(min = 1))]
    pub name_filter: Option<String>,
    /// Tags that a server must have, all of them.
    #[schemars(length(min = 1), inner(length(min = 1)), extend("x-kubernetes-list-type" = "set"))]
    pub tags_filter: Vec<String>,
    /// Time between two refreshes of the target list.
    pub refresh_interval: Option<Duration>,
    /// HTTP client options.
    #[serde(flatten)]
    pub connection: Connection,
}
