//! Amazon EC2: `ec2_sd_configs`.

use api_monitoring::scrape_config::discovery::ec2::Ec2SdConfig;

use super::entry::Entry;
use crate::scrape_config::error::Error;

/// An element of `ec2_sd_configs`.
pub(super) fn put(entry: &mut Entry<'_, '_, '_>, config: &Ec2SdConfig) -> Result<(), Error> {
    entry.put_proxy(&config.proxy);
    entry.put_some_text("region", config.region.as_deref());
    entry.put_access_keys(config.access_key.as_ref(), config.secret_key.as_ref())?;
    entry.put_some_text("role_arn", config.role_arn.as_deref());
    entry.put_some_text("refresh_interval", config.refresh_interval.as_deref());
    entry.put_some("port", config.port);
    entry.put_filters(&config.filters);
    entry.put_some("follow_redirects", config.follow_redirects);
    entry.put_some("enable_http2", config.enable_http2);
    entry.put_tls(config.tls_config.as_ref());
    Ok(())
}
