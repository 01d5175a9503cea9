//! IONOS: `ionos_sd_configs`.

use api_monitoring::scrape_config::discovery::ionos::IonosSdConfig;

use super::entry::Entry;

/// An element of `ionos_sd_configs`. Its authorization is not optional, so OAuth 2.0 takes its place.
pub(super) fn put(entry: &mut Entry<'_, '_, '_>, config: &IonosSdConfig) {
    match &config.oauth2 {
        Some(oauth2) => entry.put_oauth2(Some(oauth2)),
        None => entry.put_authorization(Some(&config.authorization)),
    }
    entry.put_proxy(&config.proxy);
    entry.put_tls(config.tls_config.as_ref());
    entry.put_text("datacenter_id", &config.datacenter_id);
    entry.put_some("follow_redirects", config.follow_redirects);
    entry.put_some("enable_http2", config.enable_http2);
    entry.put_some("port", config.port);
    entry.put_some_text("refresh_interval", config.refresh_interval.as_deref());
}
