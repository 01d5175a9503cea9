//! Labels and annotations by which the operator knows its own, and users find pods.

use std::collections::BTreeMap;

/// Labels or annotations.
pub type Labels = BTreeMap<String, String>;

/// Says that something belongs to the operator; the older of two names.
pub const MANAGED_BY_OLD: &str = "managed-by";
/// Says that something belongs to the operator.
pub const MANAGED_BY: &str = "app.kubernetes.io/managed-by";
/// What both of them say.
pub const OPERATOR: &str = "prometheus-operator";
/// The application that runs.
pub const APPLICATION: &str = "app.kubernetes.io/name";
/// The resource that an application runs for.
pub const INSTANCE: &str = "app.kubernetes.io/instance";
/// The version of the application.
pub const VERSION: &str = "app.kubernetes.io/version";
/// The number of a shard.
pub const SHARD: &str = "operator.prometheus.io/shard";
/// The Prometheus or PrometheusAgent that a shard belongs to.
pub const NAME: &str = "operator.prometheus.io/name";
/// Whether a shard is a server or an agent.
pub const MODE: &str = "operator.prometheus.io/mode";

/// The annotation with the hash of all that an object was made from.
pub const INPUT_HASH: &str = "prometheus-operator-input-hash";
/// The annotation with the container that tools show first.
pub const DEFAULT_CONTAINER: &str = "kubectl.kubernetes.io/default-container";
/// What annotations of `kubectl` begin with.
pub const KUBECTL: &str = "kubectl.kubernetes.io/";
/// What labels and annotations begin with that nobody but the operator sets.
pub const RESERVED: &str = "operator.prometheus.io/";

/// Labels from pairs.
pub fn labels<const N: usize>(pairs: [(&str, &str); N]) -> Labels {
    pairs.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

/// All labels; the later ones win.
pub fn merged<'l>(all: impl IntoIterator<Item = &'l Labels>) -> Labels {
    let mut merged = Labels::new();
    for labels in all {
        merged.extend(labels.iter().map(|(key, value)| (key.clone(), value.clone())));
    }
    merged
}

/// The labels as a selector prints them: sorted, with commas between.
pub(crate) fn printed(labels: &Labels) -> String {
    let pairs: Vec<String> = labels.iter().map(|(key, value)| format!("{key}={value}")).collect();
    pairs.join(",")
}
