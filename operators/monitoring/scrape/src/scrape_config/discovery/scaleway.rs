//! Scaleway: `scaleway_sd_configs`.

use api_monitoring::scrape_config::discovery::scaleway::ScalewaySdConfig;

use super::entry::Entry;

/// An element of `scaleway_sd_configs`.
pub(super) fn put(entry: &mut Entry<'_, '_, '_>, config: &ScalewaySdConfig) {
    entry.put_text("access_key", &config.access_key);
    entry.put_secret("secret_key", &config.secret_key);
    entry.put_text("project_id", &config.project_id);
    entry.put("role", config.role.to_lowercase());
    entry.put_some("port", config.port);
    entry.put_some_text("api_url", config.api_url.as_deref());
    entry.put_some_text("zone", config.zone.as_deref());
    entry.put_some_text("name_filter", config.name_filter.as_deref());
    entry.put_some_texts("tags_filter", &config.tags_filter);
    entry.put_some_text("refresh_interval", config.refresh_interval.as_deref());
    entry.put_proxy(&config.proxy);
    entry.put_tls(config.tls_config.as_ref());
    entry.put_some("follow_redirects", config.follow_redirects);
    entry.put_some("enable_http2", config.enable_http2);
}
