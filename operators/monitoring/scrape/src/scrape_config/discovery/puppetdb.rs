//! PuppetDB: `puppetdb_sd_configs`.

use api_monitoring::scrape_config::discovery::puppetdb::PuppetDbSdConfig;

use super::entry::Entry;

/// An element of `puppetdb_sd_configs`.
pub(super) fn put(entry: &mut Entry<'_, '_, '_>, config: &PuppetDbSdConfig) {
    entry.put_basic_auth(config.basic_auth.as_ref());
    entry.put_authorization(config.authorization.as_ref());
    entry.put_oauth2(config.oauth2.as_ref());
    entry.put_proxy(&config.proxy);
    entry.put_text("url", &config.url);
    entry.put_text("query", &config.query);
    entry.put_some("include_parameters", config.include_parameters);
    entry.put_some("port", config.port);
    entry.put_some_text("refresh_interval", config.refresh_interval.as_deref());
    entry.put_some("follow_redirects", config.follow_redirects);
    entry.put_tls(config.tls_config.as_ref());
    entry.put_some("enable_http2", config.enable_http2);
}
