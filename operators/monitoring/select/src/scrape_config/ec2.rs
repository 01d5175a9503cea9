//! Amazon EC2.

use api_monitoring::scrape_config::discovery::ec2::Ec2SdConfig;

use super::{Context, each};
use crate::problem::Problem;

/// Checks all.
pub(super) fn check(context: Context<'_, '_, '_>, configs: &[Ec2SdConfig]) -> Result<(), Problem> {
    each(configs, |config| {
        context.references.optional_secret(config.access_key.as_ref())?;
        context.references.optional_secret(config.secret_key.as_ref())?;
        context.references.safe_tls(config.tls_config.as_ref())?;
        context.references.proxy(&config.proxy)
    })
}
