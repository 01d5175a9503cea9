//! Email.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::alertmanager::fit::{ConfigError, Fit, Fitting, refuse};
use crate::alertmanager::host_port::HostPort;
use crate::alertmanager::http::Tls;
use crate::alertmanager::secret::Secret;

/// Emails.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of Alertmanager's documentation, by the same names")]
pub struct Email {
    pub send_resolved: Option<bool>,
    pub to: String,
    pub from: String,
    pub hello: String,
    pub smarthost: HostPort,
    pub auth_username: String,
    pub auth_password: Secret,
    pub auth_password_file: String,
    pub auth_secret: Secret,
    pub auth_secret_file: String,
    pub auth_identity: String,
    pub headers: BTreeMap<String, String>,
    pub html: Option<String>,
    pub text: Option<String>,
    pub require_tls: Option<bool>,
    pub tls_config: Option<Tls>,
    pub force_implicit_tls: Option<bool>,
    pub threading: Option<Threading>,
}

/// Threads of emails.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of Alertmanager's documentation, by the same names")]
pub struct Threading {
    pub enabled: Option<bool>,
    pub thread_by_date: String,
}

impl Fit for Email {
    fn fit(&mut self, fitting: &Fitting<'_>) -> Result<(), ConfigError> {
        self.leave_out_new(fitting);
        let has_password = !self.auth_password.is_empty();
        fitting.prefer("auth_password", has_password, "auth_password_file", &mut self.auth_password_file);
        let has_secret = !self.auth_secret.is_empty();
        fitting.prefer("auth_secret", has_secret, "auth_secret_file", &mut self.auth_secret_file);
        let by_date = self.threading.as_ref().map(|threading| threading.thread_by_date.as_str());
        refuse(
            by_date.is_some_and(|by_date| by_date != "daily" && by_date != "none"),
            "invalid 'thread_by_date': the value must be empty, 'daily' or 'none'",
        )
    }
}
