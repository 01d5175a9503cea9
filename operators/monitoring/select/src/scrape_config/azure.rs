//! Azure.

use api_monitoring::scrape_config::discovery::azure::AzureSdConfig;

use super::{Context, each};
use crate::problem::{Problem, broken};

/// Checks all.
pub(super) fn check(context: Context<'_, '_, '_>, configs: &[AzureSdConfig]) -> Result<(), Problem> {
    each(configs, |config| {
        check_version(context, config)?;
        // The other ways need no secret. Nothing else is looked at for them.
        match config.authentication_method.as_deref() {
            Some("ManagedIdentity" | "SDK" | "WorkloadIdentity") => Ok(()),
            _ => check_oauth(context, config),
        }
    })
}

fn check_version(context: Context<'_, '_, '_>, config: &AzureSdConfig) -> Result<(), Problem> {
    let method = config.authentication_method.as_deref();
    if method == Some("SDK") && context.workload.is_before(2, 52, 0) {
        return broken("SDK authentication is only supported from Prometheus version 2.52.0");
    }
    if method == Some("WorkloadIdentity") && context.workload.is_before(3, 11, 0) {
        return broken("WorkloadIdentity authentication is only supported from Prometheus version 3.11.0");
    }
    if config.resource_group.is_some() && context.workload.is_before(2, 35, 0) {
        return broken("ResourceGroup is only supported from Prometheus version >= 2.35.0");
    }
    Ok(())
}

fn check_oauth(context: Context<'_, '_, '_>, config: &AzureSdConfig) -> Result<(), Problem> {
    let is_missing = |text: &Option<String>| text.as_deref().is_none_or(str::is_empty);
    if is_missing(&config.tenant_id) {
        return broken("configuration requires a tenantID");
    }
    if is_missing(&config.client_id) {
        return broken("configuration requires a clientID");
    }
    let Some(secret) = &config.client_secret else {
        return broken("configuration requires a clientSecret");
    };
    context.references.secret(secret)?;
    context.references.basic_auth(config.basic_auth.as_ref())?;
    context.references.oauth2(config.oauth2.as_ref())?;
    context.references.proxy(&config.proxy)?;
    context.references.safe_tls(config.tls_config.as_ref())?;
    context.references.safe_authorization(config.authorization.as_ref())
}
