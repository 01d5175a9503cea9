//! Webex.

use serde::{Deserialize, Serialize};

use crate::alertmanager::fit::{ConfigError, Fit, Fitting, refuse};
use crate::alertmanager::http::HttpClient;
use crate::alertmanager::receiver::check_url;
use crate::alertmanager::since::ReceiverKind;
use crate::yaml::serde::always;

/// Messages to Webex.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of Alertmanager's documentation, by the same names")]
pub struct Webex {
    pub send_resolved: Option<bool>,
    pub http_config: Option<HttpClient>,
    pub api_url: String,
    pub message: String,
    #[serde(serialize_with = "always")]
    pub room_id: String,
}

impl Fit for Webex {
    fn fit(&mut self, fitting: &Fitting<'_>) -> Result<(), ConfigError> {
        ReceiverKind::Webex.check(fitting)?;
        refuse(self.room_id.is_empty(), "mandatory field \"room_id\" is empty")?;
        check_url("invalid 'api_url'", &self.api_url)?;
        self.http_config.fit(fitting)
    }
}
