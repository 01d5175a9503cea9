//! The stages of a pass, the same for all four workloads.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::loaded::ask::Asker;
use crate::loaded::verdicts::ANNOTATION;
use crate::plan::{Child, Invalid, Planned};
use crate::workload::labels;
use k8s_openapi::api::apps::v1::{DaemonSet, StatefulSet};
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use k8s_openapi::jiff::Timestamp;
use kernel::apply::{Applied, Desired, ForeignStatus, Touch, Way, Work, desired};
use kernel::clock;
use kernel::declare::{Declaration, Kind};
use kernel::flow::{Finalizer, Invalid as Refusal, Operator, PassError, Plan, Verdict};
use kernel::object::{Key, Object};
use kernel::report::{Remark, Report};
use kernel::stores::Stores;
use kube::Api;
use kube::api::{DynamicObject, ListParams};
use monitoring_select::asker::CONTROLLER_ID;
use serde_json::Value;

use crate::bindings::{Found, unbind};
use crate::follow::Place;
use crate::kind::{Judged, Seen, Workload};
use crate::kinds;
use crate::lazy;
use crate::metrics::{Selected, Sync};
use crate::mounts;
use crate::outside::Outside;
use crate::rights::Rights;
use crate::roll::{self, Around, Roll};
use crate::shared::{Each, Readers, Shared, held, is_asked_for};
use crate::told;
use crate::unknown::Unknown;
use crate::vault::ASK_AGAIN;

/// How long until pods are looked at again that nobody tells us of.
const LOOK_AGAIN: Duration = Duration::from_mins(1);

/// How long until something is looked for again that was missing.
const LOOK_FOR: Duration = Duration::from_secs(30);

/// The operator of one kind of workload.
pub struct WorkloadOperator<W: Workload> {
    pub(crate) shared: Shared,
    pub(crate) readers: Arc<Readers>,
    pub(crate) places: Each<Place<W::Memory>>,
    found: Arc<Found>,
    outside: Outside,
    unknown: Unknown,
    pub(crate) permissions: Rights,
    /// Nothing, if there can be no TLS: then nobody is asked.
    pub(crate) asker: Option<Asker>,
}

/// All that is known of a workload, and what follows from it.
#[derive(Default)]
pub struct Inputs {
    /// The workload.
    pub(crate) key: Key,
    /// What follows; nothing, if it is left alone.
    pub(crate) planned: Option<Result<Planned, Invalid>>,
    /// What is there of it.
    pub(crate) seen: Seen,
    /// Objects that are not wanted and stay nevertheless.
    spared: Vec<(Kind, Key)>,
    /// What pods need and do not have, in words.
    pub(crate) missing: Option<String>,
    /// Whether it is on its way out.
    is_leaving: bool,
    /// What is said in the status of what it selects.
    foreign_statuses: Vec<ForeignStatus>,
    /// What is new about what it selects.
    refusals: Vec<Remark>,
    /// What is done about pods, claims and surplus shards.
    pub(crate) roll: Roll,
    /// Whether pods may be touched; nothing, if it is not known.
    pub(crate) may_patch_pods: Option<bool>,
    /// When what is there was written, if that was not by us.
    pub(crate) last_written: Option<Timestamp>,
    /// What is remembered beside the configuration of what the operand refuses.
    pub(crate) refused: Option<Value>,
    /// When to look again though nothing changed.
    requeue_after: Option<Duration>,
}

/// There is nothing to do outside of Kubernetes.
#[derive(Debug)]
pub enum NoStep {}

impl<W: Workload> WorkloadOperator<W> {
    /// Shares what all operators share, and tells whom changes concern.
    pub fn new(shared: Shared, readers: Arc<Readers>, found: Arc<Found>) -> Self {
        let asker =
            Asker::new(clock::timestamp).map_err(|error| tracing::warn!("pods are not asked: {error}")).ok();
        let (outside, unknown, permissions) = (Outside::default(), Unknown::default(), Rights::default());
        Self { shared, readers, places: Each::default(), found, outside, unknown, permissions, asker }
    }

