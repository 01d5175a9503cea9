//! DNS: `dns_sd_configs`.

use api_monitoring::scrape_config::discovery::dns::{DnsRecordType, DnsSdConfig};

use super::entry::Entry;

/// An element of `dns_sd_configs`.
pub(super) fn put(entry: &mut Entry<'_, '_, '_>, config: &DnsSdConfig) {
    entry.put_texts("names", &config.names);
    entry.put_some_text("refresh_interval", config.refresh_interval.as_deref());
    if let Some(record) = &config.type_ {
        put_type(entry, record);
    }
    entry.put_some("port", config.port);
}

/// `type`. Some kinds of record came later than others.
fn put_type(entry: &mut Entry<'_, '_, '_>, record: &DnsRecordType) {
    let (has, versions) = match &**record {
        "NS" => (entry.writer().at_least(2, 49), "2.49 or later"),
        "MX" => (entry.writer().at_least(2, 38), "2.38 or later"),
        _ => (true, ""),
    };
    if has {
        entry.put_text("type", record);
    } else {
        entry.writer().leave_out(format!("dns_sd_configs.type {record}"), versions);
    }
}
