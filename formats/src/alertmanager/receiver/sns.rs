//! Amazon SNS.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::alertmanager::fit::{ConfigError, Fit, Fitting, refuse};
use crate::alertmanager::http::HttpClient;
use crate::alertmanager::receiver::check_template_url;
use crate::alertmanager::secret::Secret;

/// Messages through Amazon SNS.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of Alertmanager's documentation, by the same names")]
pub struct Sns {
    pub send_resolved: Option<bool>,
    pub http_config: Option<HttpClient>,
    pub api_url: String,
    pub sigv4: Sigv4,
    pub topic_arn: String,
    pub phone_number: String,
    pub target_arn: String,
    pub subject: String,
    pub message: String,
    pub attributes: BTreeMap<String, String>,
    pub use_aws_http_client: bool,
}

/// How requests are signed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of Alertmanager's documentation, by the same names")]
pub struct Sigv4 {
    pub region: String,
    pub access_key: Secret,
    pub secret_key: Secret,
    pub profile: String,
    pub role_arn: String,
    pub external_id: String,
}

impl Fit for Sns {
    fn fit(&mut self, fitting: &Fitting<'_>) -> Result<(), ConfigError> {
        check_template_url("invalid 'api_url'", &self.api_url)?;
        refuse(
            !self.sigv4.external_id.is_empty() && self.sigv4.role_arn.is_empty(),
            "'external_id' in sigv4 config requires 'role_arn' to be set",
        )?;
        self.sigv4.leave_out_new(fitting);
        self.leave_out_new(fitting);
        self.http_config.fit(fitting)
    }
}
