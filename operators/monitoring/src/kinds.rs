//! The kinds that the operators read and write.

use k8s_openapi::api::apps::v1::{DaemonSet, StatefulSet};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, PersistentVolumeClaim, Pod, Secret, Service};
use kernel::declare::{Kind, Scope};
use monitoring_select::SelectableKind;

/// A kind of `monitoring.coreos.com`.
const fn monitoring(version: &'static str, kind: &'static str, plural: &'static str) -> Kind {
    Kind { group: "monitoring.coreos.com", version, kind, plural, scope: Scope::Namespaces }
}

/// A kind that workloads select.
pub const fn selectable(kind: SelectableKind) -> Kind {
    monitoring(kind.version(), kind.name(), kind.plural())
}

/// Prometheus.
pub const PROMETHEUS: Kind = monitoring("v1", "Prometheus", "prometheuses");
/// PrometheusAgent.
pub const AGENT: Kind = monitoring("v1alpha1", "PrometheusAgent", "prometheusagents");
/// Alertmanager.
pub const ALERTMANAGER: Kind = monitoring("v1", "Alertmanager", "alertmanagers");
/// ThanosRuler.
pub const THANOS_RULER: Kind = monitoring("v1", "ThanosRuler", "thanosrulers");
/// ServiceMonitor.
pub const SERVICE_MONITOR: Kind = selectable(SelectableKind::ServiceMonitor);
/// PodMonitor.
pub const POD_MONITOR: Kind = selectable(SelectableKind::PodMonitor);
/// Probe.
pub const PROBE: Kind = selectable(SelectableKind::Probe);
/// ScrapeConfig.
pub const SCRAPE_CONFIG: Kind = selectable(SelectableKind::ScrapeConfig);
/// PrometheusRule.
pub const RULE: Kind = selectable(SelectableKind::PrometheusRule);
/// AlertmanagerConfig.
pub const ALERTMANAGER_CONFIG: Kind = selectable(SelectableKind::AlertmanagerConfig);
/// Secret: configurations, certificates, and references of resources.
pub const SECRET: Kind = Kind::of::<Secret>();
/// ConfigMap: rules, and references of resources.
pub const CONFIG_MAP: Kind = Kind::of::<ConfigMap>();
/// Service: governs StatefulSets.
pub const SERVICE: Kind = Kind::of::<Service>();
/// StatefulSet.
pub const STATEFUL_SET: Kind = Kind::of::<StatefulSet>();
/// DaemonSet.
pub const DAEMON_SET: Kind = Kind::of::<DaemonSet>();
/// Pod.
pub const POD: Kind = Kind::of::<Pod>();
/// Volume claim.
pub const CLAIM: Kind = Kind::of::<PersistentVolumeClaim>();
/// Namespace, for its labels.
pub const NAMESPACE: Kind = Kind::of::<Namespace>();
