//! Webhooks.

use serde::{Deserialize, Serialize};

use crate::alertmanager::duration::Duration;
use crate::alertmanager::fit::{ConfigError, Fit, Fitting};
use crate::alertmanager::http::HttpClient;
use crate::alertmanager::receiver::check_template_url;
use crate::yaml::Value;

/// Requests to any server.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of Alertmanager's documentation, by the same names")]
pub struct Webhook {
    pub send_resolved: Option<bool>,
    pub url: String,
    pub url_file: String,
    pub http_config: Option<HttpClient>,
    pub max_alerts: i32,
    pub timeout: Option<Duration>,
    pub payload: Option<Value>,
}

impl Fit for Webhook {
    fn fit(&mut self, fitting: &Fitting<'_>) -> Result<(), ConfigError> {
        self.http_config.fit(fitting)?;
        self.leave_out_new(fitting);
        fitting.prefer("url", !self.url.is_empty(), "url_file", &mut self.url_file);
        check_template_url("invalid 'url'", &self.url)
    }
}
