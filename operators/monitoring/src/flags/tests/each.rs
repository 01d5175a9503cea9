//! What each flag sets.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use crate::kubelet::AddressPriority;
use capability::rollout::RepairPolicy;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use kernel::object::Key;
use kernel::telemetry::LogFormat;

use super::{changed, flags, names};
use crate::flags::log::LogThreshold;
use crate::flags::value::FlagValue as _;
use crate::flags::{FieldSelector, Gate, LabelSelector, OperatorFlags};

type Case = (&'static str, &'static str, fn(&mut OperatorFlags));

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn file(path: &str) -> PathBuf {
    PathBuf::from(path)
}

fn labels(text: &str) -> LabelSelector {
    let mut selector = LabelSelector::default();
    selector.set(text).unwrap();
    selector
}

fn fields(text: &str) -> FieldSelector {
    let mut selector = FieldSelector::default();
    selector.set(text).unwrap();
    selector
}

const CLUSTER_AND_WEB: &[Case] = &[
    ("as", "system:admin", |flags| flags.cluster.user = "system:admin".into()),
    ("apiserver", "http://a:1", |flags| flags.cluster.server = "http://a:1".into()),
    ("cert-file", "a.crt", |flags| flags.cluster.certificate = Some(file("a.crt"))),
    ("key-file", "a.key", |flags| flags.cluster.key = Some(file("a.key"))),
    ("ca-file", "ca.crt", |flags| flags.cluster.authority = Some(file("ca.crt"))),
    ("tls-insecure", "true", |flags| flags.cluster.insecure = true),
    ("web.listen-address", "a:1", |flags| flags.web.listen_address = "a:1".into()),
    ("web.enable-http2", "1", |flags| flags.web.http2 = true),
    ("web.enable-tls", "T", |flags| flags.web.enable_tls = true),
    ("web.cert-file", "", |flags| flags.web.certificate = None),
    ("web.key-file", "w.key", |flags| flags.web.key = Some(file("w.key"))),
    ("web.client-ca-file", "w.ca", |flags| flags.web.client_authority = Some(file("w.ca"))),
    ("web.tls-reload-interval", "10s", |flags| flags.web.reload_interval = Duration::from_secs(10)),
    ("web.tls-min-version", "VersionTLS12", |flags| flags.web.min_version = "VersionTLS12".into()),
    ("web.tls-cipher-suites", "b,a", |flags| flags.web.cipher_suites = set(&["a", "b"])),
    ("web.tls-curves", "X25519", |flags| flags.web.curves = set(&["X25519"])),
    ("log-level", "DEBUG", |flags| flags.log.level = LogThreshold::Debug),
    ("log-format", "Json", |flags| flags.log.format = LogFormat::Json),
    ("auto-gomemlimit-ratio", "0.9", |flags| flags.memory_limit_ratio = 0.9),
];

const SCOPE: &[Case] = &[
    ("namespaces", "b,a,b", |flags| flags.scope.namespaces = set(&["a", "b"])),
    ("deny-namespaces", "a", |flags| flags.scope.deny_namespaces = set(&["a"])),
    ("prometheus-instance-namespaces", "a", |flags| flags.scope.prometheus_namespaces = set(&["a"])),
    ("alertmanager-instance-namespaces", "a", |flags| flags.scope.alertmanager_namespaces = set(&["a"])),
    ("alertmanager-config-namespaces", "a", |flags| {
        flags.scope.alertmanager_config_namespaces = set(&["a"]);
    }),
    ("thanos-ruler-instance-namespaces", "", |flags| flags.scope.thanos_ruler_namespaces = set(&[""])),
    ("watch-referenced-objects-in-all-namespaces", "t", |flags| flags.scope.references_everywhere = true),
    ("prometheus-instance-selector", "a=b", |flags| flags.scope.prometheus = labels("a=b")),
    ("alertmanager-instance-selector", "a in (b)", |flags| flags.scope.alertmanager = labels("a in (b)")),
    ("thanos-ruler-instance-selector", "!a", |flags| flags.scope.thanos_ruler = labels("!a")),
    ("secret-field-selector", "type!=a", |flags| flags.scope.secret_fields = fields("type!=a")),
    ("secret-label-selector", "a", |flags| flags.scope.secret_labels = labels("a")),
    ("configmap-field-selector", "a=b", |flags| flags.scope.config_map_fields = fields("a=b")),
    ("configmap-label-selector", "a!=b", |flags| flags.scope.config_map_labels = labels("a!=b")),
];