    /// What is said about what a workload selects, and when more is to be said.
    fn judge(&self, key: &Key, stores: &Stores, now: &Time, inputs: &mut Inputs) {
        let home = self.places.of(key);
        let place = &mut *held(&home);
        // Lent, because what is judged is looked at meanwhile.
        let mut told = std::mem::take(&mut place.told);
        let judged = place.with_refused(W::judged(&place.memory));
        self.count(key, &judged);
        inputs.refusals = told.refusals(&judged);
        if self.shared.settings.bindings {
            let primary = W::DECLARATION.primary;
            let found = self.found.all(primary, W::SELECTABLE, stores).get(key).cloned().unwrap_or_default();
            let (foreign_statuses, is_more) =
                told.foreign_statuses((primary, key), &judged, &found, (stores, now));
            inputs.foreign_statuses = foreign_statuses;
            if is_more {
                inputs.requeue_after = Some(Duration::ZERO);
            }
        }
        place.told = told;
    }

    fn count(&self, key: &Key, judged: &[Judged<'_>]) {
        let Some(monitored) = &self.shared.monitored else { return };
        let of_a_kind: Vec<&[Judged<'_>]> = judged.chunk_by(|one, next| one.kind == next.kind).collect();
        for (kind, _) in W::SELECTABLE {
            let these = of_a_kind.iter().find(|these| these.first().is_some_and(|one| one.kind == *kind));
            let these = these.copied().unwrap_or_default();
            let rejected = these.iter().filter(|one| one.refusal.is_some()).count();
            // The Prometheus Operator counts what it rejects among the selected, but for AlertmanagerConfigs.
            let is_good_only = *kind == kinds::ALERTMANAGER_CONFIG;
            let selected = these.len() - if is_good_only { rejected } else { 0 };
            monitored.selected(W::DECLARATION, key, *kind, Selected { selected, rejected });
        }
    }

    /// What is done about pods.
    fn look_after(&self, resource: &W::Resource, planned: &mut Planned, inputs: &mut Inputs, now: Timestamp) {
        let settings = &self.shared.settings;
        let surplus = W::surplus(resource, &inputs.seen.sets, settings.offers.shard_retention, now);
        let around = Around {
            seen: &inputs.seen,
            growing: &self.outside.growing(),
            may_patch_pods: inputs.may_patch_pods,
            repair: settings.repair,
            now,
        };
        inputs.roll = Roll::of(planned, surplus, &around);
        inputs.requeue_after = [inputs.requeue_after, inputs.roll.requeue_after].into_iter().flatten().min();
    }

    /// What others say of a workload that goes, and must not any longer.
    fn unbound(&self, key: &Key, metadata: Option<&ObjectMeta>, stores: &Stores) -> Vec<ForeignStatus> {
        let finalizers = metadata.and_then(|metadata| metadata.finalizers.as_ref());
        let was_bound =
            finalizers.is_some_and(|names| names.iter().any(|name| name == W::DECLARATION.finalizer));
        if !self.shared.settings.bindings && !was_bound {
            return Vec::new();
        }
        let primary = W::DECLARATION.primary;
        let mut bound = self.found.all(primary, W::SELECTABLE, stores).get(key).cloned().unwrap_or_default();
        bound.extend(held(&self.places.of(key)).told.bound());
        unbind(primary, key, &bound, stores)
    }

    /// Forgets workloads that are gone. One of which others still speak must first take leave.
    fn forget_the_gone(&self, stores: &Stores) {
        let primary = W::DECLARATION.primary;
        self.places.retain(|key, place| {
            stores.get(primary, key).is_some()
                || !unbind(primary, key, &held(place).told.bound(), stores).is_empty()
        });
    }

    /// Objects of a namespace with the labels of its pods.
    fn of(kind: Kind, key: &Key, stores: &Stores) -> Vec<Arc<Object>> {
        let mut all = stores.named(kind, &key.namespace, "");
        let has = |object: &Object, label: &str, value: &str| object.label(label) == Some(value);
        all.retain(|object| {
            has(object, labels::INSTANCE, &key.name) && has(object, labels::APPLICATION, W::APPLICATION)
        });
        all
    }

    /// What is there of a workload.
    async fn see(&self, resource: &W::Resource, key: &Key, stores: &Stores) -> Result<Seen, PassError> {
        let uid = W::metadata(resource).uid.as_deref().unwrap_or_default();
        let mut sets = BTreeMap::new();
        for object in stores.owned_by(kinds::STATEFUL_SET, &key.namespace, uid) {
            if let Ok(set) = object.read::<StatefulSet>() {
                sets.insert(object.key().name.to_string(), set);
            }
        }
        let daemons = stores.owned_by(kinds::DAEMON_SET, &key.namespace, uid);
        let daemon_set = daemons.iter().find_map(|object| object.read::<DaemonSet>().ok());
        let known = if stores.is_known(kinds::POD, &key.namespace) {
            Self::of(kinds::POD, key, stores)
        } else {
            let api: Api<DynamicObject> =
                Api::namespaced_with(self.shared.client.clone(), &key.namespace, &kinds::POD.resource());
            let selector =
                format!("{}={},{}={}", labels::APPLICATION, W::APPLICATION, labels::INSTANCE, key.name);
            let listed = api.list(&ListParams::default().labels(&selector)).await;
            let listed =
                listed.map_err(|error| PassError::Outside(format!("pods cannot be listed: {error}")))?;
            listed.items.into_iter().map(|pod| Arc::new(stores.keep(kinds::POD, pod))).collect()
        };
        let pods = known.iter().filter_map(|pod| pod.read::<Pod>().ok()).collect();
        let claims = Self::of(kinds::CLAIM, key, stores);
        let claims = claims.iter().filter_map(|claim| claim.read::<PersistentVolumeClaim>().ok()).collect();
        Ok(Seen { sets, daemon_set, pods, known, claims })
    }
}

impl<W: Workload> Operator for WorkloadOperator<W> {
    type Resource = W::Resource;
    type Inputs = Inputs;
    type Valid = ();
    type Step = NoStep;
    type Course = ();

    fn declaration(&self) -> &'static Declaration {
        W::DECLARATION
    }

    fn is_ours(&self, resource: &Object) -> bool {
        let value = resource.value();
        let named = value["metadata"]["annotations"][CONTROLLER_ID].as_str().unwrap_or_default();
        named == self.shared.settings.controller_id
    }

    async fn gather(
        &self,
        resource: &W::Resource,
        stores: &Stores,
        now: Timestamp,
    ) -> Result<Inputs, PassError> {
        let metadata = W::metadata(resource);
        let key = Key::of(metadata);
        self.forget_the_gone(stores);
        if metadata.deletion_timestamp.is_some() {
            let foreign_statuses = self.unbound(&key, Some(metadata), stores);
            return Ok(Inputs { is_leaving: true, foreign_statuses, ..Inputs::default() });
        }
        let seen = self.see(resource, &key, stores).await?;
        let is_told = stores.is_watched(kinds::POD, &key.namespace)
            && !is_asked_for(&key.namespace, W::named(resource), stores);
        let requeue_after = (!is_told).then_some(LOOK_AGAIN);
        let mut inputs = Inputs { key: key.clone(), seen, requeue_after, ..Inputs::default() };
        if W::is_paused(resource) {
            return Ok(inputs);
        }
        if let Some(workload) = stores.get(W::DECLARATION.primary, &key) {
            self.unknown.check(&workload, W::SELECTABLE, stores)?;
        }
        let needs = W::needs(resource);
        inputs.missing = self.outside.missing(&needs, &key.namespace, stores, &self.shared.client).await;
        if inputs.missing.is_some() {
            inputs.requeue_after = Some(LOOK_FOR);
        }
        let heard = self.hear(resource, &mut inputs, stores, now).await?;
        let (mut planned, spared) = self.follow(resource, &key, stores).await?;
        if held(&self.places.of(&key)).is_denied() {
            inputs.requeue_after = inputs.requeue_after.into_iter().chain([ASK_AGAIN]).min();
        }
        if let Ok(planned) = &mut planned {
            if !self.shared.settings.reloader_at_once {
                lazy::keep_reloaders(planned, W::containers(resource), &inputs.seen, stores);
            }
            self.outside.learn(&roll::classes(planned, &inputs.seen), &self.shared.client).await;
            self.look_after(resource, planned, &mut inputs, now);
            if self.suspect(&key, planned, heard) {
                inputs.requeue_after = Some(Duration::ZERO);
            }
            inputs.refused = self.annotation(&key);
            inputs.last_written = inputs.last_written.max(held(&self.places.of(&key)).rules_written);
            self.judge(&key, stores, &Time(now), &mut inputs);
        }
        (inputs.planned, inputs.spared) = (Some(planned), spared);
        Ok(inputs)
    }

    fn validate(&self, _resource: &W::Resource, inputs: &Inputs) -> Result<(), Refusal> {
        match &inputs.planned {
            Some(Err(invalid)) => {
                let (message, requeue_after) = (invalid.message.clone(), inputs.requeue_after);
                Err(Refusal { reason: "ReconciliationFailed", message, requeue_after })
            }
            Some(Ok(_)) | None => Ok(()),
        }
    }

    fn plan(&self, _valid: &(), inputs: &Inputs, _now: Timestamp) -> Plan<Self> {
        let mut work = match &inputs.planned {
            Some(Ok(planned)) => work::<W>(planned, inputs),
            Some(Err(_)) | None => Work::default(),
        };
        if inputs.missing.is_none() {
            inputs.roll.put(&mut work);
        }
        work.foreign_statuses.clone_from(&inputs.foreign_statuses);
        let finalizer = if inputs.is_leaving { Finalizer::Absent } else { Finalizer::Unchanged };
        Plan { work, step: None, finalizer, requeue_after: inputs.requeue_after, course: () }
    }

    fn afterwards(
        &self,
        _resource: &W::Resource,
        inputs: &Inputs,
        applied: &Applied,
        now: Timestamp,
    ) -> (Vec<Touch>, Option<Duration>) {
        let Some(Ok(planned)) = &inputs.planned else { return (Vec::new(), None) };
        let mounted = |(kind, _): &(Kind, Key)| [kinds::SECRET, kinds::CONFIG_MAP].contains(kind);
        let home = self.places.of(&inputs.key);
        let loading = &mut held(&home).loading;
        let has_changed = applied.changed.iter().any(mounted);
        loading.plans(mounts::version(planned));
        if inputs.seen.pods.is_empty() {
            loading.nobody(has_changed);
            return (Vec::new(), inputs.roll.soon(applied));
        }
        let content = (has_changed || loading.is_new()).then(|| mounts::content::<W>(planned, &inputs.key));
        let last = inputs.last_written.filter(|_| !has_changed);
        let may_touch = inputs.may_patch_pods == Some(true);
        let pods = (inputs.seen.pods.as_slice(), may_touch, &self.shared.settings.pace);
        let (touches, requeue_after) = loading.afterwards(content, last, pods, now);
        (touches, [requeue_after, inputs.roll.soon(applied)].into_iter().flatten().min())
    }

    fn statuses_after_deletion(&self, key: &Key, stores: &Stores) -> Vec<ForeignStatus> {
        self.unbound(key, None, stores)
    }

    async fn perform(&self, step: &NoStep) -> Result<(), PassError> {
        match *step {}
    }

    fn report(&self, resource: &W::Resource, verdict: &Verdict<'_, Self>, now: Timestamp) -> Report {
        let sync = match verdict {
            Verdict::Blind(_) | Verdict::Done { trouble: Some(_), .. } => Sync::Failed,
            Verdict::Invalid(..) => Sync::Invalid,
            Verdict::Done { inputs, .. } if inputs.missing.is_some() => Sync::Invalid,
            Verdict::Done { .. } => Sync::Done,
        };
        if let Some(monitored) = &self.shared.monitored {
            monitored.synced(W::DECLARATION, &Key::of(W::metadata(resource)), sync);
        }
        if let Verdict::Done { inputs, applied, .. } = verdict {
            self.remember(&Key::of(W::metadata(resource)), inputs, applied);
        }
        let mut outcome = told::Outcome::of(resource, verdict, now);
        let home = self.places.of(&Key::of(W::metadata(resource)));
        if sync == Sync::Failed {
            held(&home).told.forget_tries();
        }
        outcome.loaded = held(&home).loading.condition(now);
        if let Verdict::Done { inputs, .. } = verdict
            && inputs.planned.is_some()
            && inputs.seen.pods.is_empty()
        {
            outcome.loaded = told::nobody_runs::<W>(resource);
        }
        if let (Some(loaded), Some(words)) = (&mut outcome.loaded, held(&home).doubt.hopeless()) {
            loaded.message = format!("{} ({words})", loaded.message);
        }
        let mut report = told::report::<W>(resource, &outcome, &Time(now));
        if let Verdict::Done { inputs, .. } = verdict {
            report.remarks.clone_from(&inputs.refusals);
        }
        report
    }
}

/// Objects in waves: pods come after what they mount. Without what they need, they stay as they are.
fn work<W: Workload>(planned: &Planned, inputs: &Inputs) -> Work {
    let is_pods = |child: &&Child| matches!(child, Child::StatefulSet(_) | Child::DaemonSet(_));
    let (pods, others): (Vec<&Child>, Vec<&Child>) = planned.children.iter().partition(is_pods);
    let wave = |children: Vec<&Child>| children.into_iter().map(wanted).collect();
    let mut spared = inputs.spared.clone();
    let mut waves: Vec<Vec<Desired>> = vec![wave(others)];
    if let Some(refused) = &inputs.refused {
        let name = W::configuration(&inputs.key.name).0;
        let is_configuration =
            |one: &&mut Desired| one.object["kind"] == "Secret" && one.object["metadata"]["name"] == name;
        if let Some(secret) = waves.iter_mut().flatten().find(is_configuration) {
            secret.object["metadata"]["annotations"][ANNOTATION] = refused.clone();
        }
    }
    if inputs.missing.is_none() {
        waves.push(wave(pods));
    } else {
        let key = |child: &Child| Key::of(child.metadata());
        spared.extend(inputs.seen.sets.values().map(|set| (kinds::STATEFUL_SET, Key::of(&set.metadata))));
        spared.extend(pods.into_iter().map(|pods| (kinds::DAEMON_SET, key(pods))));
    }
    Work { waves, prune: true, spared, ..Work::default() }
}

fn wanted(child: &Child) -> Desired {
    let mut desired = match child {
        Child::ConfigMap(object) => desired(object, Way::Replace),
        Child::Secret(object) => desired(object, Way::Replace),
        Child::Service(object) => desired(&**object, Way::Replace),
        // What becomes of pods when a StatefulSet is made anew, `roll` decides.
        Child::StatefulSet(object) => Desired { looks_after_pods: true, ..desired(&**object, Way::Replace) },
        Child::DaemonSet(object) => desired(&**object, Way::Replace),
    };
    // The hash of the Prometheus Operator stays where it is and is made nowhere: we compare the objects themselves.
    if let Some(annotations) = desired.object["metadata"]["annotations"].as_object_mut() {
        annotations.retain(|name, value| name != labels::INPUT_HASH || value.as_str() != Some(""));
    }
    desired
}
