//! DigitalOcean.

use api_monitoring::scrape_config::discovery::digital_ocean::DigitalOceanSdConfig;

use super::{Context, each};
use crate::problem::Problem;

/// Checks all.
pub(super) fn check(context: Context<'_, '_, '_>, configs: &[DigitalOceanSdConfig]) -> Result<(), Problem> {
    context.needs(
        configs,
        (2, 20),
        "service discovery for Digital Ocean is only supported for Prometheus version >= 2.20.0",
    )?;
    each(configs, |config| {
        context.references.safe_authorization(config.authorization.as_ref())?;
        context.references.oauth2(config.oauth2.as_ref())?;
        context.references.safe_tls(config.tls_config.as_ref())?;
        context.references.proxy(&config.proxy)
    })
}
