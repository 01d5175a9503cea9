use api_monitoring::Prometheus;
use api_monitoring::prometheus::remote::RemoteWriteSpec;
use formats::prometheus::UnsupportedField;

use super::{VERSIONS, server, shared};
use crate::prometheus::Instance;
use crate::workload::arguments::{Flags, build};

fn prometheus(version: &str) -> Prometheus {
    let mut prometheus = Prometheus::default();
    prometheus.spec.shared.version = version.into();
    prometheus
}

/// The flags except those that every server has, and the unsupported ones.
fn of_shared(prometheus: &Prometheus) -> (Vec<String>, Vec<UnsupportedField>) {
    let instance = Instance::server(prometheus).unwrap();
    let flags = shared(&instance);
    let all = build(&flags.arguments, &[]).unwrap();
    let always = ["--config.file=", "--web.console.", "--web.enable-lifecycle", "--web.route-prefix=/"];
    let some = all.into_iter().filter(|flag| !always.iter().any(|start| flag.starts_with(start)));
    (some.collect(), flags.left_out)
}

fn of_server(prometheus: &Prometheus) -> Vec<String> {
    let instance = Instance::server(prometheus).unwrap();
    let mut flags = Flags::new(&instance.version, VERSIONS);
    server(&instance, &prometheus.spec, &mut flags);
    build(&flags.arguments, &[]).unwrap()
}

fn left_out(flag: &str, versions: &str) -> UnsupportedField {
    UnsupportedField { field: flag.into(), versions: versions.into() }
}

#[test]
fn an_unsupported_feature_removes_no_other_flag() {
    let mut prometheus = prometheus("2.53.0");
    let remote = RemoteWriteSpec { message_version: Some("V2.0".into()), ..RemoteWriteSpec::default() };
    prometheus.spec.shared.remote_write = vec![remote];
    prometheus.spec.shared.enable_features = vec!["a".into(), "b".into()];
    prometheus.spec.shared.workload.log_format = "json".into();
    let flags = ["--enable-feature=a,b", "--log.format=json"].map(str::to_owned).to_vec();
    let missing = left_out("--enable-feature=metadata-wal-records", "2.54 or later");
    assert_eq!(of_shared(&prometheus), (flags, vec![missing]));
}

#[test]
fn metadata_is_recorded_only_where_remote_write_needs_it() {
    let expected = ["--enable-feature=metadata-wal-records".to_owned()];
    for (version, count) in [("2.54.0", 1), ("3.3.9", 1), ("3.4.0", 0)] {
        let mut prometheus = prometheus(version);
        let old = RemoteWriteSpec::default();
        let new = RemoteWriteSpec { message_version: Some("V2.0".into()), ..RemoteWriteSpec::default() };
        prometheus.spec.shared.remote_write = vec![old, new.clone(), new];
        assert_eq!(of_shared(&prometheus), (expected[..count].to_vec(), vec![]), "{version}");
    }
}

#[test]
fn the_receiver_of_opentelemetry_follows_from_its_settings() {
    for (version, enabled, settings, expected) in [
        ("2.46.0", Some(true), false, None),
        ("2.47.0", None, true, Some("--enable-feature=otlp-write-receiver")),
        ("3.0.0", None, true, Some("--web.enable-otlp-receiver")),
        ("3.0.0", Some(false), true, None),
        ("3.0.0", None, false, None),
    ] {
        let mut prometheus = prometheus(version);
        prometheus.spec.shared.enable_otlp_receiver = enabled;
        prometheus.spec.shared.otlp = settings.then(Default::default);
        let expected: Vec<String> = expected.map(str::to_owned).into_iter().collect();
        assert_eq!(of_shared(&prometheus).0, expected, "{version} {enabled:?} {settings}");
    }
}

#[test]
fn the_default_retention_applies_only_without_another_limit() {
    for (version, time, size, expected) in [
        ("2.6.0", "", "1GB", vec!["--storage.tsdb.retention=24h"]),
        ("2.6.0", "1d", "", vec!["--storage.tsdb.retention=1d"]),
        ("2.7.0", "", "", vec!["--storage.tsdb.retention.time=24h"]),
        ("2.7.0", "", "1GB", vec!["--storage.tsdb.retention.size=1GB"]),
        (
            "3.10.0",
            "1d",
            "1GB",
            vec!["--storage.tsdb.retention.time=1d", "--storage.tsdb.retention.size=1GB"],
        ),
        ("3.11.0", "1d", "1GB", vec![]),
    ] {
        let mut prometheus = prometheus(version);
        prometheus.spec.retention = time.into();
        prometheus.spec.retention_size = size.into();
        let mut expected: Vec<String> = expected.into_iter().map(str::to_owned).collect();
        expected.push("--storage.tsdb.path=/prometheus".into());
        assert_eq!(of_server(&prometheus), expected, "{version} {time} {size}");
    }
}
