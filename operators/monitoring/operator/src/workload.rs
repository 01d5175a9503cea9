//! What the four workloads have of their own. The stages are the same for all: see `controller`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use api_monitoring::pod::StorageSpec;
use api_monitoring::{Alertmanager, Prometheus, PrometheusAgent, ThanosRuler};
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use k8s_openapi::jiff::Timestamp;
use kernel::apply::Applied;
use kernel::declare::{Declaration, Kind};
use kernel::object::Object;
use monitoring_assets::Reference;
use monitoring_plan::memo::Memo;
use monitoring_plan::monitors::Monitors;
use monitoring_plan::{Invalid, Planned, Standing, Surroundings};
use monitoring_plan::{agent, alertmanager, prometheus, thanos_ruler};
use monitoring_rollout::Surplus;
use monitoring_rules::config_map;
use monitoring_status::prometheus::{Found, with_scale};
use monitoring_status::reconciliation::Selects;
use monitoring_status::{Pods, Reconciliation, RepairPolicy, deprecation};
use monitoring_workload::{alertmanager as alertmanagers, prometheus as servers, thanos_ruler as rulers};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::declaration;
use crate::interest::Selectable;
use crate::kinds;
use crate::outside::Needs;

/// What is there of a workload.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    /// Its StatefulSets, by name.
    pub sets: BTreeMap<String, StatefulSet>,
    /// Pods that may be its own.
    pub pods: Vec<Pod>,
    /// The same as they were sent.
    pub known: Vec<Arc<Object>>,
    /// Claims that may be its own; none, if nobody tells us of them.
    pub claims: Vec<PersistentVolumeClaim>,
}

impl Seen {
    /// The same after a pass has written.
    pub(crate) fn with(mut self, applied: &Applied) -> Self {
        for ((kind, key), object) in &applied.objects {
            if *kind == kinds::STATEFUL_SET
                && let Ok(set) = object.read::<StatefulSet>()
            {
                self.sets.insert(key.name.to_string(), set);
            }
        }
        self
    }
}

/// What became of an object that a workload selects.
#[derive(Debug, Clone, Copy)]
pub struct Judged<'m> {
    /// Its kind.
    pub kind: Kind,
    /// The object.
    pub object: &'m Arc<Object>,
    /// Why it is not taken in; nothing, if it is.
    pub refusal: Option<&'m str>,
}

/// What became of all objects of a kind.
fn judged<T>(kind: Kind, memo: &Memo<Result<T, String>>) -> impl Iterator<Item = Judged<'_>> {
    memo.objects().map(move |(object, verdict)| Judged {
        kind,
        object,
        refusal: verdict.as_ref().err().map(String::as_str),
    })
}

/// What became of all monitors.
fn monitors(monitors: &Monitors) -> impl Iterator<Item = Judged<'_>> {
    judged(kinds::SERVICE_MONITOR, &monitors.service_monitors)
        .chain(judged(kinds::POD_MONITOR, &monitors.pod_monitors))
        .chain(judged(kinds::PROBE, &monitors.probes))
        .chain(judged(kinds::SCRAPE_CONFIG, &monitors.scrape_configs))
}

/// What pods need, of a workload with volumes and perhaps a Service that its user brings.
fn needs(
    storage: Option<&StorageSpec>,
    service: Option<&String>,
    labels: Option<BTreeMap<String, String>>,
) -> Needs {
    let template = storage.map(|storage| &storage.volume_claim_template.spec);
    let class = template.and_then(|claim| claim.storage_class_name.clone());
    Needs {
        storage_class: class.filter(|class| !class.is_empty()),
        service: service.cloned(),
        labels: labels.unwrap_or_default(),
    }
}

