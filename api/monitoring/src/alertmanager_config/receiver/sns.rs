//! Amazon SNS.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::alertmanager_config::receiver::HttpConfig;
use crate::auth::Sigv4;

/// How to send notifications to Amazon SNS.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct SnsConfig {
    /// Whether to also notify when alerts are resolved.
    pub send_resolved: Option<bool>,
    /// URL of the SNS API, if not the usual one of the region.
    #[serde(rename = "apiURL")]
    pub api_url: Option<String>,
    /// AWS credentials and region used to sign requests.
    pub sigv4: Option<Sigv4>,
    /// ARN of the SNS topic to publish to.
    #[serde(rename = "topicARN")]
    #[schemars(length(min = 1))]
    pub topic_arn: Option<String>,
    /// Subject line used when the message goes out by email.
    #[schemars(length(min = 1))]
    pub subject: Option<String>,
    /// Phone number that gets the message by SMS, in E.164 form.
    #[schemars(length(min = 1))]
    pub phone_number: Option<String>,
    /// ARN of the mobile platform endpoint that gets the message.
    #[serde(rename = "targetARN")]
    #[schemars(length(min = 1))]
    pub target_arn: Option<String>,
    /// Text of the message.
    #[schemars(length(min = 1))]
    pub message: Option<String>,
    /// SNS message attributes.
    pub attributes: BTreeMap<String, String>,
    /// HTTP client settings for sending notifications.
    pub http_config: Option<HttpConfig>,
    /// Whether to send with the HTTP client of the AWS SDK.
    #[serde(rename = "useAWSHTTPClient")]
    pub use_awshttp_client: Option<bool>,
}
