//! Google Compute Engine: `gce_sd_configs`.

use api_monitoring::scrape_config::discovery::gce::GceSdConfig;

use super::entry::Entry;

/// An element of `gce_sd_configs`.
pub(super) fn put(entry: &mut Entry<'_, '_, '_>, config: &GceSdConfig) {
    entry.put_text("project", &config.project);
    entry.put_text("zone", &config.zone);
    entry.put_some_text("filter", config.filter.as_deref());
    entry.put_some_text("refresh_interval", config.refresh_interval.as_deref());
    entry.put_some("port", config.port);
    entry.put_some_text("tag_separator", config.tag_separator.as_deref());
}
