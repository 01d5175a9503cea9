//! Pushover.

use serde::{Deserialize, Serialize};

use crate::alertmanager::duration::Duration;
use crate::alertmanager::fit::{ConfigError, Fit, Fitting, refuse};
use crate::alertmanager::http::HttpClient;
use crate::alertmanager::receiver::check_template_url;
use crate::alertmanager::secret::Secret;
use crate::alertmanager::since::MONOSPACE;

/// Messages through Pushover.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of Alertmanager's documentation, by the same names")]
pub struct Pushover {
    pub send_resolved: Option<bool>,
    pub http_config: Option<HttpClient>,
    pub user_key: Secret,
    pub user_key_file: String,
    pub token: Secret,
    pub token_file: String,
    pub title: String,
    pub message: String,
    pub url: String,
    pub url_title: String,
    pub ttl: String,
    pub device: String,
    pub sound: String,
    pub priority: String,
    pub retry: Option<Duration>,
    pub expire: Option<Duration>,
    pub html: Option<bool>,
    pub monospace: Option<bool>,
}

impl Fit for Pushover {
    fn fit(&mut self, fitting: &Fitting<'_>) -> Result<(), ConfigError> {
        self.leave_out_new(fitting);
        let (has_user_key, has_token) = (!self.user_key.is_empty(), !self.token.is_empty());
        refuse(
            !has_user_key && self.user_key_file.is_empty(),
            "missing mandatory field user_key or user_key_file",
        )?;
        fitting.prefer("user_key", has_user_key, "user_key_file", &mut self.user_key_file);
        refuse(!has_token && self.token_file.is_empty(), "missing mandatory field token or token_file")?;
        fitting.prefer("token", has_token, "token_file", &mut self.token_file);
        // It is set to false instead of left out, as in the Prometheus Operator.
        if self.monospace == Some(true) && !fitting.has(MONOSPACE) {
            self.monospace = Some(false);
        }
        refuse(
            self.html == Some(true) && self.monospace == Some(true),
            "either monospace or html must be configured",
        )?;
        check_template_url("invalid 'url'", &self.url)?;
        self.http_config.fit(fitting)
    }
}
