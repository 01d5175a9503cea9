//! What the four workloads have of their own. The stages are the same for all: see `controller`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::plan::memo::{Memo, Read};
use crate::plan::monitors::Monitors;
use crate::plan::rules::Rules;
use crate::plan::{Invalid, Planned, Standing, Surroundings};
use crate::rollout::Surplus;
use crate::status::Reconciliation;
use crate::status::reconciliation::Selects;
use api_monitoring::pod::StorageSpec;
use k8s_openapi::api::apps::v1::{DaemonSet, StatefulSet};
use k8s_openapi::api::core::v1::{Container, PersistentVolumeClaim, Pod};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use k8s_openapi::jiff::Timestamp;
use kernel::apply::Applied;
use kernel::declare::{Declaration, Kind};
use kernel::object::{Key, Object};
use monitoring_assets::Reference;
use monitoring_rules::config_map;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::interest::Selectable;
use crate::kinds;
use crate::outside::Needs;

/// What is there of a workload.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    /// Its StatefulSets, by name.
    pub sets: BTreeMap<String, StatefulSet>,
    /// Its DaemonSet, if it runs on every node.
    pub daemon_set: Option<DaemonSet>,
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
            if *kind == kinds::DAEMON_SET
                && let Ok(set) = object.read::<DaemonSet>()
            {
                self.daemon_set = Some(set);
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
    /// The versions of what was read for it.
    pub read: &'m [Read],
    /// Why it is not taken in; nothing, if it is.
    pub refusal: Option<&'m str>,
}

/// What became of all objects of a kind.
pub(crate) fn judged<T>(kind: Kind, memo: &Memo<Result<T, String>>) -> impl Iterator<Item = Judged<'_>> {
    memo.objects().map(move |(object, read, verdict)| Judged {
        kind,
        object,
        read,
        refusal: verdict.as_ref().err().map(String::as_str),
    })
}

/// What became of all monitors.
pub(crate) fn monitors(monitors: &Monitors) -> impl Iterator<Item = Judged<'_>> {
    judged(kinds::SERVICE_MONITOR, &monitors.service_monitors)
        .chain(judged(kinds::POD_MONITOR, &monitors.pod_monitors))
        .chain(judged(kinds::PROBE, &monitors.probes))
        .chain(judged(kinds::SCRAPE_CONFIG, &monitors.scrape_configs))
}

/// What pods need, of a workload with volumes and perhaps a Service that its user brings.
pub(crate) fn needs(
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

/// The names of the files of rules.
pub(crate) fn rule_files(rules: &Rules) -> BTreeMap<String, Key> {
    let taken = rules.objects().filter_map(|(object, _, verdict)| Some((object, verdict.as_ref().ok()?)));
    taken.map(|(object, taken)| (taken.name.clone(), object.key().clone())).collect()
}

/// Where an operand is asked to load its configuration, below the prefix of its routes.
pub(crate) fn reload_path(prefix: &str) -> String {
    format!("{}/-/reload", prefix.trim_end_matches('/'))
}

/// A kind of workload.
pub trait Workload: Send + Sync + 'static {
    /// What users write.
    type Resource: DeserializeOwned + Serialize + Send + Sync;
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

    /// Whether its pods speak TLS.
    fn has_tls(resource: &Self::Resource) -> bool;

    /// What its pods run, as users call it, and the version.
    fn operand(resource: &Self::Resource) -> (&'static str, &str);

    /// The port and the path at which an operand is asked to load its configuration.
    fn reload(resource: &Self::Resource) -> (u16, String);

    /// The names of rule files, with the rules that they hold.
    fn rule_files(_memory: &Self::Memory) -> BTreeMap<String, Key> {
        BTreeMap::new()
    }

    /// What became of what it selects.
    fn judged(memory: &Self::Memory) -> Vec<Judged<'_>>;

    /// An AlertmanagerConfig beside it that it names.
    fn named(_resource: &Self::Resource) -> Option<&str> {
        None
    }

    /// Containers of its pods that the user adds or changes, and those that run before them.
    fn containers(resource: &Self::Resource) -> [&[Container]; 2];

    /// What its pods need and others make.
    fn needs(resource: &Self::Resource) -> Needs;

    /// Fields of it that should not be used any longer, in words.
    fn deprecated(resource: &Self::Resource) -> Vec<String>;

    /// Its status.
    fn report(resource: &Self::Resource, seen: &Seen, last: &Reconciliation, now: &Time) -> Value;
}
