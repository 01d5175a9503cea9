//! Files: `file_sd_configs`.

use api_monitoring::scrape_config::discovery::file::FileSdConfig;

use super::entry::Entry;

/// An element of `file_sd_configs`.
pub(super) fn put(entry: &mut Entry<'_, '_, '_>, config: &FileSdConfig) {
    entry.put_texts("files", &config.files);
    entry.put_some_text("refresh_interval", config.refresh_interval.as_deref());
}
