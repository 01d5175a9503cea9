//! Servers.

pub mod plan;
pub mod pods;
pub mod report;

use std::collections::{BTreeMap, BTreeSet};

use crate::plan::memo::Memo;
use crate::plan::{Invalid, Planned, Standing, Surroundings};
use crate::prometheus::pods as servers;
use crate::prometheus::report::{Found, with_scale};
use crate::rollout::Surplus;
use crate::status::reconciliation::Selects;
use crate::status::{Reconciliation, RepairPolicy, deprecation};
use crate::workload::defaults::{PROMETHEUS_VERSION, or_default};
use api_monitoring::Prometheus;
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::{Container, Pod};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use k8s_openapi::jiff::Timestamp;
use kernel::declare::Declaration;
use kernel::object::Key;
use monitoring_assets::Reference;
use monitoring_rules::config_map;
use serde_json::Value;

use crate::declaration;
use crate::interest::Selectable;
use crate::kind::{Judged, Seen, Workload, judged, monitors, needs, reload_path, rule_files};
use crate::kinds;
use crate::outside::Needs;

/// Servers.
#[derive(Debug)]
pub struct OfPrometheus;

impl Workload for OfPrometheus {
    type Resource = Prometheus;
    type Memory = plan::Memory;

    const DECLARATION: &'static Declaration = &declaration::PROMETHEUS;
    const SELECTABLE: Selectable = &[
        (kinds::SERVICE_MONITOR, "serviceMonitor"),
        (kinds::POD_MONITOR, "podMonitor"),
        (kinds::PROBE, "probe"),
        (kinds::SCRAPE_CONFIG, "scrapeConfig"),
        (kinds::RULE, "rule"),
    ];
    const APPLICATION: &'static str = "prometheus";
    const GOVERNING: &'static str = "prometheus-operated";
    const SELECTS: Option<Selects> = Some(Selects::ForServer);

    fn metadata(resource: &Prometheus) -> &ObjectMeta {
        &resource.metadata
    }

    fn is_paused(resource: &Prometheus) -> bool {
        resource.spec.shared.paused
    }

    fn prefix(name: &str) -> String {
        format!("prometheus-{name}")
    }

    fn status(resource: &Prometheus) -> Value {
        serde_json::to_value(&resource.status).unwrap_or_default()
    }

    fn configuration(name: &str) -> (String, &'static str) {
        (Self::prefix(name), "prometheus.yaml.gz")
    }

    fn rules(name: &str) -> Option<config_map::Workload<'_>> {
        Some(config_map::Workload::Prometheus(name))
    }

    fn plan(
        resource: &Prometheus,
        around: &Surroundings<'_>,
        standing: &Standing,
        memory: &mut plan::Memory,
    ) -> Result<Planned, Invalid> {
        plan::plan(resource, around, standing, memory)
    }

    fn references(memory: &plan::Memory) -> BTreeSet<Reference> {
        memory.monitors.all().into_iter().flat_map(Memo::references).cloned().collect()
    }

    fn surplus(
        resource: &Prometheus,
        sets: &BTreeMap<String, StatefulSet>,
        offered: bool,
        now: Timestamp,
    ) -> Surplus {
        crate::rollout::surplus(resource, sets.values(), offered, now)
    }

    fn operand(resource: &Prometheus) -> (&'static str, &str) {
        ("Prometheus", or_default(&resource.spec.shared.version, PROMETHEUS_VERSION))
    }

    fn reload(resource: &Prometheus) -> (u16, String) {
        (9090, reload_path(&resource.spec.shared.route_prefix))
    }

    fn rule_files(memory: &plan::Memory) -> BTreeMap<String, Key> {
        rule_files(&memory.rules)
    }

    fn has_tls(resource: &Prometheus) -> bool {
        resource.spec.shared.web.as_ref().is_some_and(|web| web.file.tls_config.is_some())
    }

    fn judged(memory: &plan::Memory) -> Vec<Judged<'_>> {
        monitors(&memory.monitors).chain(judged(kinds::RULE, &memory.rules)).collect()
    }

    fn containers(resource: &Prometheus) -> [&[Container]; 2] {
        let spec = &resource.spec.shared;
        [&spec.containers, &spec.init_containers]
    }

    fn needs(resource: &Prometheus) -> Needs {
        let spec = &resource.spec.shared;
        let labels = servers::Instance::server(resource).map(|instance| instance.common_labels());
        needs(spec.storage.as_ref(), spec.service_name.as_ref(), labels.ok())
    }

    fn deprecated(resource: &Prometheus) -> Vec<String> {
        deprecation::of_prometheus(&resource.spec)
    }

    fn report(resource: &Prometheus, seen: &Seen, last: &Reconciliation, now: &Time) -> Value {
        let sets = seen.sets.iter().map(|(name, set)| (name.clone(), set)).collect();
        let pods: Vec<&Pod> = seen.pods.iter().collect();
        let found = Found { stateful_sets: &sets, pods: &pods };
        let workload = resource.into();
        let report = report::report(&workload, found, last, RepairPolicy::None, now);
        let labels = servers::Instance::server(resource).map(|instance| instance.common_labels());
        let status = with_scale(report.status, &resource.spec.shared, &labels.unwrap_or_default());
        serde_json::to_value(status).unwrap_or_default()
    }
}
