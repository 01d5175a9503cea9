//! Alertmanagers that receive the alerts of a server.

use api_monitoring::prometheus::alerting::AlertmanagerEndpoints;

use super::remote::check_one_way;
use crate::problem::{Problem, Within};
use crate::references::References;
use crate::server::Server;

/// Checks all Alertmanagers, then their references.
pub(super) fn check(
    server: &Server<'_>,
    alertmanagers: &[AlertmanagerEndpoints],
    references: &References<'_>,
) -> Result<(), Problem> {
    for (index, alertmanager) in alertmanagers.iter().enumerate() {
        check_one(server, alertmanager).within(format_args!("alertmanager {index}"))?;
    }
    for (index, alertmanager) in alertmanagers.iter().enumerate() {
        check_references(alertmanager, references).within(format_args!("alertmanager {index}"))?;
        references.proxy_headers(&alertmanager.proxy).within(format_args!("alertmanager: {index}"))?;
    }
    Ok(())
}

fn check_one(server: &Server<'_>, alertmanager: &AlertmanagerEndpoints) -> Result<(), Problem> {
    check_one_way(&[
        ("bearerTokenFile", !alertmanager.bearer_token_file.is_empty()),
        ("basicAuth", alertmanager.basic_auth.is_some()),
        ("authorization", alertmanager.authorization.is_some()),
        ("sigv4", alertmanager.sigv4.is_some()),
    ])?;
    server.relabeling.check_all(&alertmanager.relabelings).within("invalid relabelings")?;
    server.relabeling.check_all(&alertmanager.alert_relabelings).within("invalid alertRelabelings")
}

fn check_references(
    alertmanager: &AlertmanagerEndpoints,
    references: &References<'_>,
) -> Result<(), Problem> {
    references.basic_auth(alertmanager.basic_auth.as_ref())?;
    references.safe_authorization(alertmanager.authorization.as_ref())?;
    references.sigv4(alertmanager.sigv4.as_ref())?;
    references.tls(alertmanager.tls_config.as_ref())
}
