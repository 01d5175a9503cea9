//! What the four workloads ask for of the six kinds.

use api_monitoring::prometheus::shared::SharedSpec;
use api_monitoring::{Alertmanager, Prometheus, PrometheusAgent, SelectableKind, ThanosRuler};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::asking::{Asking, SelectionError, Selectors};

/// The annotation with which a workload names the operator that it is for.
pub const CONTROLLER_ID: &str = "operator.prometheus.io/controller-id";

/// A workload that asks for objects.
#[derive(Debug, Clone, Copy)]
pub enum Asker<'w> {
    /// A server.
    Prometheus(&'w Prometheus),
    /// An agent.
    Agent(&'w PrometheusAgent),
    /// An Alertmanager.
    Alertmanager(&'w Alertmanager),
    /// A Thanos Ruler.
    ThanosRuler(&'w ThanosRuler),
}

impl<'w> Asker<'w> {
    /// What it asks for of a kind, checked.
    pub fn asking(self, kind: SelectableKind) -> Result<Asking<'w>, SelectionError> {
        Asking::new(self.metadata().namespace.as_deref().unwrap_or_default(), self.selectors(kind))
    }

    /// The controller id that it names; empty, if none.
    pub fn controller_id(self) -> &'w str {
        let annotations = self.metadata().annotations.as_ref();
        annotations.and_then(|all| all.get(CONTROLLER_ID)).map(String::as_str).unwrap_or_default()
    }

    /// What it says that it asks for of a kind; nothing of a kind that it cannot take.
    pub fn selectors(self, kind: SelectableKind) -> Selectors<'w> {
        match (self, kind) {
            (Self::Prometheus(server), SelectableKind::PrometheusRule) => {
                let spec = &server.spec;
                Selectors::new(spec.rule_namespace_selector.as_ref(), spec.rule_selector.as_ref())
            }
            (Self::ThanosRuler(ruler), SelectableKind::PrometheusRule) => {
                let spec = &ruler.spec;
                Selectors::new(spec.rule_namespace_selector.as_ref(), spec.rule_selector.as_ref())
            }
            (Self::Alertmanager(alertmanager), SelectableKind::AlertmanagerConfig) => {
                let spec = &alertmanager.spec;
                Selectors {
                    namespaces: spec.alertmanager_config_namespace_selector.as_ref(),
                    labels: spec.alertmanager_config_selector.as_ref(),
                    named: spec.alertmanager_configuration.as_ref().map(|base| base.name.as_str()),
                }
            }
            (Self::Prometheus(server), kind) => monitors(&server.spec.shared, kind),
            (Self::Agent(agent), kind) => monitors(&agent.spec.shared, kind),
            (Self::Alertmanager(_) | Self::ThanosRuler(_), _) => Selectors::default(),
        }
    }

    fn metadata(self) -> &'w ObjectMeta {
        match self {
            Self::Prometheus(server) => &server.metadata,
            Self::Agent(agent) => &agent.metadata,
            Self::Alertmanager(alertmanager) => &alertmanager.metadata,
            Self::ThanosRuler(ruler) => &ruler.metadata,
        }
    }
}

/// What servers and agents ask for alike, of a kind with scrape jobs.
pub fn monitors(spec: &SharedSpec, kind: SelectableKind) -> Selectors<'_> {
    let (namespaces, labels) = match kind {
        SelectableKind::ServiceMonitor => {
            (&spec.service_monitor_namespace_selector, &spec.service_monitor_selector)
        }
        SelectableKind::PodMonitor => (&spec.pod_monitor_namespace_selector, &spec.pod_monitor_selector),
        SelectableKind::Probe => (&spec.probe_namespace_selector, &spec.probe_selector),
        SelectableKind::ScrapeConfig => {
            (&spec.scrape_config_namespace_selector, &spec.scrape_config_selector)
        }
        SelectableKind::PrometheusRule | SelectableKind::AlertmanagerConfig => return Selectors::default(),
    };
    Selectors::new(namespaces.as_ref(), labels.as_ref())
}
