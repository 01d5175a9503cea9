//! WeChat.

use serde::{Deserialize, Serialize};

use crate::alertmanager::fit::{ConfigError, Fit, Fitting};
use crate::alertmanager::http::HttpClient;
use crate::alertmanager::receiver::check_url;
use crate::alertmanager::secret::Secret;

/// Messages to WeChat.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of Alertmanager's documentation, by the same names")]
pub struct WeChat {
    pub send_resolved: Option<bool>,
    pub api_secret: Secret,
    pub api_url: String,
    pub corp_id: String,
    pub agent_id: String,
    pub to_user: String,
    pub to_party: String,
    pub to_tag: String,
    pub message: String,
    pub message_type: String,
    pub http_config: Option<HttpClient>,
    pub api_secret_file: String,
}

impl Fit for WeChat {
    fn fit(&mut self, fitting: &Fitting<'_>) -> Result<(), ConfigError> {
        check_url("invalid 'api_url'", &self.api_url)?;
        self.leave_out_new(fitting);
        let has_secret = !self.api_secret.is_empty();
        fitting.prefer("api_secret", has_secret, "api_secret_file", &mut self.api_secret_file);
        self.http_config.fit(fitting)
    }
}
