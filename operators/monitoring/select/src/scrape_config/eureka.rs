//! Eureka.

use api_monitoring::scrape_config::discovery::eureka::EurekaSdConfig;

use super::{Context, each};
use crate::problem::Problem;

/// Checks all.
pub(super) fn check(context: Context<'_, '_, '_>, configs: &[EurekaSdConfig]) -> Result<(), Problem> {
    each(configs, |config| {
        context.references.safe_authorization(config.authorization.as_ref())?;
        context.references.oauth2(config.oauth2.as_ref())?;
        context.references.safe_tls(config.tls_config.as_ref())?;
        context.references.basic_auth(config.basic_auth.as_ref())?;
        context.references.proxy(&config.proxy)
    })
}
