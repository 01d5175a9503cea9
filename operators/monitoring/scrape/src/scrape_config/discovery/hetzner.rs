//! Hetzner: `hetzner_sd_configs`.

use api_monitoring::scrape_config::discovery::hetzner::HetznerSdConfig;

use super::entry::Entry;

/// An element of `hetzner_sd_configs`.
pub(super) fn put(entry: &mut Entry<'_, '_, '_>, config: &HetznerSdConfig) {
    entry.put_basic_auth(config.basic_auth.as_ref());
    entry.put_authorization(config.authorization.as_ref());
    entry.put_oauth2(config.oauth2.as_ref());
    entry.put_proxy(&config.proxy);
    entry.put("role", config.role.to_lowercase());
    entry.put_some("follow_redirects", config.follow_redirects);
    entry.put_some("enable_http2", config.enable_http2);
    entry.put_tls(config.tls_config.as_ref());
    entry.put_some("port", config.port);
    entry.put_some_text("refresh_interval", config.refresh_interval.as_deref());
    let selector = config.label_selector.as_deref().filter(|selector| !selector.is_empty());
    entry.put_some_text("label_selector", selector);
}
