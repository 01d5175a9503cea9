//! The flags of a server or agent.

use api_monitoring::prometheus::shared::SharedSpec;
use api_monitoring::prometheus::{PrometheusSpec, QuerySpec};

use super::flags::Flags;
use super::instance::Instance;
use super::{CONFIG_OUT, DATA, OUTPUT_FILE};

/// How long samples are kept if the user sets no limit.
const RETENTION: &str = "24h";

/// A message format of remote write, by its version.
fn message_format(version: &str) -> &'static str {
    match version {
        "V2.0" => "io.prometheus.write.v2.Request",
        _ => "prometheus.WriteRequest",
    }
}

/// What servers and agents have alike.
pub(crate) fn shared(instance: &Instance<'_>, flags: &mut Flags<'_>) {
    let spec = instance.spec;
    flags.put("config.file", format!("{CONFIG_OUT}/{OUTPUT_FILE}"));
    if instance.version.major == 2 {
        flags.put("web.console.templates", "/etc/prometheus/consoles");
        flags.put("web.console.libraries", "/etc/prometheus/console_libraries");
    }
    if instance.reloads_by_request() {
        flags.flag("web.enable-lifecycle");
    }
    if let Some(web) = &spec.web {
        if let Some(title) = &web.page_title {
            flags.put("web.page-title", title);
        }
        if let Some(connections) = web.max_connections {
            flags.put("web.max-connections", connections.to_string());
        }
    }
    receivers(instance, flags);
    features(spec, flags);
    flags.put_text("web.external-url", &spec.external_url);
    flags.put("web.route-prefix", instance.route_prefix());
    if spec.log_level != "info" {
        flags.put_text("log.level", &spec.log_level);
    }
    if spec.log_format != "logfmt" {
        flags.put_text("log.format", &spec.log_format);
    }
    if spec.listen_local {
        flags.put("web.listen-address", "127.0.0.1:9090");
    }
}

/// What others may push, and what is pushed to others.
fn receivers(instance: &Instance<'_>, flags: &mut Flags<'_>) {
    let spec = instance.spec;
    if spec.enable_remote_write_receiver {
        flags.flag("web.enable-remote-write-receiver");
        let formats: Vec<&str> = spec
            .remote_write_receiver_message_versions
            .iter()
            .map(|version| message_format(version))
            .collect();
        flags.put_text("web.remote-write-receiver.accepted-protobuf-messages", &formats.join(","));
    }
    let sends_metadata = spec
        .remote_write
        .iter()
        .any(|remote| remote.message_version.as_deref().is_some_and(|version| version == "V2.0"));
    // From 3.4 on, remote write needs no records of metadata for that, which cost memory.
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

/// What the user turns on, and what follows from other settings.
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

/// What only servers have.
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

/// How long samples are kept; from 3.11 on, the configuration says it.
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
    if let Some(delta) = &query.lookback_delta {
        flags.put("query.lookback-delta", delta);
    }
    if let Some(samples) = query.max_samples.filter(|samples| *samples > 0) {
        flags.put("query.max-samples", samples.to_string());
    }
    if let Some(concurrency) = query.max_concurrency.filter(|concurrency| *concurrency > 0) {
        flags.put("query.max-concurrency", concurrency.to_string());
    }
    if let Some(timeout) = &query.timeout {
        flags.put("query.timeout", &**timeout);
    }
}

#[cfg(test)]
mod tests;
