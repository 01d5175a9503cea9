//! incident.io.

use serde::{Deserialize, Serialize};

use crate::alertmanager::duration::Duration;
use crate::alertmanager::fit::{ConfigError, Fit, Fitting, refuse};
use crate::alertmanager::http::HttpClient;
use crate::alertmanager::receiver::check_url;
use crate::alertmanager::secret::Secret;
use crate::alertmanager::since::ReceiverKind;

/// Alerts for incident.io.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of Alertmanager's documentation, by the same names")]
pub struct IncidentIo {
    pub send_resolved: Option<bool>,
    pub http_config: Option<HttpClient>,
    pub url: String,
    pub url_file: String,
    pub alert_source_token: Secret,
    pub alert_source_token_file: String,
    pub max_alerts: Option<i32>,
    pub timeout: Option<Duration>,
}

impl Fit for IncidentIo {
    fn fit(&mut self, fitting: &Fitting<'_>) -> Result<(), ConfigError> {
        ReceiverKind::IncidentIo.check(fitting)?;
        let (has_url, has_file) = (!self.url.is_empty(), !self.url_file.is_empty());
        refuse(!has_url && !has_file, "one of url or url_file must be configured")?;
        refuse(has_url && has_file, "at most one of url & url_file must be configured")?;
        check_url("invalid url", &self.url)?;
        let (has_token, has_token_file) =
            (!self.alert_source_token.is_empty(), !self.alert_source_token_file.is_empty());
        let has_authorization = self.http_config.as_ref().is_some_and(|http| http.authorization.is_some());
        refuse(
            has_token && has_token_file,
            "at most one of alert_source_token & alert_source_token_file must be configured",
        )?;
        refuse(
            has_authorization && (has_token || has_token_file),
            "cannot specify alert_source_token or alert_source_token_file when using http_config.authorization",
        )?;
        refuse(
            !has_authorization && !has_token && !has_token_file,
            "at least one of alert_source_token, alert_source_token_file or http_config.authorization must be configured",
        )?;
        self.http_config.fit(fitting)
    }
}
