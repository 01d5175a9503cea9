//! The kinds that are looked at and written.

use k8s_openapi::api::apps::v1::{DaemonSet, StatefulSet};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, PersistentVolumeClaim, Pod, Secret, Service};
use kernel::declare::{Kind, Scope};
use monitoring_select::SelectableKind;

/// A kind of the group of the monitoring resources.
const fn monitoring(version: &'static str, kind: &'static str, plural: &'static str) -> Kind {
    Kind { group: "monitoring.coreos.com", version, kind, plural, scope: Scope::Namespaces }
}

/// A kind that workloads select.
pub const fn selectable(kind: SelectableKind) -> Kind {
    monitoring(kind.version(), kind.name(), kind.plural())
}

/// Servers.
pub const PROMETHEUS: Kind = monitoring("v1", "Prometheus", "prometheuses");
/// Agents.
pub const AGENT: Kind = monitoring("v1alpha1", "PrometheusAgent", "prometheusagents");
/// Alertmanagers.
pub const ALERTMANAGER: Kind = monitoring("v1", "Alertmanager", "alertmanagers");
/// Thanos Rulers.
pub const THANOS_RULER: Kind = monitoring("v1", "ThanosRuler", "thanosrulers");
/// Services to scrape.
pub const SERVICE_MONITOR: Kind = selectable(SelectableKind::ServiceMonitor);
/// Pods to scrape.
pub const POD_MONITOR: Kind = selectable(SelectableKind::PodMonitor);
/// Addresses to probe.
pub const PROBE: Kind = selectable(SelectableKind::Probe);
/// Anything else to scrape.
pub const SCRAPE_CONFIG: Kind = selectable(SelectableKind::ScrapeConfig);
/// Rules.
pub const RULE: Kind = selectable(SelectableKind::PrometheusRule);
/// Who is told of alerts.
pub const ALERTMANAGER_CONFIG: Kind = selectable(SelectableKind::AlertmanagerConfig);
/// Configurations, certificates, and what resources point to.
pub const SECRET: Kind = Kind::of::<Secret>();
/// Rules, and what resources point to.
pub const CONFIG_MAP: Kind = Kind::of::<ConfigMap>();
/// How pods find each other.
pub const SERVICE: Kind = Kind::of::<Service>();
/// What keeps pods.
pub const STATEFUL_SET: Kind = Kind::of::<StatefulSet>();
/// What keeps a pod on every node.
pub const DAEMON_SET: Kind = Kind::of::<DaemonSet>();
/// Pods.
pub const POD: Kind = Kind::of::<Pod>();
/// Volumes of pods.
pub const CLAIM: Kind = Kind::of::<PersistentVolumeClaim>();
/// Namespaces, for their labels.
pub const NAMESPACE: Kind = Kind::of::<Namespace>();
