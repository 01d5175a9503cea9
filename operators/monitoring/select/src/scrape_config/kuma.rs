//! Kuma.

use api_monitoring::scrape_config::discovery::kuma::KumaSdConfig;

use super::Context;
use crate::problem::{Problem, Within, broken};
use crate::url;

/// Checks all.
pub(super) fn check(context: Context<'_, '_, '_>, configs: &[KumaSdConfig]) -> Result<(), Problem> {
    for (index, config) in configs.iter().enumerate() {
        if config.client_id.is_some() && context.workload.is_before(2, 50, 0) {
            return broken(
                "field `clientID` in kuma SD configuration is only supported for Prometheus version >= 2.50.0",
            );
        }
        check_one(context, config).within(format_args!("[{index}]"))?;
    }
    Ok(())
}

fn check_one(context: Context<'_, '_, '_>, config: &KumaSdConfig) -> Result<(), Problem> {
    url::check_server(&config.server)?;
    context.references.safe_authorization(config.authorization.as_ref())?;
    context.references.oauth2(config.oauth2.as_ref())?;
    context.references.safe_tls(config.tls_config.as_ref())?;
    context.references.basic_auth(config.basic_auth.as_ref())?;
    context.references.proxy(&config.proxy)
}
