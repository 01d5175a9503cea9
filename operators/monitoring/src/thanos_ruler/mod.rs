//! Thanos Rulers.

pub mod plan;
pub mod pods;
pub mod report;

use std::collections::{BTreeMap, BTreeSet};

use crate::plan::{Invalid, Planned, Standing, Surroundings};
use crate::status::reconciliation::Selects;
use crate::status::{Pods, Reconciliation, deprecation};
use crate::thanos_ruler::pods as rulers;
use crate::workload::defaults::{THANOS_VERSION, or_default};
use api_monitoring::ThanosRuler;
use k8s_openapi::api::core::v1::Container;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use kernel::declare::Declaration;
use kernel::object::Key;
use monitoring_assets::Reference;
use monitoring_rules::config_map;
use serde_json::Value;

use crate::declaration;
use crate::interest::Selectable;
use crate::kind::{Judged, Seen, Workload, judged, needs, reload_path, rule_files};
use crate::kinds;
use crate::outside::Needs;

/// Thanos Rulers.
#[derive(Debug)]
pub struct OfThanosRuler;

impl Workload for OfThanosRuler {
    type Resource = ThanosRuler;
    type Memory = plan::Memory;

    const DECLARATION: &'static Declaration = &declaration::THANOS_RULER;
    const SELECTABLE: Selectable = &[(kinds::RULE, "rule")];
    const APPLICATION: &'static str = "thanos-ruler";
    const HAS_CONFIGURATION: bool = false;
    const GOVERNING: &'static str = "thanos-ruler-operated";
    const SELECTS: Option<Selects> = Some(Selects::Rules);

    fn metadata(resource: &ThanosRuler) -> &ObjectMeta {
        &resource.metadata
    }

    fn is_paused(resource: &ThanosRuler) -> bool {
        resource.spec.paused
    }

    fn prefix(name: &str) -> String {
        format!("thanos-ruler-{name}")
    }

    fn status(resource: &ThanosRuler) -> Value {
        serde_json::to_value(&resource.status).unwrap_or_default()
    }

    fn configuration(name: &str) -> (String, &'static str) {
        (format!("{}-config", Self::prefix(name)), "remote-write.yaml")
    }

    fn rules(name: &str) -> Option<config_map::Workload<'_>> {
        Some(config_map::Workload::ThanosRuler(name))
    }

    fn plan(
        resource: &ThanosRuler,
        around: &Surroundings<'_>,
        standing: &Standing,
        memory: &mut plan::Memory,
    ) -> Result<Planned, Invalid> {
        plan::plan(resource, around, standing, memory)
    }

    fn references(_memory: &plan::Memory) -> BTreeSet<Reference> {
        BTreeSet::new()
    }

    fn operand(resource: &ThanosRuler) -> (&'static str, &str) {
        ("Thanos Ruler", or_default(resource.spec.version.as_deref().unwrap_or_default(), THANOS_VERSION))
    }

    fn reload(resource: &ThanosRuler) -> (u16, String) {
        (10902, reload_path(&resource.spec.route_prefix))
    }

    fn rule_files(memory: &plan::Memory) -> BTreeMap<String, Key> {
        rule_files(&memory.rules)
    }

    fn has_tls(resource: &ThanosRuler) -> bool {
        resource.spec.web.as_ref().is_some_and(|web| web.file.tls_config.is_some())
    }

    fn judged(memory: &plan::Memory) -> Vec<Judged<'_>> {
        judged(kinds::RULE, &memory.rules).collect()
    }

    fn containers(resource: &ThanosRuler) -> [&[Container]; 2] {
        let spec = &resource.spec;
        [&spec.containers, &spec.init_containers]
    }

    fn needs(resource: &ThanosRuler) -> Needs {
        let spec = &resource.spec;
        let labels = rulers::Instance::new(resource).map(|instance| instance.common_labels());
        needs(spec.storage.as_ref(), spec.service_name.as_ref(), labels.ok())
    }

    fn deprecated(resource: &ThanosRuler) -> Vec<String> {
        deprecation::of_thanos_ruler(&resource.spec)
    }

    fn report(resource: &ThanosRuler, seen: &Seen, last: &Reconciliation, now: &Time) -> Value {
        let set = seen.sets.values().next();
        let pods = set.map(|set| Pods::of(set, &seen.pods));
        let status = report::report(resource, pods.as_ref(), last, now);
        serde_json::to_value(status).unwrap_or_default()
    }
}
