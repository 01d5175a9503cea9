//! Nomad: `nomad_sd_configs`.

use api_monitoring::scrape_config::discovery::nomad::NomadSdConfig;

use super::entry::Entry;

/// An element of `nomad_sd_configs`.
pub(super) fn put(entry: &mut Entry<'_, '_, '_>, config: &NomadSdConfig) {
    entry.put_basic_auth(config.basic_auth.as_ref());
    entry.put_authorization(config.authorization.as_ref());
    entry.put_oauth2(config.oauth2.as_ref());
    entry.put_proxy(&config.proxy);
    entry.put_text("server", &config.server);
    entry.put_some("allow_stale", config.allow_stale);
    entry.put_some_text("namespace", config.namespace.as_deref());
    entry.put_some_text("refresh_interval", config.refresh_interval.as_deref());
    entry.put_some_text("region", config.region.as_deref());
    entry.put_some_text("tag_separator", config.tag_separator.as_deref());
    entry.put_some("follow_redirects", config.follow_redirects);
    entry.put_some("enable_http2", config.enable_http2);
    entry.put_tls(config.tls_config.as_ref());
}
