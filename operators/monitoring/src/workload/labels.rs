//! Labels and annotations that identify objects of the operator and pods.

use std::collections::BTreeMap;

/// Labels or annotations.
pub type Labels = BTreeMap<String, String>;

/// The manager of an object; the older of two labels.
pub const MANAGED_BY_OLD: &str = "managed-by";
/// The manager of an object.
pub const MANAGED_BY: &str = "app.kubernetes.io/managed-by";
/// The value of both.
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

/// The annotation with the container that `kubectl` uses by default.
pub const DEFAULT_CONTAINER: &str = "kubectl.kubernetes.io/default-container";
/// The prefix of the annotations of `kubectl`.
pub const KUBECTL: &str = "kubectl.kubernetes.io/";
/// The prefix of labels and annotations that only the operator sets.
pub const RESERVED: &str = "operator.prometheus.io/";

/// Labels from pairs.
pub fn labels<'l>(pairs: impl IntoIterator<Item = (&'l str, &'l str)>) -> Labels {
    pairs.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

/// All labels; later ones have precedence.
pub fn merged<'l>(all: impl IntoIterator<Item = &'l Labels>) -> Labels {
    all.into_iter().flatten().map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// Labels in the form of a selector: sorted, separated by commas.
pub(crate) fn printed(labels: &Labels) -> String {
    let pairs: Vec<String> = labels.iter().map(|(key, value)| format!("{key}={value}")).collect();
    pairs.join(",")
}
