//! HTTP.

use api_monitoring::scrape_config::discovery::http::HttpSdConfig;

use super::{Context, each};
use crate::problem::Problem;
use crate::url::Url;

/// Checks all.
pub(super) fn check(context: Context<'_, '_, '_>, configs: &[HttpSdConfig]) -> Result<(), Problem> {
    context.needs(
        configs,
        (2, 28),
        "HTTP SD configuration is only supported for Prometheus version >= 2.28.0",
    )?;
    each(configs, |config| {
        Url::parse(&config.url)?;
        context.references.basic_auth(config.basic_auth.as_ref())?;
        context.references.safe_authorization(config.authorization.as_ref())?;
        context.references.oauth2(config.oauth2.as_ref())?;
        context.references.safe_tls(config.tls_config.as_ref())?;
        context.references.proxy(&config.proxy)
    })
}
