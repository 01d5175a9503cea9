//! Kuma: `kuma_sd_configs`.

use api_monitoring::scrape_config::discovery::kuma::KumaSdConfig;

use super::entry::Entry;

/// An element of `kuma_sd_configs`.
pub(super) fn put(entry: &mut Entry<'_, '_, '_>, config: &KumaSdConfig) {
    entry.put_basic_auth(config.basic_auth.as_ref());
    entry.put_authorization(config.authorization.as_ref());
    entry.put_oauth2(config.oauth2.as_ref());
    entry.put_proxy(&config.proxy);
    entry.put_text("server", &config.server);
    entry.put_some("follow_redirects", config.follow_redirects);
    entry.put_some("enable_http2", config.enable_http2);
    entry.put_tls(config.tls_config.as_ref());
    entry.put_some_text("refresh_interval", config.refresh_interval.as_deref());
    entry.put_some_text("fetch_timeout", config.fetch_timeout.as_deref());
    entry.put_some_text("client_id", config.client_id.as_deref());
}
