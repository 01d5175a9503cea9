//! Azure: `azure_sd_configs`.

use api_monitoring::scrape_config::discovery::azure::AzureSdConfig;

use super::entry::Entry;
use crate::scrape_config::error::{Credential, Error};

/// An element of `azure_sd_configs`. Redirects, HTTP/2 and TLS can be asked for, but have never been written.
pub(super) fn put(entry: &mut Entry<'_, '_, '_>, config: &AzureSdConfig) -> Result<(), Error> {
    // Whoever names an environment has never had these credentials and this proxy: writing them now would change what a
    // running server does.
    if config.environment.is_none() {
        entry.put_basic_auth(config.basic_auth.as_ref());
        entry.put_authorization(config.authorization.as_ref());
        entry.put_oauth2(config.oauth2.as_ref());
        entry.put_proxy(&config.proxy);
    }
    entry.put_some_text("environment", config.environment.as_deref());
    entry.put_some_text("authentication_method", config.authentication_method.as_deref());
    entry.put_some_text("subscription_id", Some(&*config.subscription_id).filter(|id| !id.is_empty()));
    entry.put_some_text("tenant_id", config.tenant_id.as_deref());
    entry.put_some_text("client_id", config.client_id.as_deref());
    entry.put_needed_secret("client_secret", Credential::ClientSecret, config.client_secret.as_ref())?;
    entry.put_some_text("resource_group", config.resource_group.as_deref());
    entry.put_some_text("refresh_interval", config.refresh_interval.as_deref());
    entry.put_some("port", config.port);
    Ok(())
}
