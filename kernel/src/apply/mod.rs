//! The only writer. What to do about an object is decided in `decide`, which is pure; this file asks the server.
//!
//! # Guarantees
//! - No request when nothing would change.
//! - Every write names the version or the unique id of the object as we know it, or creates it: one that comes late is
//!   refused by the server.
//! - Nothing is written once the fence is closed.
//! - Nothing is deleted to be made anew before the server has said that it would take the new one.
//! - What the server answered is in the stores before a write is over, and its event causes no further pass, even if it
//!   comes first. What no watch would tell of is never in the stores: it is asked for.
//! - After a write that came too late the next try looks for itself.

mod decide;
mod denied;
mod drift;
mod error;
mod evict;
mod foreign_status;
mod immutable;
mod memory;
mod present;
mod prune;
mod refused;
mod request;
mod settled;
#[cfg(test)]
mod tests;
mod touch;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use kube::api::{ApiResource, PropagationPolicy};
use kube::{Client, Resource};
use serde::Serialize;
use serde_json::{Value, json};

pub use decide::{Action, Desired, Ownership, Way, decide};
pub use drift::Drift;
pub use error::WriteError;
pub use immutable::{Change, change, rows};
pub(crate) use memory::Memory;
use request::Target;
use settled::{Wanted, changed_nothing, hash};

use crate::declare::{Declaration, Detail, Kind};
use crate::metrics::{Metrics, Occurrence};
use crate::object::{Kept, Key, Object, Owner};
use crate::store::Origin;
use crate::stores::Stores;

/// Tells whom it concerns that an object changed while we wrote: the watch does not. What is ours is news to others only.
pub type Announce = Arc<dyn Fn(Kind, &crate::store::Change<Object>, Origin) + Send + Sync>;

/// Says whether we may still write.
pub type Fence = Arc<dyn Fn() -> bool + Send + Sync>;

/// An object to be deleted, as it is known.
#[derive(Debug, Clone)]
pub struct Deletion {
    /// Its kind.
    pub kind: Kind,
    /// The object.
    pub object: Arc<Object>,
}

/// A few fields of an object that somebody else made.
#[derive(Debug, Clone, PartialEq)]
pub struct Touch {
    /// Its kind.
    pub kind: Kind,
    /// Which one.
    pub key: Key,
    /// Its unique id: no other one of the same name is touched, and none is made.
    pub uid: Box<str>,
    /// What is written. Whatever else was written before stays, also by us.
    pub fields: Value,
}

/// What a pass wants of the cluster.
#[derive(Debug, Clone, Default)]
pub struct Work {
    /// Objects in waves: a wave begins when the one before it is there.
    pub waves: Vec<Vec<Desired>>,
    /// Fields of objects that others made.
    pub touches: Vec<Touch>,
    /// What goes, beside what is pruned.
    pub deletions: Vec<Deletion>,
    /// Pods that go if no disruption budget forbids it.
    pub evictions: Vec<Deletion>,
    /// Whether it is complete: objects that we own and that it does not name go, of the kinds that are pruned so.
    pub prune: bool,
    /// Objects that stay, wanted or not.
    pub spared: Vec<(Kind, Key)>,
    /// What is said in the status of objects that others made.
    pub foreign_statuses: Vec<ForeignStatus>,
}

/// What is said in the status of an object that somebody else made. It is written into the object as it is known, and
/// into no later one.
#[derive(Debug, Clone, PartialEq)]
pub struct ForeignStatus {
    /// Its kind.
    pub kind: Kind,
    /// The object.
    pub object: Arc<Object>,
    /// The fields of its status that are said.
    pub status: Value,
}

/// What was done.
#[derive(Debug, Clone, Default)]
pub struct Applied {
    /// The objects as they are now.
    pub objects: HashMap<(Kind, Key), Arc<Object>>,
    /// What others had changed of ours and was written back.
    pub drifts: Vec<Drift>,
    /// What was taken away to be made anew, and why.
    pub recreated: Vec<String>,
    /// What is on its way out and will be made anew when it is gone.
    pub waiting: Vec<String>,
    /// What was written, for the log.
    pub written: Vec<String>,
    /// The objects that were made or changed, as far as anybody knows.
    pub changed: BTreeSet<(Kind, Key)>,
    /// The objects that were touched, deleted or evicted.
    pub done: BTreeSet<(Kind, Key)>,
    /// Pods that were not evicted because a disruption budget forbids it, with the server's words.
    pub kept: BTreeMap<Key, String>,
    /// Touches that we can do without and that the server refused, with its words. Whoever wanted them tells of them.
    pub refused: Vec<(Touch, String)>,
}

