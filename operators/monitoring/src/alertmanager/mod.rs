//! Alertmanagers.

pub mod plan;
pub mod pods;
pub mod report;

use std::collections::BTreeSet;

use crate::alertmanager::pods as alertmanagers;
use crate::plan::{Invalid, Planned, Standing, Surroundings};
use crate::status::reconciliation::Selects;
use crate::status::{Pods, Reconciliation, deprecation};
use crate::workload::defaults::{ALERTMANAGER_VERSION, or_default};
use api_monitoring::Alertmanager;
use k8s_openapi::api::core::v1::Container;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use kernel::declare::Declaration;
use monitoring_assets::Reference;
use monitoring_rules::config_map;
use serde_json::Value;

use crate::declaration;
use crate::interest::Selectable;
use crate::kind::{Judged, Seen, Workload, judged, needs, reload_path};
use crate::kinds;
use crate::outside::Needs;

/// Alertmanagers.
#[derive(Debug)]
pub struct OfAlertmanager;

impl Workload for OfAlertmanager {
    type Resource = Alertmanager;
    type Memory = plan::Memory;

    const DECLARATION: &'static Declaration = &declaration::ALERTMANAGER;
    const SELECTABLE: Selectable = &[(kinds::ALERTMANAGER_CONFIG, "alertmanagerConfig")];
    const APPLICATION: &'static str = "alertmanager";
    const GOVERNING: &'static str = "alertmanager-operated";
    const SELECTS: Option<Selects> = None;

    fn metadata(resource: &Alertmanager) -> &ObjectMeta {
        &resource.metadata
    }

    fn is_paused(resource: &Alertmanager) -> bool {
        resource.spec.paused
    }

    fn prefix(name: &str) -> String {
        format!("alertmanager-{name}")
    }

    fn status(resource: &Alertmanager) -> Value {
        serde_json::to_value(&resource.status).unwrap_or_default()
    }

    fn configuration(name: &str) -> (String, &'static str) {
        (format!("{}-generated", Self::prefix(name)), "alertmanager.yaml.gz")
    }

    fn rules(_name: &str) -> Option<config_map::Workload<'_>> {
        None
    }

    fn plan(
        resource: &Alertmanager,
        around: &Surroundings<'_>,
        _standing: &Standing,
        memory: &mut plan::Memory,
    ) -> Result<Planned, Invalid> {
        plan::plan(resource, around, memory)
    }

    fn references(memory: &plan::Memory) -> BTreeSet<Reference> {
        memory.configs.references().cloned().collect()
    }

    fn operand(resource: &Alertmanager) -> (&'static str, &str) {
        ("Alertmanager", or_default(&resource.spec.version, ALERTMANAGER_VERSION))
    }

    fn reload(resource: &Alertmanager) -> (u16, String) {
        (9093, reload_path(&resource.spec.route_prefix))
    }

    fn has_tls(resource: &Alertmanager) -> bool {
        resource.spec.web.as_ref().is_some_and(|web| web.file.tls_config.is_some())
    }

    fn judged(memory: &plan::Memory) -> Vec<Judged<'_>> {
        judged(kinds::ALERTMANAGER_CONFIG, &memory.configs).collect()
    }

    fn named(resource: &Alertmanager) -> Option<&str> {
        resource.spec.alertmanager_configuration.as_ref().map(|base| base.name.as_str())
    }

    fn containers(resource: &Alertmanager) -> [&[Container]; 2] {
        let spec = &resource.spec;
        [&spec.containers, &spec.init_containers]
    }

    fn needs(resource: &Alertmanager) -> Needs {
        let spec = &resource.spec;
        let labels = alertmanagers::Instance::new(resource).map(|instance| instance.common_labels());
        needs(spec.storage.as_ref(), spec.service_name.as_ref(), labels.ok())
    }

    fn deprecated(resource: &Alertmanager) -> Vec<String> {
        deprecation::of_alertmanager(&resource.spec)
    }

    fn report(resource: &Alertmanager, seen: &Seen, last: &Reconciliation, now: &Time) -> Value {
        let set = seen.sets.values().next();
        let pods = set.map(|set| Pods::of(set, &seen.pods));
        let labels = alertmanagers::Instance::new(resource).map(|instance| instance.common_labels());
        let labels = labels.unwrap_or_default();
        let status = report::report(resource, pods.as_ref(), &labels, last, now);
        serde_json::to_value(status).unwrap_or_default()
    }
}
