//! Amazon EC2.

use k8s_openapi::api::core::v1::SecretKeySelector;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scrape_config::discovery::Filter;
use crate::scrape_config::discovery::client::Connection;
use crate::text::Duration;

/// Discovery of targets among AWS EC2 instances.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Ec2SdConfig {
    /// AWS region to look in.
    #[schemars(length(min = 1))]
    pub region: Option<String>,
    /// Secret key that holds the AWS access key ID.
    pub access_key: Option<SecretKeySelector>,
    /// Secret key that holds the AWS secret access key.
    pub secret_key: Option<SecretKeySelector>,
    /// ARN of the AWS role to assume.
    #[serde(rename = "roleARN")]
    #[schemars(length(min = 1))]
    pub role_arn: Option<String>,
    /// Port to scrape the found targets on.
    #[schemars(range(min = 0, max = 65535))]
    pub port: Option<i32>,
    /// Time between two refreshes of the target list.
    pub refresh_interval: Option<Duration>,
    /// Conditions that limit the found instances, as the EC2 API defines them.
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["name"]))]
    pub filters: Vec<Filter>,
    /// HTTP client options.
    #[serde(flatten)]
    pub connection: Connection,
}
