//! What the four workloads ask for of the six kinds.

use api_monitoring::prometheus::shared::SharedSpec;
use api_monitoring::{
    Alertmanager, PodMonitor, Probe, Prometheus, PrometheusAgent, ScrapeConfig, ServiceMonitor, ThanosRuler,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::asking::{Asking, SelectionError, Selectors};
use crate::selection::Selectable;

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

/// The kinds that workloads select.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// ServiceMonitors.
    ServiceMonitor,
    /// PodMonitors.
    PodMonitor,
    /// Probes.
    Probe,
    /// ScrapeConfigs.
    ScrapeConfig,
    /// PrometheusRules.
    PrometheusRule,
    /// AlertmanagerConfigs.
    AlertmanagerConfig,
}

impl<'w> Asker<'w> {
    /// What it asks for of a kind, checked.
    pub fn asking(self, kind: Kind) -> Result<Asking<'w>, SelectionError> {
        Asking::new(self.metadata().namespace.as_deref().unwrap_or_default(), self.selectors(kind))
    }

    /// The controller id that it names; empty, if none.
    pub fn controller_id(self) -> &'w str {
        let annotations = self.metadata().annotations.as_ref();
        annotations.and_then(|all| all.get(CONTROLLER_ID)).map(String::as_str).unwrap_or_default()
    }

    /// What it says that it asks for of a kind; nothing of a kind that it cannot take.
    pub fn selectors(self, kind: Kind) -> Selectors<'w> {
        match (self, kind) {
            (Self::Prometheus(server), Kind::PrometheusRule) => {
                let spec = &server.spec;
                Selectors::new(spec.rule_namespace_selector.as_ref(), spec.rule_selector.as_ref())
            }
            (Self::ThanosRuler(ruler), Kind::PrometheusRule) => {
                let spec = &ruler.spec;
                Selectors::new(spec.rule_namespace_selector.as_ref(), spec.rule_selector.as_ref())
            }
            (Self::Alertmanager(alertmanager), Kind::AlertmanagerConfig) => {
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

/// What servers and agents ask for alike.
fn monitors(spec: &SharedSpec, kind: Kind) -> Selectors<'_> {
    match kind {
        Kind::ServiceMonitor => ServiceMonitor::selectors(spec),
        Kind::PodMonitor => PodMonitor::selectors(spec),
        Kind::Probe => Probe::selectors(spec),
        Kind::ScrapeConfig => ScrapeConfig::selectors(spec),
        Kind::PrometheusRule | Kind::AlertmanagerConfig => Selectors::default(),
    }
}
