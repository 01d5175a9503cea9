//! Agents.

use std::collections::BTreeSet;

use api_monitoring::PrometheusAgent;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use kernel::declare::Declaration;
use monitoring_assets::Reference;
use monitoring_plan::memo::Memo;
use monitoring_plan::{Invalid, Planned, Standing, Surroundings, agent};
use monitoring_rules::config_map;
use monitoring_status::prometheus::{Found, with_scale};
use monitoring_status::reconciliation::Selects;
use monitoring_status::{Reconciliation, RepairPolicy};
use monitoring_workload::defaults::{PROMETHEUS_VERSION, or_default};
use monitoring_workload::prometheus as servers;
use serde_json::Value;

use super::{Judged, Seen, Workload, monitors, needs, reload_path};
use crate::declaration;
use crate::interest::Selectable;
use crate::kinds;
use crate::outside::Needs;

/// Agents.
#[derive(Debug)]
pub struct OfAgent;

impl Workload for OfAgent {
    type Resource = PrometheusAgent;
    type Memory = agent::Memory;

    const DECLARATION: &'static Declaration = &declaration::AGENT;
    const SELECTABLE: Selectable = &[
        (kinds::SERVICE_MONITOR, "serviceMonitor"),
        (kinds::POD_MONITOR, "podMonitor"),
        (kinds::PROBE, "probe"),
        (kinds::SCRAPE_CONFIG, "scrapeConfig"),
    ];
    const APPLICATION: &'static str = "prometheus-agent";
    const GOVERNING: &'static str = "prometheus-agent-operated";
    const SELECTS: Option<Selects> = Some(Selects::ForAgent);

    fn metadata(resource: &PrometheusAgent) -> &ObjectMeta {
        &resource.metadata
    }

    fn is_paused(resource: &PrometheusAgent) -> bool {
        resource.spec.shared.paused
    }

    fn prefix(name: &str) -> String {
        format!("prom-agent-{name}")
    }

    fn status(resource: &PrometheusAgent) -> Value {
        serde_json::to_value(&resource.status).unwrap_or_default()
    }

    fn configuration(name: &str) -> (String, &'static str) {
        (Self::prefix(name), "prometheus.yaml.gz")
    }

    fn rules(_name: &str) -> Option<config_map::Workload<'_>> {
        None
    }

    fn plan(
        resource: &PrometheusAgent,
        around: &Surroundings<'_>,
        standing: &Standing,
        memory: &mut agent::Memory,
    ) -> Result<Planned, Invalid> {
        agent::plan(resource, around, standing, memory)
    }

    fn references(memory: &agent::Memory) -> BTreeSet<Reference> {
        memory.monitors.all().into_iter().flat_map(Memo::references).cloned().collect()
    }

    fn operand(resource: &PrometheusAgent) -> (&'static str, &str) {
        ("Prometheus", or_default(&resource.spec.shared.version, PROMETHEUS_VERSION))
    }

    fn reload(resource: &PrometheusAgent) -> (u16, String) {
        (9090, reload_path(&resource.spec.shared.route_prefix))
    }

    fn has_tls(resource: &PrometheusAgent) -> bool {
        resource.spec.shared.web.as_ref().is_some_and(|web| web.file.tls_config.is_some())
    }

    fn judged(memory: &agent::Memory) -> Vec<Judged<'_>> {
        monitors(&memory.monitors).collect()
    }

    fn needs(resource: &PrometheusAgent) -> Needs {
        let spec = &resource.spec.shared;
        let labels = servers::Instance::agent(resource).map(|instance| instance.common_labels());
        needs(spec.storage.as_ref(), spec.service_name.as_ref(), labels.ok())
    }

    fn deprecated(_resource: &PrometheusAgent) -> Vec<String> {
        Vec::new()
    }

    fn report(resource: &PrometheusAgent, seen: &Seen, last: &Reconciliation, now: &Time) -> Value {
        let sets = seen.sets.iter().map(|(name, set)| (name.clone(), set)).collect();
        let pods: Vec<&Pod> = seen.pods.iter().collect();
        let found = Found { stateful_sets: &sets, pods: &pods };
        let workload = resource.into();
        let report = monitoring_status::prometheus::report(&workload, found, last, RepairPolicy::None, now);
        let labels = servers::Instance::agent(resource).map(|instance| instance.common_labels());
        let status = with_scale(report.status, &resource.spec.shared, &labels.unwrap_or_default());
        serde_json::to_value(status).unwrap_or_default()
    }
}
