//! OpsGenie.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::alertmanager::fit::{ConfigError, Fit, Fitting, refuse};
use crate::alertmanager::http::HttpClient;
use crate::alertmanager::receiver::check_url;
use crate::alertmanager::secret::Secret;
use crate::alertmanager::since::TEAMS_RESPONDER;

/// Alerts in OpsGenie.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of Alertmanager's documentation, by the same names")]
pub struct OpsGenie {
    pub send_resolved: Option<bool>,
    pub http_config: Option<HttpClient>,
    pub api_key: Secret,
    pub api_key_file: String,
    pub api_url: String,
    pub message: String,
    pub description: String,
    pub source: String,
    pub details: BTreeMap<String, String>,
    pub responders: Vec<Responder>,
    pub tags: String,
    pub note: String,
    pub priority: String,
    pub update_alerts: Option<bool>,
    pub entity: String,
    pub actions: String,
}

/// A responder.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of Alertmanager's documentation, by the same names")]
pub struct Responder {
    pub id: String,
    pub name: String,
    pub username: String,
    #[serde(rename = "type")]
    pub type_: String,
}

impl Fit for OpsGenie {
    fn fit(&mut self, fitting: &Fitting<'_>) -> Result<(), ConfigError> {
        self.http_config.fit(fitting)?;
        self.leave_out_new(fitting);
        refuse(
            !fitting.has(TEAMS_RESPONDER)
                && self.responders.iter().any(|responder| responder.type_ == "teams"),
            "'teams' set in 'opsgenieResponder' but supported in Alertmanager >= 0.24.0 only",
        )?;
        check_url("invalid 'api_url'", &self.api_url)?;
        fitting.prefer("api_key", !self.api_key.is_empty(), "api_key_file", &mut self.api_key_file);
        Ok(())
    }
}
