//! Consul.

use api_monitoring::scrape_config::discovery::consul::ConsulSdConfig;

use super::Context;
use crate::problem::{Problem, Within, broken};

/// Checks all.
pub(super) fn check(context: Context<'_, '_, '_>, configs: &[ConsulSdConfig]) -> Result<(), Problem> {
    for (index, config) in configs.iter().enumerate() {
        check_version(context, config)?;
        check_references(context, config).within(format_args!("[{index}]"))?;
    }
    Ok(())
}

fn check_version(context: Context<'_, '_, '_>, config: &ConsulSdConfig) -> Result<(), Problem> {
    let workload = context.workload;
    if config.path_prefix.is_some() && workload.is_before(2, 45, 0) {
        return broken("field `config.PathPrefix` is only supported for Prometheus version >= 2.45.0");
    }
    if config.namespace.is_some() && workload.is_before(2, 28, 0) {
        return broken("field `config.Namespace` is only supported for Prometheus version >= 2.28.0");
    }
    // Candidates of version 3 have it already.
    if config.filter.is_some() && workload.version.major < 3 {
        return broken("field `config.Filter` is only supported for Prometheus version >= 3.0.0");
    }
    if config.health_filter.is_some() && workload.is_before(3, 11, 2) {
        return broken("field `config.HealthFilter` is only supported for Prometheus version >= 3.11.2");
    }
    Ok(())
}

fn check_references(context: Context<'_, '_, '_>, config: &ConsulSdConfig) -> Result<(), Problem> {
    context.references.basic_auth(config.basic_auth.as_ref())?;
    context.references.safe_authorization(config.authorization.as_ref())?;
    context.references.oauth2(config.oauth2.as_ref())?;
    context.references.safe_tls(config.tls_config.as_ref())?;
    context.references.optional_secret(config.token_ref.as_ref())?;
    context.references.proxy(&config.proxy)
}
