//! OVHcloud.

use api_monitoring::scrape_config::discovery::ovhcloud::OvhCloudSdConfig;

use super::{Context, each};
use crate::problem::Problem;

/// Checks all.
pub(super) fn check(context: Context<'_, '_, '_>, configs: &[OvhCloudSdConfig]) -> Result<(), Problem> {
    context.needs(
        configs,
        (2, 40),
        "OVHCloud SD configuration is only supported for Prometheus version >= 2.40.0",
    )?;
    each(configs, |config| {
        context.references.secret(&config.application_secret)?;
        context.references.secret(&config.consumer_key).map(|_| ())
    })
}
