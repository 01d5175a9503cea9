//! Targets by name: `static_configs`.

use api_monitoring::scrape_config::discovery::static_targets::StaticConfig;

use super::entry::Entry;
use crate::client::natural;

/// An element of `static_configs`.
pub(super) fn put(entry: &mut Entry<'_, '_, '_>, config: &StaticConfig) {
    entry.put_texts("targets", &config.targets);
    entry.put("labels", natural(&config.labels));
}
