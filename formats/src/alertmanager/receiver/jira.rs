//! Jira.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::alertmanager::duration::Duration;
use crate::alertmanager::fit::{ConfigError, Fit, Fitting, refuse};
use crate::alertmanager::http::HttpClient;
use crate::alertmanager::receiver::check_url;
use crate::alertmanager::since::ReceiverKind;
use crate::yaml::Value;

/// Issues in Jira.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of Alertmanager's documentation, by the same names")]
pub struct Jira {
    pub http_config: Option<HttpClient>,
    pub send_resolved: Option<bool>,
    pub api_url: String,
    pub project: String,
    pub summary: String,
    pub description: String,
    pub labels: Vec<String>,
    pub priority: String,
    pub issue_type: String,
    pub reopen_transition: String,
    pub resolve_transition: String,
    pub wont_fix_resolution: String,
    #[serde(skip_serializing_if = "Duration::is_zero")]
    pub reopen_duration: Duration,
    pub fields: BTreeMap<String, Value>,
    pub api_type: String,
}

impl Fit for Jira {
    fn fit(&mut self, fitting: &Fitting<'_>) -> Result<(), ConfigError> {
        ReceiverKind::Jira.check(fitting)?;
        refuse(self.project.is_empty(), "missing project in jira_config")?;
        refuse(self.issue_type.is_empty(), "missing issue_type in jira_config")?;
        self.leave_out_new(fitting);
        refuse(
            !["", "auto", "cloud", "datacenter"].contains(&self.api_type.as_str()),
            "invalid 'api_type': a value must be 'auto', 'cloud' or 'datacenter'",
        )?;
        check_url("invalid 'api_url'", &self.api_url)?;
        self.http_config.fit(fitting)
    }
}
