//! Consul: `consul_sd_configs`.

use api_monitoring::scrape_config::discovery::consul::ConsulSdConfig;

use super::entry::Entry;
use crate::client::texts;
use crate::scrape_config::error::{Credential, Error};

/// An element of `consul_sd_configs`.
pub(super) fn put(entry: &mut Entry<'_, '_, '_>, config: &ConsulSdConfig) -> Result<(), Error> {
    entry.put_basic_auth(config.basic_auth.as_ref());
    entry.put_authorization(config.authorization.as_ref());
    entry.put_oauth2(config.oauth2.as_ref());
    entry.put_proxy(&config.proxy);
    entry.put_tls(config.tls_config.as_ref());
    entry.put_text("server", &config.server);
    entry.put_some_text("path_prefix", config.path_prefix.as_deref());
    entry.put_needed_secret("token", Credential::Secret, config.token_ref.as_ref())?;
    entry.put_some_text("datacenter", config.datacenter.as_deref());
    entry.put_some_text("namespace", config.namespace.as_deref());
    entry.put_some_text("partition", config.partition.as_deref());
    entry.put_some("scheme", config.scheme.as_ref().map(|scheme| scheme.to_lowercase()));
    entry.put_some_texts("services", &config.services);
    entry.put_some_texts("tags", &config.tags);
    entry.put_some_text("tag_separator", config.tag_separator.as_deref());
    if !config.node_meta.is_empty() {
        entry.put("node_meta", texts(&config.node_meta));
    }
    entry.put_some_text("filter", config.filter.as_deref());
    entry.put_some_text("health_filter", config.health_filter.as_deref());
    entry.put_some("allow_stale", config.allow_stale);
    entry.put_some_text("refresh_interval", config.refresh_interval.as_deref());
    entry.put_some("follow_redirects", config.follow_redirects);
    entry.put_some("enable_http2", config.enable_http2);
    Ok(())
}
