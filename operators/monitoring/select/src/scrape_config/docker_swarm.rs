//! Docker Swarm.

use api_monitoring::scrape_config::discovery::docker_swarm::DockerSwarmSdConfig;

use super::{Context, each};
use crate::problem::Problem;
use crate::url::Url;

/// Checks all.
pub(super) fn check(context: Context<'_, '_, '_>, configs: &[DockerSwarmSdConfig]) -> Result<(), Problem> {
    context.needs(
        configs,
        (2, 20),
        "dockerswarm SD configuration is only supported for Prometheus version >= 2.20.0",
    )?;
    each(configs, |config| {
        Url::parse(&config.host)?;
        context.references.safe_authorization(config.authorization.as_ref())?;
        context.references.oauth2(config.oauth2.as_ref())?;
        context.references.safe_tls(config.tls_config.as_ref())?;
        context.references.basic_auth(config.basic_auth.as_ref())?;
        context.references.proxy(&config.proxy)
    })
}
