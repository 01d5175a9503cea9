//! The defaults are those of the peer.

use std::collections::BTreeMap;

use super::{names, shown};
use crate::flags::{OperatorFlags, webhook};

/// The defaults of the peer that are not empty.
const OPERATOR: [(&str, &str); 29] = [
    ("alertmanager-default-base-image", "quay.io/prometheus/alertmanager"),
    ("auto-gomemlimit-ratio", "0"),
    ("config-reloader-cpu-limit", "10m"),
    ("config-reloader-cpu-request", "10m"),
    ("config-reloader-memory-limit", "50Mi"),
    ("config-reloader-memory-request", "50Mi"),
    ("disable-unmanaged-prometheus-configuration", "false"),
    ("enable-config-reloader-probes", "false"),
    ("kubelet-endpoints", "true"),
    ("kubelet-endpointslice", "false"),
    ("kubelet-http-metrics", "true"),
    ("kubelet-node-address-priority", "internal"),
    ("kubelet-sync-period", "3m0s"),
    ("localhost", "localhost"),
    ("log-format", "logfmt"),
    ("log-level", "info"),
    ("prometheus-config-reloader", "quay.io/prometheus-operator/prometheus-config-reloader:v0.93.1"),
    ("prometheus-default-base-image", "quay.io/prometheus/prometheus"),
    ("repair-policy-for-statefulsets", ""),
    ("thanos-default-base-image", "quay.io/thanos/thanos"),
    ("tls-insecure", "false"),
    ("watch-referenced-objects-in-all-namespaces", "false"),
    ("web.cert-file", "/etc/tls/private/tls.crt"),
    ("web.client-ca-file", "/etc/tls/private/tls-ca.crt"),
    ("web.enable-http2", "false"),
    ("web.enable-tls", "false"),
    ("web.key-file", "/etc/tls/private/tls.key"),
    ("web.listen-address", ":8080"),
    ("web.tls-min-version", "VersionTLS13"),
];

/// The flags whose default is empty.
const EMPTY: [&str; 25] = [
    "alertmanager-config-namespaces",
    "alertmanager-instance-namespaces",
    "alertmanager-instance-selector",
    "annotations",
    "apiserver",
    "as",
    "ca-file",
    "cert-file",
    "cluster-domain",
    "configmap-field-selector",
    "configmap-label-selector",
    "controller-id",
    "deny-namespaces",
    "feature-gates",
    "key-file",
    "kubelet-selector",
    "kubelet-service",
    "labels",
    "namespaces",
    "prometheus-instance-namespaces",
    "prometheus-instance-selector",
    "secret-field-selector",
    "secret-label-selector",
    "thanos-ruler-instance-namespaces",
    "thanos-ruler-instance-selector",
];

const WEBHOOK: [(&str, &str); 15] = [
    ("auto-gomemlimit-ratio", "0"),
    ("log-format", "logfmt"),
    ("log-level", "info"),
    ("name-validation-scheme", "legacy"),
    ("promql-options", ""),
    ("web.cert-file", "/etc/tls/private/tls.crt"),
    ("web.client-ca-file", "/etc/tls/private/tls-ca.crt"),
    ("web.enable-http2", "false"),
    ("web.enable-tls", "true"),
    ("web.key-file", "/etc/tls/private/tls.key"),
    ("web.listen-address", ":8443"),
    ("web.tls-cipher-suites", ""),
    ("web.tls-curves", ""),
    ("web.tls-min-version", "VersionTLS13"),
    ("web.tls-reload-interval", "1m0s"),
];

fn expected(pairs: impl IntoIterator<Item = (&'static str, &'static str)>) -> BTreeMap<&'static str, String> {
    pairs.into_iter().map(|(name, value)| (name, value.to_owned())).collect()
}

#[test]
fn the_operator_has_the_flags_and_defaults_of_the_peer() {
    let web = [("web.tls-cipher-suites", ""), ("web.tls-curves", ""), ("web.tls-reload-interval", "1m0s")];
    let all = OPERATOR.into_iter().chain(EMPTY.map(|name| (name, ""))).chain(web);
    assert_eq!(BTreeMap::from_iter(shown(OperatorFlags::default())), expected(all));
}

#[test]
fn the_webhook_has_the_flags_and_defaults_of_the_peer() {
    assert_eq!(BTreeMap::from_iter(shown(webhook::WebhookFlags::default())), expected(WEBHOOK));
}

#[test]
fn names_are_unique() {
    for mut names in [names::<OperatorFlags>(), names::<webhook::WebhookFlags>()] {
        names.extend(["version", "short-version", "h", "help"]);
        names.sort_unstable();
        assert_eq!(names.windows(2).find(|pair| pair[0] == pair[1]), None);
    }
}