/// A kind of workload.
pub trait Workload: Send + Sync + 'static {
    /// What users write.
    type Resource: DeserializeOwned + Send + Sync;
    /// What is remembered of one from pass to pass.
    type Memory: Default + Send;

    /// What its operator watches and owns.
    const DECLARATION: &'static Declaration;
    /// What it can select.
    const SELECTABLE: Selectable;
    /// How its pods name their application.
    const APPLICATION: &'static str;
    /// Whether its reloader loads a configuration, and not only files beside it.
    const HAS_CONFIGURATION: bool = true;
    /// The Service that all of a namespace share, unless a user brings one.
    const GOVERNING: &'static str;
    /// What it selects, for its status.
    const SELECTS: Option<Selects>;

    /// Name, namespace, and the rest.
    fn metadata(resource: &Self::Resource) -> &ObjectMeta;

    /// Whether the user wants it left alone.
    fn is_paused(resource: &Self::Resource) -> bool;

    /// What the names of all its objects begin with.
    fn prefix(name: &str) -> String;

    /// The Secret with its configuration, and the key in it.
    fn configuration(name: &str) -> (String, &'static str);

    /// The status that was written last.
    fn status(resource: &Self::Resource) -> Value;

    /// Its ConfigMaps with rules, if it has any.
    fn rules(name: &str) -> Option<config_map::Workload<'_>>;

    /// Everything that follows from it.
    fn plan(
        resource: &Self::Resource,
        around: &Surroundings<'_>,
        standing: &Standing,
        memory: &mut Self::Memory,
    ) -> Result<Planned, Invalid>;

    /// Everything that was read for what it selects.
    fn references(memory: &Self::Memory) -> BTreeSet<Reference>;

    /// What becomes of StatefulSets that it no longer wants: they go, unless it says otherwise.
    fn surplus(
        _resource: &Self::Resource,
        _sets: &BTreeMap<String, StatefulSet>,
        _offered: bool,
        _now: Timestamp,
    ) -> Surplus {
        Surplus::default()
    }

    /// Whether its reloaders speak TLS.
    fn has_tls(resource: &Self::Resource) -> bool;

    /// What became of what it selects.
    fn judged(memory: &Self::Memory) -> Vec<Judged<'_>>;

    /// What its pods need and others make.
    fn needs(resource: &Self::Resource) -> Needs;

    /// Fields of it that should not be used any longer, in words.
    fn deprecated(resource: &Self::Resource) -> Vec<String>;

    /// Its status.
    fn report(resource: &Self::Resource, seen: &Seen, last: &Reconciliation, now: &Time) -> Value;
}

/// Servers.
#[derive(Debug)]
pub struct OfPrometheus;

impl Workload for OfPrometheus {
    type Resource = Prometheus;
    type Memory = prometheus::Memory;

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
        memory: &mut prometheus::Memory,
    ) -> Result<Planned, Invalid> {
        prometheus::plan(resource, around, standing, memory)
    }

    fn references(memory: &prometheus::Memory) -> BTreeSet<Reference> {
        memory.monitors.all().into_iter().flat_map(Memo::references).cloned().collect()
    }

    fn surplus(
        resource: &Prometheus,
        sets: &BTreeMap<String, StatefulSet>,
        offered: bool,
        now: Timestamp,
    ) -> Surplus {
        monitoring_rollout::surplus(resource, sets.values(), offered, now)
    }

    fn has_tls(resource: &Prometheus) -> bool {
        resource.spec.shared.web.as_ref().is_some_and(|web| web.file.tls_config.is_some())
    }

    fn judged(memory: &prometheus::Memory) -> Vec<Judged<'_>> {
        monitors(&memory.monitors).chain(judged(kinds::RULE, &memory.rules)).collect()
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
        let report = monitoring_status::prometheus::report(&workload, found, last, RepairPolicy::None, now);
        let labels = servers::Instance::server(resource).map(|instance| instance.common_labels());
        let status = with_scale(report.status, &resource.spec.shared, &labels.unwrap_or_default());
        serde_json::to_value(status).unwrap_or_default()
    }
}

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

/// Alertmanagers.
#[derive(Debug)]
pub struct OfAlertmanager;

impl Workload for OfAlertmanager {
    type Resource = Alertmanager;
    type Memory = alertmanager::Memory;

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
        memory: &mut alertmanager::Memory,
    ) -> Result<Planned, Invalid> {
        alertmanager::plan(resource, around, memory)
    }

    fn references(memory: &alertmanager::Memory) -> BTreeSet<Reference> {
        memory.configs.references().cloned().collect()
    }

    fn has_tls(resource: &Alertmanager) -> bool {
        resource.spec.web.as_ref().is_some_and(|web| web.file.tls_config.is_some())
    }

    fn judged(memory: &alertmanager::Memory) -> Vec<Judged<'_>> {
        judged(kinds::ALERTMANAGER_CONFIG, &memory.configs).collect()
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
        let status = monitoring_status::alertmanager::report(resource, pods.as_ref(), &labels, last, now);
        serde_json::to_value(status).unwrap_or_default()
    }
}

/// Thanos Rulers.
#[derive(Debug)]
pub struct OfThanosRuler;

impl Workload for OfThanosRuler {
    type Resource = ThanosRuler;
    type Memory = thanos_ruler::Memory;

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
        memory: &mut thanos_ruler::Memory,
    ) -> Result<Planned, Invalid> {
        thanos_ruler::plan(resource, around, standing, memory)
    }

    fn references(_memory: &thanos_ruler::Memory) -> BTreeSet<Reference> {
        BTreeSet::new()
    }

    fn has_tls(resource: &ThanosRuler) -> bool {
        resource.spec.web.as_ref().is_some_and(|web| web.file.tls_config.is_some())
    }

    fn judged(memory: &thanos_ruler::Memory) -> Vec<Judged<'_>> {
        judged(kinds::RULE, &memory.rules).collect()
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
        let status = monitoring_status::thanos_ruler::report(resource, pods.as_ref(), last, now);
        serde_json::to_value(status).unwrap_or_default()
    }
}
