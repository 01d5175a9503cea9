//! The flags of a server or agent, and the versions that have them.

use api_monitoring::prometheus::shared::SharedSpec;
use api_monitoring::prometheus::{PrometheusSpec, QuerySpec};

use super::{CONFIG_OUT, DATA, OUTPUT_FILE};
use crate::prometheus::Instance;
use crate::workload::arguments::{FlagVersions, Flags, since};

/// How long samples are kept if the user sets no limit.
const RETENTION: &str = "24h";

/// The flags that not every version has, and the features that the operator enables itself.
const VERSIONS: &[FlagVersions] = &[
    since("rules.alert.for-grace-period", 2, 4),
    since("rules.alert.for-outage-tolerance", 2, 4),
    since("rules.alert.resend-delay", 2, 4),
    since("query.max-samples", 2, 5),
    since("log.format", 2, 6),
    since("web.page-title", 2, 6),
    since("storage.tsdb.retention.size", 2, 7),
    since("no-storage.tsdb.wal-compression", 2, 11),
    since("storage.tsdb.allow-overlapping-blocks", 2, 11).until(2, 39),
    since("storage.tsdb.wal-compression", 2, 11),
    since("enable-feature", 2, 25),
    since("web.enable-remote-write-receiver", 2, 33),
    since("web.remote-write-receiver.accepted-protobuf-messages", 2, 54),
    since("enable-feature=otlp-write-receiver", 2, 47),
    since("enable-feature=metadata-wal-records", 2, 54),
    since("enable-feature=xor2-encoding", 3, 13),
];

/// A message format of remote write, by its version.
fn message_format(version: &str) -> &'static str {
    match version {
        "V2.0" => "io.prometheus.write.v2.Request",
        _ => "prometheus.WriteRequest",
    }
}

/// The flags that servers and agents share.
pub(crate) fn shared<'i>(instance: &'i Instance<'_>) -> Flags<'i> {
    let (spec, workload) = (instance.spec, instance.workload);
    let mut flags = Flags::new(&instance.version, VERSIONS);
    flags.put("config.file", format!("{CONFIG_OUT}/{OUTPUT_FILE}"));
    if instance.version.major == 2 {
        flags.put("web.console.templates", "/etc/prometheus/consoles");
        flags.put("web.console.libraries", "/etc/prometheus/console_libraries");
    }
    if instance.reloads_by_request() {
        flags.flag("web.enable-lifecycle");
    }
    if let Some(web) = &spec.web {
        flags.put_some("web.page-title", web.page_title.as_deref());
        flags.put_some("web.max-connections", web.max_connections);
    }
    receivers(instance, &mut flags);
    features(spec, &mut flags);
    flags.put_text("web.external-url", &spec.external_url);
    flags.put("web.route-prefix", instance.route_prefix());
    if workload.log_level != "info" {
        flags.put_text("log.level", &workload.log_level);
    }
    if workload.log_format != "logfmt" {
        flags.put_text("log.format", &workload.log_format);
    }
    if workload.listen_local {
        flags.put("web.listen-address", "127.0.0.1:9090");
    }
    flags
}

/// The receivers of pushed samples, and the metadata that remote write sends.
fn receivers(instance: &Instance<'_>, flags: &mut Flags<'_>) {
    let spec = instance.spec;
    if spec.enable_remote_write_receiver {
        flags.flag("web.enable-remote-write-receiver");
        let versions = &spec.remote_write_receiver_message_versions;
        let formats: Vec<&str> = versions.iter().map(|version| message_format(version)).collect();
        flags.put_text("web.remote-write-receiver.accepted-protobuf-messages", &formats.join(","));
    }
    let sends_metadata = spec
        .remote_write
        .iter()
        .any(|remote| remote.message_version.as_deref().is_some_and(|version| version == "V2.0"));
    // Since 3.4, remote write does not need these records, which cost memory.
    if sends_metadata && !instance.at_least(3, 4) {
        flags.feature("metadata-wal-records");
    }
    if spec.enable_otlp_receiver.unwrap_or(spec.otlp.is_some()) {
        if instance.version.major >= 3 {
            flags.flag("web.enable-otlp-receiver");
        } else {
            flags.feature("otlp-write-receiver");
        }
    }
}

/// The features that the user enables, and those that other settings need.
fn features(spec: &SharedSpec, flags: &mut Flags<'_>) {
    let features: Vec<&str> = spec.enable_features.iter().map(|feature| &**feature).collect();
    if !features.is_empty() {
        flags.put("enable-feature", features.join(","));
    }
    let encoding = spec.tsdb.as_ref().and_then(|tsdb| tsdb.chunk_encoding.as_ref()?.floats.as_deref());
    if encoding == Some("Xor2") && !features.contains(&"xor2-encoding") {
        flags.feature("xor2-encoding");
    }
}

/// The flags that only servers have.
pub(super) fn server(instance: &Instance<'_>, spec: &PrometheusSpec, flags: &mut Flags<'_>) {
    retention(instance, spec, flags);
    flags.put("storage.tsdb.path", DATA);
    if spec.enable_admin_api {
        flags.flag("web.enable-admin-api");
    }
    let alert = &spec.rules.alert;
    flags.put_text("rules.alert.for-outage-tolerance", &alert.for_outage_tolerance);
    flags.put_text("rules.alert.for-grace-period", &alert.for_grace_period);
    flags.put_text("rules.alert.resend-delay", &alert.resend_delay);
    if let Some(query) = &spec.query {
        queries(query, flags);
    }
    if spec.allow_overlapping_blocks {
        flags.flag("storage.tsdb.allow-overlapping-blocks");
    }
    match spec.shared.wal_compression {
        Some(true) => flags.flag("storage.tsdb.wal-compression"),
        Some(false) => flags.flag("no-storage.tsdb.wal-compression"),
        None => {}
    }
}

/// The retention; since 3.11, it is part of the configuration.
fn retention(instance: &Instance<'_>, spec: &PrometheusSpec, flags: &mut Flags<'_>) {
    if instance.at_least(3, 11) {
        return;
    }
    let by_size = instance.at_least(2, 7);
    let name = if by_size { "storage.tsdb.retention.time" } else { "storage.tsdb.retention" };
    let unlimited = spec.retention.is_empty() && (spec.retention_size.is_empty() || !by_size);
    flags.put_text(name, if unlimited { RETENTION } else { &spec.retention });
    flags.put_text("storage.tsdb.retention.size", &spec.retention_size);
}

fn queries(query: &QuerySpec, flags: &mut Flags<'_>) {
    flags.put_some("query.lookback-delta", query.lookback_delta.as_ref());
    flags.put_some("query.max-samples", query.max_samples.filter(|samples| *samples > 0));
    flags.put_some("query.max-concurrency", query.max_concurrency.filter(|concurrency| *concurrency > 0));
    flags.put_some("query.timeout", query.timeout.as_deref());
}

#[cfg(test)]
mod tests;
