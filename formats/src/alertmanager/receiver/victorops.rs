//! VictorOps.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::alertmanager::fit::{ConfigError, Fit, Fitting};
use crate::alertmanager::http::HttpClient;
use crate::alertmanager::receiver::check_url;
use crate::alertmanager::secret::Secret;

/// Incidents in VictorOps.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of Alertmanager's documentation, by the same names")]
pub struct VictorOps {
    pub send_resolved: Option<bool>,
    pub http_config: Option<HttpClient>,
    pub api_key: Secret,
    pub api_key_file: String,
    pub api_url: String,
    pub routing_key: String,
    pub message_type: String,
    pub state_message: String,
    pub entity_display_name: String,
    pub monitoring_tool: String,
    pub custom_fields: BTreeMap<String, String>,
}

/// Names that custom fields cannot have.
pub const RESERVED: [&str; 7] = [
    "routing_key",
    "message_type",
    "state_message",
    "entity_display_name",
    "monitoring_tool",
    "entity_id",
    "entity_state",
];

impl Fit for VictorOps {
    fn fit(&mut self, fitting: &Fitting<'_>) -> Result<(), ConfigError> {
        self.http_config.fit(fitting)?;
        self.leave_out_new(fitting);
        fitting.prefer("api_key", !self.api_key.is_empty(), "api_key_file", &mut self.api_key_file);
        check_url("invalid 'api_url'", &self.api_url)
    }
}