impl Applied {
    /// Notes a write when it is over: what the server refused has changed nothing.
    fn wrote(
        &mut self,
        target: Target<'_>,
        outcome: Result<Arc<Object>, WriteError>,
        words: impl FnOnce() -> String,
    ) -> Result<Option<Arc<Object>>, WriteError> {
        if outcome.as_ref().err().is_none_or(WriteError::may_be_done) {
            self.changed.insert((target.kind, target.key.clone()));
        }
        if outcome.is_ok() {
            self.written.push(words());
        }
        outcome.map(Some)
    }
}

/// What all controllers of a process share.
#[derive(Clone)]
pub struct Tools {
    /// The way to the server.
    pub client: Client,
    /// What is known.
    pub stores: Stores,
    /// Our name among the owners of fields.
    pub manager: &'static str,
    /// Whether we may write.
    pub fence: Fence,
}

/// One object that is wanted, and what is known of it.
#[derive(Clone, Copy)]
struct Task<'a> {
    target: Target<'a>,
    desired: &'a Desired,
    live: Option<&'a Arc<Object>>,
    ownership: Ownership<'a>,
}

/// Writes on behalf of one controller.
#[derive(Clone)]
pub struct Writer {
    client: Client,
    stores: Stores,
    declaration: &'static Declaration,
    manager: &'static str,
    fence: Fence,
    announce: Announce,
    memory: Memory,
    metrics: Option<Metrics>,
}

/// A wanted object of a kind that Kubernetes has.
pub fn desired<K>(object: &K, way: Way) -> Desired
where
    K: k8s_openapi::Resource + Resource<DynamicType = ()> + Serialize,
{
    let mut value = serde_json::to_value(object).unwrap_or_default();
    value["apiVersion"] = K::api_version(&()).into();
    value["kind"] = K::kind(&()).into();
    Desired { resource: ApiResource::erase::<K>(&()), object: value, way, looks_after_pods: false }
}

impl Writer {
    /// The hand of this controller.
    pub fn new(declaration: &'static Declaration, tools: Tools, announce: Announce) -> Self {
        let Tools { client, stores, manager, fence } = tools;
        Self {
            client,
            stores,
            declaration,
            manager,
            fence,
            announce,
            memory: Memory::default(),
            metrics: None,
        }
    }

    /// The same, and what it does is told.
    #[must_use]
    pub fn counted_by(self, metrics: Metrics) -> Self {
        Self { metrics: Some(metrics), ..self }
    }

    /// The same, with this memory: whoever has it says what it forgets.
    #[must_use]
    pub(crate) fn remembering(self, memory: Memory) -> Self {
        Self { memory, ..self }
    }

    pub(crate) fn observe(&self, occurrence: &Occurrence<'_>) {
        if let Some(metrics) = &self.metrics {
            metrics.observe(occurrence);
        }
    }

    /// What it knows.
    pub fn stores(&self) -> &Stores {
        &self.stores
    }

    /// Does the work, on behalf of the object with this unique id. Stops at the first thing that fails, except at touches
    /// that the server refuses: those keep nothing else from being done.
    pub async fn carry_out(&self, work: &Work, owner: &Object) -> Result<Applied, WriteError> {
        let mut applied = Applied::default();
        self.carry_out_into(&mut applied, work, owner).await?;
        Ok(applied)
    }

    /// The same, for a caller who wants to know what was done also when something failed.
    pub async fn carry_out_into(
        &self,
        applied: &mut Applied,
        work: &Work,
        owner: &Object,
    ) -> Result<(), WriteError> {
        let written = self.write_all(applied, work, owner).await;
        // What is said about others holds whatever became of the objects.
        let said = self.write_foreign_statuses(&work.foreign_statuses).await;
        written.and(said)
    }

