//! OpenStack: `openstack_sd_configs`.

use api_monitoring::scrape_config::discovery::openstack::OpenStackSdConfig;

use super::entry::Entry;
use crate::scrape_config::error::{Credential, Error};

/// An element of `openstack_sd_configs`.
pub(super) fn put(entry: &mut Entry<'_, '_, '_>, config: &OpenStackSdConfig) -> Result<(), Error> {
    entry.put("role", config.role.to_lowercase());
    entry.put_text("region", &config.region);
    entry.put_some_text("identity_endpoint", config.identity_endpoint.as_deref());
    entry.put_some_text("username", config.username.as_deref());
    entry.put_some_text("userid", config.userid.as_deref());
    entry.put_needed_secret("password", Credential::Secret, config.password.as_ref())?;
    entry.put_some_text("domain_name", config.domain_name.as_deref());
    entry.put_some_text("domain_id", config.domain_id.as_deref());
    entry.put_some_text("project_name", config.project_name.as_deref());
    entry.put_some_text("project_id", config.project_id.as_deref());
    entry.put_some_text("application_credential_name", config.application_credential_name.as_deref());
    entry.put_some_text("application_credential_id", config.application_credential_id.as_deref());
    entry.put_needed_secret(
        "application_credential_secret",
        Credential::Secret,
        config.application_credential_secret.as_ref(),
    )?;
    entry.put_some("all_tenants", config.all_tenants);
    entry.put_some_text("refresh_interval", config.refresh_interval.as_deref());
    entry.put_some("port", config.port);
    entry.put_some_text("availability", config.availability.as_deref());
    entry.put_tls(config.tls_config.as_ref());
    Ok(())
}
