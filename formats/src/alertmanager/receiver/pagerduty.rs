//! PagerDuty.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::alertmanager::duration::Duration;
use crate::alertmanager::fit::{ConfigError, Fit, Fitting, refuse};
use crate::alertmanager::http::HttpClient;
use crate::alertmanager::secret::Secret;
use crate::alertmanager::since::NESTED_DETAILS;
use crate::yaml::Value;

/// Incidents in PagerDuty.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of Alertmanager's documentation, by the same names")]
pub struct PagerDuty {
    pub send_resolved: Option<bool>,
    pub http_config: Option<HttpClient>,
    pub service_key: Secret,
    pub service_key_file: String,
    pub routing_key: Secret,
    pub routing_key_file: String,
    pub url: String,
    pub client: String,
    pub client_url: String,
    pub description: String,
    pub details: BTreeMap<String, Value>,
    pub images: Vec<Image>,
    pub links: Vec<Link>,
    pub severity: String,
    pub class: String,
    pub component: String,
    pub group: String,
    pub source: String,
    pub timeout: Option<Duration>,
}

/// A link.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of Alertmanager's documentation, by the same names")]
pub struct Link {
    pub href: String,
    pub text: String,
}

/// An image.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of Alertmanager's documentation, by the same names")]
pub struct Image {
    pub src: String,
    pub alt: String,
    pub href: String,
}

impl Fit for PagerDuty {
    fn fit(&mut self, fitting: &Fitting<'_>) -> Result<(), ConfigError> {
        self.leave_out_new(fitting);
        let has_service_key = !self.service_key.is_empty();
        fitting.prefer("service_key", has_service_key, "service_key_file", &mut self.service_key_file);
        let has_routing_key = !self.routing_key.is_empty();
        fitting.prefer("routing_key", has_routing_key, "routing_key_file", &mut self.routing_key_file);
        refuse(
            !fitting.has(NESTED_DETAILS)
                && self.details.values().any(|value| !matches!(value, Value::Text(_))),
            "'details' value in non-string format is supported in Alertmanager >= 0.30.0 only",
        )?;
        self.http_config.fit(fitting)
    }
}