    async fn write_all(&self, applied: &mut Applied, work: &Work, owner: &Object) -> Result<(), WriteError> {
        for wave in &work.waves {
            for desired in wave {
                self.apply(desired, owner, applied).await?;
            }
            if !applied.waiting.is_empty() {
                return Ok(());
            }
        }
        let touched = self.touch_all(&work.touches, applied).await;
        if touched.as_ref().is_err_and(|error| error.refusal().is_none()) {
            return touched;
        }
        for Deletion { kind, object } in &work.deletions {
            self.delete(*kind, object, PropagationPolicy::Background, applied).await?;
        }
        for Deletion { object, .. } in &work.evictions {
            self.evict(object, applied).await?;
        }
        if work.prune {
            self.prune(work, owner, applied).await?;
        }
        self.forget_unnamed(work, owner);
        touched
    }

    async fn apply(
        &self,
        desired: &Desired,
        owner: &Object,
        applied: &mut Applied,
    ) -> Result<(), WriteError> {
        let key = desired.key();
        let Some(kind) = self.kind_of(&desired.resource) else {
            let (kind, operator) = (&desired.resource.kind, self.declaration.name);
            let words = format!("{kind} {key}: operator {operator} does not declare such objects");
            return Err(WriteError::Impossible(words));
        };
        let target = Target { kind, key: &key };
        let wanted = hash(&desired.object);
        let known = self.stores.get(kind, &key);
        let is_blind = self.is_blind(target);
        if is_blind && self.was_seen_lately(target, owner, wanted) {
            return Ok(());
        }
        if let Some(known) =
            known.as_ref().filter(|known| !is_blind && self.is_settled(kind, known, owner, wanted))
        {
            applied.objects.insert((kind, key.clone()), Arc::clone(known));
            return Ok(());
        }
        let (live, is_as_we_wrote_it) = self.look_at(target, known, owner).await?;
        let others = live.as_deref().filter(|_| !is_as_we_wrote_it);
        let desired = &self.with_what_stays(kind, desired, others);
        let controller = Owner {
            group: self.declaration.primary.group.into(),
            kind: self.declaration.primary.kind.into(),
            name: (*owner.key().name).into(),
            uid: owner.identity().uid.clone(),
        };
        let predecessors = self.declaration.predecessors;
        let ownership = Ownership { manager: self.manager, predecessors, owner: &controller };
        let task = Task { target, desired, live: live.as_ref(), ownership };
        let action = decide(desired, live.as_deref(), ownership);
        let drift = live.as_deref().filter(|live| self.was_wanted(kind, live, owner, wanted));
        let drift = drift.and_then(|live| Drift::of(target, live, &action, self.manager));
        let performed = self.perform(task, action, applied).await;
        let now = match (self.doubt_if_late(target, owner, performed), live.as_deref()) {
            (Err(refusal), Some(known)) if refusal.is_invalid() => {
                let Some(instead) = decide::decide_anew(desired, known) else { return Err(refusal) };
                self.perform(task, instead, applied).await?
            }
            (outcome, _) => outcome?,
        };
        applied.drifts.extend(drift);
        if let Some(now) = now {
            let is_final =
                self.stores.detail(kind) == Detail::Metadata || changed_nothing(live.as_ref(), &now);
            let settled = is_final.then_some(now.identity().version);
            self.settle(kind, &now, owner, Wanted { hash: wanted, settled });
            applied.objects.insert((kind, key.clone()), now);
        }
        Ok(())
    }

