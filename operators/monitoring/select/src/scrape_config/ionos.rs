//! IONOS.

use api_monitoring::scrape_config::discovery::ionos::IonosSdConfig;

use super::{Context, each};
use crate::problem::Problem;

/// Checks all.
pub(super) fn check(context: Context<'_, '_, '_>, configs: &[IonosSdConfig]) -> Result<(), Problem> {
    context.needs(
        configs,
        (2, 36),
        "IONOS SD configuration is only supported for Prometheus version >= 2.36.0",
    )?;
    each(configs, |config| {
        context.references.safe_authorization(Some(&config.authorization))?;
        context.references.proxy(&config.proxy)?;
        context.references.safe_tls(config.tls_config.as_ref())?;
        context.references.oauth2(config.oauth2.as_ref())
    })
}
