//! Hetzner.

use api_monitoring::scrape_config::discovery::hetzner::HetznerSdConfig;

use super::{Context, each};
use crate::problem::{Problem, broken};

/// Checks all.
pub(super) fn check(context: Context<'_, '_, '_>, configs: &[HetznerSdConfig]) -> Result<(), Problem> {
    each(configs, |config| {
        if config.label_selector.is_some() && context.workload.is_before(3, 5, 0) {
            return broken("field `labelSelector` is only supported for Prometheus version >= 3.5.0");
        }
        context.references.basic_auth(config.basic_auth.as_ref())?;
        context.references.safe_authorization(config.authorization.as_ref())?;
        context.references.oauth2(config.oauth2.as_ref())?;
        context.references.safe_tls(config.tls_config.as_ref())?;
        context.references.proxy(&config.proxy)
    })
}