    /// Does what was decided. The object as it is now, if it is there.
    async fn perform(
        &self,
        task: Task<'_>,
        action: Action,
        applied: &mut Applied,
    ) -> Result<Option<Arc<Object>>, WriteError> {
        let Task { target, desired, live, ownership: claim } = task;
        let Target { kind, key } = target;
        match action {
            Action::Nothing => Ok(live.cloned()),
            Action::Create(object) => {
                let outcome = self.create(target, desired.way, object).await;
                applied.wrote(target, outcome, || format!("created {} {key}", kind.kind))
            }
            Action::Apply { mut object, ownership, because } => {
                if let Some(live) = live.filter(|_| ownership) {
                    let after = self.take_over(target, live, &claim).await?;
                    object["metadata"]["resourceVersion"] = after.identity().version.to_string().into();
                }
                let outcome = self.apply_or_replace(target, &object, live.map(|live| &**live)).await;
                applied.wrote(target, outcome, || format!("applied {} {key} ({because})", kind.kind))
            }
            Action::Replace { object, because } => {
                let outcome = self.replace(target, object).await;
                applied.wrote(target, outcome, || format!("replaced {} {key} ({because})", kind.kind))
            }
            Action::Delete { orphan, because } => {
                let policy = if orphan { PropagationPolicy::Orphan } else { PropagationPolicy::Background };
                if let Some(live) = live {
                    self.dry_run(target, &desired.object).await?;
                    self.delete(kind, live, policy, applied).await?;
                    self.observe(&Occurrence::Recreated { controller: self.declaration.name, kind });
                }
                let words = format!("{} {key} is made anew: {because} cannot be changed", kind.kind);
                applied.recreated.push(words.clone());
                applied.waiting.push(words);
                Ok(None)
            }
            Action::Wait => {
                applied.waiting.push(format!("{} {key} is being deleted", kind.kind));
                Ok(None)
            }
            Action::Refuse(words) => Err(WriteError::Impossible(words)),
        }
    }

    /// Applies. Where the server refuses what others added together with ours (a second port of the same name, another
    /// source of the same volume), ours wins: the object is replaced, if the server takes that.
    async fn apply_or_replace(
        &self,
        target: Target<'_>,
        object: &Value,
        live: Option<&Object>,
    ) -> Result<Arc<Object>, WriteError> {
        match (self.server_side_apply(target, object).await, live) {
            (Err(refusal), Some(live)) if refusal.is_invalid() => {
                self.replace(target, decide::whole(object.clone(), &live.value())).await.map_err(|_| refusal)
            }
            (outcome, _) => outcome,
        }
    }

    /// Changes metadata of the resource itself, such as its finalizers.
    pub async fn patch_metadata(&self, object: &Object, change: Value) -> Result<Arc<Object>, WriteError> {
        let mut metadata = change;
        self.name_state(object, &mut metadata);
        self.merge(self.primary(object), None, &json!({ "metadata": metadata })).await
    }

    /// Writes the status of the resource itself: all of it, or what changed.
    pub async fn write_status(
        &self,
        object: &Object,
        status: &Value,
        change: &Value,
    ) -> Result<Arc<Object>, WriteError> {
        let mut metadata = json!({});
        self.name_state(object, &mut metadata);
        let target = self.primary(object);
        let written = match self.declaration.status_manager {
            None => {
                let body = json!({ "metadata": metadata, "status": change });
                self.merge(target, Some("status"), &body).await
            }
            Some(manager) => {
                metadata["name"] = (*target.key.name).into();
                let (version, kind) = (target.kind.api_version(), target.kind.kind);
                let body =
                    json!({ "apiVersion": version, "kind": kind, "metadata": metadata, "status": status });
                self.apply_status(target, manager, &body).await
            }
        };
        self.observe(&Occurrence::StatusWritten {
            controller: self.declaration.name,
            failed: written.is_err(),
        });
        written
    }

    fn primary<'a>(&self, object: &'a Object) -> Target<'a> {
        Target { kind: self.declaration.primary, key: object.key() }
    }

    fn name_state(&self, object: &Object, metadata: &mut Value) {
        // What we wrote earlier in this pass may be newer than what the pass began with.
        let known = self.stores.get(self.declaration.primary, object.key());
        let same = known.filter(|known| known.identity().uid == object.identity().uid);
        let version = same.map_or(object.identity().version, |known| known.identity().version);
        metadata["resourceVersion"] = version.to_string().into();
        metadata["uid"] = (*object.identity().uid).into();
    }

    fn kind_of(&self, resource: &ApiResource) -> Option<Kind> {
        let fits = |kind: &Kind| kind.group == resource.group && kind.kind == resource.kind;
        self.declaration.kinds().find(fits)
    }
}
