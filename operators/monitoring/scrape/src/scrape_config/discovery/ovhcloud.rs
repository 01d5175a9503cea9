//! OVHcloud: `ovhcloud_sd_configs`.

use api_monitoring::scrape_config::discovery::ovhcloud::OvhCloudSdConfig;

use super::entry::Entry;

/// An element of `ovhcloud_sd_configs`.
pub(super) fn put(entry: &mut Entry<'_, '_, '_>, config: &OvhCloudSdConfig) {
    entry.put_text("application_key", &config.application_key);
    entry.put_secret("application_secret", &config.application_secret);
    entry.put_secret("consumer_key", &config.consumer_key);
    match &*config.service {
        "VPS" => entry.put("service", "vps"),
        "DedicatedServer" => entry.put("service", "dedicated_server"),
        other => entry.writer().leave_out(
            format!("ovhcloud_sd_configs.service {other}"),
            "of a later version than is known here",
        ),
    }
    entry.put_some_text("endpoint", config.endpoint.as_deref());
    entry.put_some_text("refresh_interval", config.refresh_interval.as_deref());
}
