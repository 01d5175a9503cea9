//! Scaleway.

use api_monitoring::scrape_config::discovery::scaleway::ScalewaySdConfig;

use super::{Context, each};
use crate::problem::Problem;

/// Checks all.
pub(super) fn check(context: Context<'_, '_, '_>, configs: &[ScalewaySdConfig]) -> Result<(), Problem> {
    context.needs(
        configs,
        (2, 26),
        "ScaleWay SD configuration is only supported for Prometheus version >= 2.26.0",
    )?;
    each(configs, |config| {
        context.references.secret(&config.secret_key)?;
        context.references.proxy(&config.proxy)?;
        context.references.safe_tls(config.tls_config.as_ref())
    })
}
