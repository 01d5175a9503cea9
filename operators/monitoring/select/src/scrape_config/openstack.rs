//! OpenStack.

use api_monitoring::scrape_config::discovery::openstack::OpenStackSdConfig;

use super::{Context, each};
use crate::problem::{Problem, broken};

/// Checks all.
pub(super) fn check(context: Context<'_, '_, '_>, configs: &[OpenStackSdConfig]) -> Result<(), Problem> {
    each(configs, |config| {
        if &*config.role == "LoadBalancer" && context.workload.is_before(3, 2, 0) {
            return broken("The LoadBalancer role is only supported from Prometheus version 3.2.0");
        }
        context.references.optional_secret(config.password.as_ref())?;
        context.references.optional_secret(config.application_credential_secret.as_ref())?;
        context.references.safe_tls(config.tls_config.as_ref())
    })
}
