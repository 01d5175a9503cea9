//! Microsoft Teams, with connectors and with workflows.

use serde::{Deserialize, Serialize};

use crate::alertmanager::fit::{ConfigError, Fit, Fitting, refuse};
use crate::alertmanager::http::HttpClient;
use crate::alertmanager::receiver::check_url;
use crate::alertmanager::since::ReceiverKind;
use crate::yaml::serde::always;

/// Messages through a connector.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of Alertmanager's documentation, by the same names")]
pub struct MsTeams {
    pub send_resolved: Option<bool>,
    #[serde(serialize_with = "always")]
    pub webhook_url: String,
    pub title: String,
    pub summary: String,
    pub text: String,
    pub http_config: Option<HttpClient>,
}

/// Messages through a workflow.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of Alertmanager's documentation, by the same names")]
pub struct MsTeamsV2 {
    pub send_resolved: Option<bool>,
    pub webhook_url: String,
    pub webhook_url_file: String,
    pub title: String,
    pub text: String,
    pub http_config: Option<HttpClient>,
}

impl Fit for MsTeams {
    fn fit(&mut self, fitting: &Fitting<'_>) -> Result<(), ConfigError> {
        ReceiverKind::MsTeams.check(fitting)?;
        refuse(self.webhook_url.is_empty(), "mandatory field \"webhook_url\" is empty")?;
        check_url("invalid 'webhook_url'", &self.webhook_url)?;
        self.leave_out_new(fitting);
        self.http_config.fit(fitting)
    }
}

impl Fit for MsTeamsV2 {
    fn fit(&mut self, fitting: &Fitting<'_>) -> Result<(), ConfigError> {
        ReceiverKind::MsTeamsV2.check(fitting)?;
        let (has_url, has_file) = (!self.webhook_url.is_empty(), !self.webhook_url_file.is_empty());
        refuse(!has_url && !has_file, "no webhook_url or webhook_url_file provided")?;
        refuse(has_url && has_file, "both webhook_url and webhook_url_file cannot be set at the same time")?;
        check_url("invalid 'webhook_url'", &self.webhook_url)?;
        self.http_config.fit(fitting)
    }
}
