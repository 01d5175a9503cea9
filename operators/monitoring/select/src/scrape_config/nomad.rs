//! Nomad.

use api_monitoring::scrape_config::discovery::nomad::NomadSdConfig;

use super::{Context, each};
use crate::problem::Problem;
use crate::url;

/// Checks all.
pub(super) fn check(context: Context<'_, '_, '_>, configs: &[NomadSdConfig]) -> Result<(), Problem> {
    each(configs, |config| {
        url::check_server(&config.server)?;
        context.references.safe_authorization(config.authorization.as_ref())?;
        context.references.oauth2(config.oauth2.as_ref())?;
        context.references.safe_tls(config.tls_config.as_ref())?;
        context.references.basic_auth(config.basic_auth.as_ref())?;
        context.references.proxy(&config.proxy)
    })
}
