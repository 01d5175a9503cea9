//! Amazon Lightsail.

use api_monitoring::scrape_config::discovery::lightsail::LightSailSdConfig;

use super::{Context, each};
use crate::problem::Problem;

/// Checks all.
pub(super) fn check(context: Context<'_, '_, '_>, configs: &[LightSailSdConfig]) -> Result<(), Problem> {
    context.needs(
        configs,
        (2, 27),
        "lightSail SD configuration is only supported for Prometheus version >= 2.27.0",
    )?;
    each(configs, |config| {
        context.references.optional_secret(config.access_key.as_ref())?;
        context.references.optional_secret(config.secret_key.as_ref())?;
        context.references.safe_authorization(config.authorization.as_ref())?;
        context.references.oauth2(config.oauth2.as_ref())?;
        context.references.safe_tls(config.tls_config.as_ref())?;
        context.references.basic_auth(config.basic_auth.as_ref())?;
        context.references.proxy(&config.proxy)
    })
}
