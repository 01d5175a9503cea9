//! Discord.

use serde::{Deserialize, Serialize};

use crate::alertmanager::fit::{ConfigError, Fit, Fitting};
use crate::alertmanager::http::HttpClient;
use crate::alertmanager::since::ReceiverKind;

/// Messages to Discord.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of Alertmanager's documentation, by the same names")]
pub struct Discord {
    pub send_resolved: Option<bool>,
    pub http_config: Option<HttpClient>,
    pub webhook_url: String,
    pub title: String,
    pub message: String,
    pub content: String,
    pub username: String,
    pub avatar_url: String,
}

impl Fit for Discord {
    fn fit(&mut self, fitting: &Fitting<'_>) -> Result<(), ConfigError> {
        ReceiverKind::Discord.check(fitting)?;
        self.leave_out_new(fitting);
        self.http_config.fit(fitting)
    }
}
