//! Amazon Lightsail: `lightsail_sd_configs`.

use api_monitoring::scrape_config::discovery::lightsail::LightSailSdConfig;

use super::entry::Entry;
use crate::scrape_config::error::Error;

/// An element of `lightsail_sd_configs`.
pub(super) fn put(entry: &mut Entry<'_, '_, '_>, config: &LightSailSdConfig) -> Result<(), Error> {
    entry.put_basic_auth(config.basic_auth.as_ref());
    entry.put_authorization(config.authorization.as_ref());
    entry.put_proxy(&config.proxy);
    entry.put_oauth2(config.oauth2.as_ref());
    entry.put_some_text("region", config.region.as_deref());
    entry.put_some_text("endpoint", config.endpoint.as_deref());
    entry.put_some("port", config.port);
    entry.put_some_text("refresh_interval", config.refresh_interval.as_deref());
    entry.put_access_keys(config.access_key.as_ref(), config.secret_key.as_ref())?;
    entry.put_some_text("role_arn", config.role_arn.as_deref());
    entry.put_tls(config.tls_config.as_ref());
    entry.put_some("follow_redirects", config.follow_redirects);
    entry.put_some("enable_http2", config.enable_http2);
    Ok(())
}
