//! Additional configuration of users, which becomes part of the configuration without changes.

use api_monitoring::prometheus::PrometheusSpec;
use api_monitoring::prometheus::shared::SharedSpec;
use k8s_openapi::api::core::v1::SecretKeySelector;
use monitoring_assets::{Missing, MissingReason};

use crate::problem::{Problem, Within};
use crate::references::References;

/// The contents of the Secrets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Additional<'o> {
    /// Scrape jobs.
    pub scrape_configs: Option<&'o [u8]>,
    /// Relabeling steps for alerts.
    pub alert_relabel_configs: Option<&'o [u8]>,
    /// Alertmanagers.
    pub alertmanager_configs: Option<&'o [u8]>,
}

/// Additional configuration of a server for alerts.
pub(super) fn about_alerts<'o>(
    spec: &PrometheusSpec,
    references: &References<'o>,
) -> Result<Additional<'o>, Problem> {
    let alert_relabel_configs = read(spec.additional_alert_relabel_configs.as_ref(), references)
        .within("loading additional alert relabel configs from Secret failed")?;
    let alertmanager_configs = read(spec.additional_alert_manager_configs.as_ref(), references)
        .within("loading additional alert manager configs from Secret failed")?;
    Ok(Additional { alert_relabel_configs, alertmanager_configs, ..Additional::default() })
}

/// Additional jobs.
pub(super) fn jobs<'o>(spec: &SharedSpec, references: &References<'o>) -> Result<Option<&'o [u8]>, Problem> {
    read(spec.additional_scrape_configs.as_ref(), references)
        .within("loading additional scrape configs from Secret failed")
}

/// The value of a key of a Secret, which may be missing if it is optional.
fn read<'o>(
    selector: Option<&SecretKeySelector>,
    references: &References<'o>,
) -> Result<Option<&'o [u8]>, Problem> {
    let Some(selector) = selector else { return Ok(None) };
    match references.secret(selector) {
        Ok(content) => Ok(Some(content)),
        Err(Problem::Missing(_)) if selector.optional == Some(true) => Ok(None),
        Err(Problem::Missing(Missing { reference, reason: MissingReason::NotFound })) => {
            Err(Problem::NoAdditional(format!("secrets \"{}\" not found", reference.name)))
        }
        Err(Problem::Missing(Missing { reference, reason: MissingReason::NoKey(key) })) => {
            Err(Problem::NoAdditional(format!("key {key} could not be found in secret {}", reference.name)))
        }
        Err(other) => Err(other),
    }
}