const OBJECTS: &[Case] = &[
    ("annotations", "a=b=c,d=", |flags| {
        flags.operator.annotations =
            BTreeMap::from([("a".into(), "b=c".into()), ("d".into(), String::new())]);
    }),
    ("labels", "a=b", |flags| flags.operator.labels = BTreeMap::from([("a".into(), "b".into())])),
    ("localhost", "127.0.0.1", |flags| flags.operator.local_host = "127.0.0.1".into()),
    ("cluster-domain", "cluster.local", |flags| flags.operator.cluster_domain = "cluster.local".into()),
    ("controller-id", "blue/green", |flags| flags.objects.controller_id = "blue/green".into()),
    ("repair-policy-for-statefulsets", "evict", |flags| flags.objects.repair = Some(RepairPolicy::Evict)),
    ("disable-unmanaged-prometheus-configuration", "True", |flags| flags.objects.always_managed = true),
    ("prometheus-default-base-image", "a/p", |flags| flags.operator.prometheus_image = "a/p".into()),
    ("alertmanager-default-base-image", "a/a", |flags| flags.operator.alertmanager_image = "a/a".into()),
    ("thanos-default-base-image", "a/t", |flags| flags.operator.thanos_image = "a/t".into()),
    ("feature-gates", "PrometheusAgentDaemonSet=true", |flags| {
        flags.gates.switch(Gate::PrometheusAgentDaemonSet, true);
    }),
];

const PODS: &[Case] = &[
    ("prometheus-config-reloader", "a/r:1", |flags| flags.operator.reloader.image = "a/r:1".into()),
    ("config-reloader-cpu-request", "1", |flags| flags.operator.reloader.cpu_request = Quantity("1".into())),
    ("config-reloader-cpu-limit", "0", |flags| flags.operator.reloader.cpu_limit = Quantity("0".into())),
    ("config-reloader-memory-request", "1Gi", |flags| {
        flags.operator.reloader.memory_request = Quantity("1Gi".into());
    }),
    // As in the peer, an empty text leaves the amount as it is.
    ("config-reloader-memory-limit", "", |_| {}),
    ("enable-config-reloader-probes", "TRUE", |flags| flags.operator.reloader.probes = true),
    ("kubelet-service", "a/b", |flags| {
        flags.kubelet.service = Some(Key::new("a", "b"));
    }),
    ("kubelet-selector", "a=b", |flags| flags.kubelet.nodes = labels("a=b")),
    ("kubelet-node-address-priority", "external", |flags| flags.kubelet.priority = AddressPriority::External),
    ("kubelet-endpointslice", "true", |flags| flags.kubelet.endpoint_slices = true),
    ("kubelet-endpoints", "false", |flags| flags.kubelet.endpoints = false),
    ("kubelet-sync-period", "1m30s", |flags| flags.kubelet.sync_period = Duration::from_secs(90)),
    ("kubelet-http-metrics", "0", |flags| flags.kubelet.plain_http = false),
];

fn cases() -> impl Iterator<Item = &'static Case> {
    [CLUSTER_AND_WEB, SCOPE, OBJECTS, PODS].into_iter().flatten()
}

#[test]
fn each_flag_sets_its_field_and_no_other() {
    for (name, value, change) in cases() {
        for argument in [format!("-{name}={value}"), format!("--{name}={value}")] {
            assert_eq!(flags(&[&argument]), changed(change), "{argument}");
        }
    }
}

#[test]
fn every_flag_has_a_case() {
    let named: BTreeSet<&str> = cases().map(|(name, ..)| *name).collect();
    assert_eq!(named, names::<OperatorFlags>().into_iter().collect());
}

#[test]
fn repeated_flags_add_to_sets_and_maps_and_replace_other_values() {
    for (arguments, change) in [
        (
            &["-namespaces=a", "-namespaces=b,c"][..],
            (|flags| flags.scope.namespaces = set(&["a", "b", "c"])) as fn(&mut OperatorFlags),
        ),
        (&["-web.tls-curves=a", "-web.tls-curves=b"], |flags| flags.web.curves = set(&["a", "b"])),
        (&["-labels=a=1,b=1", "-labels=b=2", "-labels="], |flags| {
            flags.operator.labels = BTreeMap::from([("a".into(), "1".into()), ("b".into(), "2".into())]);
        }),
        (
            &[
                "-feature-gates=PrometheusAgentDaemonSet=true,PrometheusTopologySharding=false",
                "-feature-gates=PrometheusTopologySharding=true",
                "-feature-gates=",
            ],
            |flags| flags.gates.switch(Gate::PrometheusAgentDaemonSet, true),
        ),
        (&["-localhost=a", "-localhost=b"], |flags| flags.operator.local_host = "b".into()),
        (&["-secret-label-selector=a", "-secret-label-selector="], |_| {}),
        (&["-kubelet-endpoints=false", "-kubelet-endpoints"], |_| {}),
        (&["-config-reloader-cpu-limit=1", "-config-reloader-cpu-limit="], |flags| {
            flags.operator.reloader.cpu_limit = Quantity("1".into());
        }),
        (&["-kubelet-service=a/b", "-kubelet-service="], |_| {}),
    ] {
        assert_eq!(flags(arguments), changed(change), "{arguments:?}");
    }
}
