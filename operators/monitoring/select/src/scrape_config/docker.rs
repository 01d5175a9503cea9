//! Docker.

use api_monitoring::scrape_config::discovery::docker::DockerSdConfig;

use super::{Context, each};
use crate::problem::{Problem, broken};
use crate::url::Url;

/// Checks all.
pub(super) fn check(context: Context<'_, '_, '_>, configs: &[DockerSdConfig]) -> Result<(), Problem> {
    each(configs, |config| {
        if config.match_first_network.is_some() && context.workload.is_before(2, 54, 1) {
            return broken("field `matchFirstNetwork` is only supported for Prometheus version >= 2.54.1");
        }
        context.references.basic_auth(config.basic_auth.as_ref())?;
        context.references.safe_authorization(config.authorization.as_ref())?;
        context.references.oauth2(config.oauth2.as_ref())?;
        context.references.safe_tls(config.tls_config.as_ref())?;
        Url::parse(&config.host)?;
        context.references.proxy(&config.proxy)
    })
}
