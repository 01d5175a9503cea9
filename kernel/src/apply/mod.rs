//! The only writer. What to do about an object is decided in `decide`, which is pure; this file sends the requests.
//!
//! # Guarantees
//! - No request when nothing would change.
//! - Every write names the version or the unique id of the object that it is based on, or creates it: the server rejects
//!   one that is outdated.
//! - Nothing is written once the fence is closed.
//! - Nothing is deleted to be recreated before the server has accepted the new object in a dry run.
//! - The answer of the server is in the stores before a write returns, and its event causes no further pass, even if it
//!   comes first. An object that no watch delivers is never in the stores: it is read when it is needed.
//! - After an outdated write the next attempt reads the object from the server.

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
mod status;
#[cfg(test)]
mod tests;
mod touch;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use kube::Client;
use kube::api::PropagationPolicy;
use serde::Serialize;
use serde_json::{Value, json};

pub use decide::{Desired, Ownership, Way, WriteAction, decide};
pub use drift::Drift;
pub use error::{Result, WriteError};
pub use immutable::{ChangeMethod, change, rows};
pub(crate) use memory::WriterMemory;
use request::Target;
use settled::{Wanted, changed_nothing, hash};

use crate::declare::{Declaration, Detail, Kind, Known};
use crate::metrics::{Metrics, Occurrence};
use crate::object::{Key, Object, Owner, Stored};
use crate::report::merged;
use crate::store::Origin;
use crate::stores::{Namespaces, Stores};

/// Notifies controllers of a change that came with a write, which the watch does not deliver. A change of our own is for
/// other controllers only.
pub type Announce = Arc<dyn Fn(Kind, &crate::store::Change<Object>, Origin) + Send + Sync>;

/// Whether this process may still write.
pub type Fence = Arc<dyn Fn() -> bool + Send + Sync>;

/// An object to be deleted, as it is in the stores.
#[derive(Debug, Clone)]
pub struct Deletion {
    /// Its kind.
    pub kind: Kind,
    /// The object.
    pub object: Arc<Object>,
}

/// A patch of a few fields of an object that another writer owns.
#[derive(Debug, Clone, PartialEq)]
pub struct Touch {
    /// Its kind.
    pub kind: Kind,
    /// Its name.
    pub key: Key,
    /// Its unique id: no other object of the same name is patched, and none is created.
    pub uid: Box<str>,
    /// The fields. All others stay, also those that we patched before.
    pub fields: Value,
}

/// What a pass writes.
#[derive(Debug, Clone, Default)]
pub struct Work {
    /// Objects in waves: a wave starts when the one before it is written.
    pub waves: Vec<Vec<Desired>>,
    /// Patches of objects of others.
    pub touches: Vec<Touch>,
    /// Deletions beyond pruning.
    pub deletions: Vec<Deletion>,
    /// Pods to be evicted, if their disruption budget permits it.
    pub evictions: Vec<Deletion>,
    /// Whether owned objects that the work does not name are pruned: only if the work is complete.
    pub prune: bool,
    /// Objects that are never pruned.
    pub spared: Vec<(Kind, Key)>,
    /// Fields in the status of objects of others.
    pub foreign_statuses: Vec<ForeignStatus>,
}

/// Fields in the status of an object that another writer owns. They are written into the version that is known, and into
/// no later one.
#[derive(Debug, Clone, PartialEq)]
pub struct ForeignStatus {
    /// Its kind.
    pub kind: Kind,
    /// The object.
    pub object: Arc<Object>,
    /// The fields of its status.
    pub status: Value,
}

/// The results of the work.
#[derive(Debug, Clone, Default)]
pub struct Applied {
    /// The objects as they are now.
    pub objects: HashMap<(Kind, Key), Arc<Object>>,
    /// Drift that was corrected.
    pub drifts: Vec<Drift>,
    /// What was deleted to be recreated, and why.
    pub recreated: Vec<String>,
    /// What is being deleted and will be recreated.
    pub waiting: Vec<String>,
    /// What was written, for the log.
    pub written: Vec<String>,
    /// The objects that were or may have been created or changed.
    pub changed: BTreeSet<(Kind, Key)>,
    /// The objects that were patched, deleted or evicted.
    pub done: BTreeSet<(Kind, Key)>,
    /// Pods whose eviction a disruption budget forbids, with the message of the server.
    pub kept: BTreeMap<Key, String>,
    /// Optional patches that the server rejected, with its message. The operator reports them.
    pub refused: Vec<(Touch, String)>,
}

impl Applied {
    /// Records the outcome of a write: what the server rejected has changed nothing.
    fn wrote(
        &mut self,
        target: Target<'_>,
        outcome: Result<Arc<Object>>,
        message: impl FnOnce() -> String,
    ) -> Result<Option<Arc<Object>>> {
        if outcome.as_ref().err().is_none_or(WriteError::may_be_done) {
            self.changed.insert((target.kind, target.key.clone()));
        }
        if outcome.is_ok() {
            self.written.push(message());
        }
        outcome.map(Some)
    }
}

/// What all controllers of a process share.
#[derive(Clone)]
pub struct Tools {
    /// The client of the API server.
    pub client: Client,
    /// The stores.
    pub stores: Stores,
    /// Our field manager.
    pub manager: &'static str,
    /// Whether this process may write.
    pub fence: Fence,
}

impl Tools {
    /// For a controller whose objects are not watched: it reads each object before it writes it.
    pub fn without_stores(client: Client, manager: &'static str, fence: Fence) -> Self {
        let stores = Stores::new(&[], manager, &Namespaces::AllBut(Vec::new()).into());
        Self { client, stores, manager, fence }
    }
}

/// One desired object, and what is known of it.
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
    memory: WriterMemory,
    metrics: Option<Metrics>,
    /// Whether the definition of the resources has no status subresource, as far as is known.
    has_inline_status: Arc<AtomicBool>,
}

/// A desired object of a built-in kind.
pub fn desired<K>(object: &K, way: Way) -> Desired
where
    K: k8s_openapi::Resource<Scope: Known> + Serialize,
{
    let kind = Kind::of::<K>();
    let mut object = serde_json::to_value(object).unwrap_or_default();
    object["apiVersion"] = kind.api_version().into();
    object["kind"] = kind.kind.into();
    Desired { kind, object, way, looks_after_pods: false }
}

impl Writer {
    /// The writer of a controller that is alone in its process.
    pub fn new(declaration: &'static Declaration, tools: Tools) -> Self {
        let Tools { client, stores, manager, fence } = tools;
        Self {
            client,
            stores,
            declaration,
            manager,
            fence,
            announce: Arc::new(|_, _, _| {}),
            memory: WriterMemory::default(),
            metrics: None,
            has_inline_status: Arc::default(),
        }
    }

    /// The same for one of several controllers: it announces its writes and counts them. The memory is shared with the
    /// caller, who makes it forget what is gone.
    #[must_use]
    pub(crate) fn joined(self, announce: Announce, metrics: Metrics, memory: WriterMemory) -> Self {
        Self { announce, memory, metrics: Some(metrics), ..self }
    }

    pub(crate) fn observe(&self, occurrence: &Occurrence<'_>) {
        if let Some(metrics) = &self.metrics {
            metrics.observe(occurrence);
        }
    }

    /// Its stores.
    pub fn stores(&self) -> &Stores {
        &self.stores
    }

    /// Does the work on behalf of an owner. Stops at the first error, except if the server rejects a patch: the rest is done
    /// first.
    pub async fn carry_out(&self, work: &Work, owner: &Object) -> Result<Applied> {
        let mut applied = Applied::default();
        self.carry_out_into(&mut applied, work, owner).await?;
        Ok(applied)
    }

    /// The same, for a caller that needs the results even if something failed.
    pub async fn carry_out_into(&self, applied: &mut Applied, work: &Work, owner: &Object) -> Result<()> {
        let written = self.write_all(applied, work, owner).await;
        // Statuses of other objects are written even if something failed.
        let statuses = self.write_foreign_statuses(&work.foreign_statuses).await;
        written.and(statuses)
    }

    async fn write_all(&self, applied: &mut Applied, work: &Work, owner: &Object) -> Result<()> {
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

    async fn apply(&self, desired: &Desired, owner: &Object, applied: &mut Applied) -> Result<()> {
        let (kind, key) = (desired.kind, desired.key());
        let target = Target { kind, key: &key };
        self.check_declared(target)?;
        let wanted = hash(&desired.object);
        let known = self.stores.get(kind, &key);
        let is_unwatched = self.is_unwatched(target);
        if is_unwatched && self.was_checked_recently(target, owner, wanted) {
            return Ok(());
        }
        if let Some(known) =
            known.as_ref().filter(|known| !is_unwatched && self.is_settled(kind, known, owner, wanted))
        {
            applied.objects.insert((kind, key.clone()), Arc::clone(known));
            return Ok(());
        }
        let (live, is_as_we_wrote_it) = self.read_present(target, known, owner).await?;
        let others = live.as_deref().filter(|_| !is_as_we_wrote_it);
        let desired = &self.with_kept_fields(kind, desired, others);
        let controller = Owner {
            group: self.declaration.primary.group.into(),
            kind: self.declaration.primary.kind.into(),
            name: (*owner.key().name).into(),
            uid: owner.identity().uid.clone(),
        };
        let task = self.task(target, desired, live.as_ref(), &controller);
        let action = decide(desired, live.as_deref(), task.ownership);
        let drift = live.as_deref().filter(|live| self.was_wanted(kind, live, owner, wanted));
        let drift = match drift.and_then(|live| Drift::of(target, live, &action, self.manager)) {
            Some(drift) => Some(self.with_writer(drift).await),
            None => None,
        };
        let performed = self.perform_or_recreate(task, action, applied).await;
        let now = self.note_if_outdated(target, owner, performed)?;
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

    /// Writes one object that was just read, for a controller without a primary resource: nothing is remembered. Returns
    /// the object as it is now, or nothing while it is being deleted.
    pub async fn write(
        &self,
        desired: &Desired,
        live: Option<&Arc<Object>>,
        owner: &Owner,
        applied: &mut Applied,
    ) -> Result<Option<Arc<Object>>> {
        let key = desired.key();
        let target = Target { kind: desired.kind, key: &key };
        self.check_declared(target)?;
        let task = self.task(target, desired, live, owner);
        let action = decide(desired, live.map(|live| &**live), task.ownership);
        self.perform_or_recreate(task, action, applied).await
    }

    fn task<'a>(
        &self,
        target: Target<'a>,
        desired: &'a Desired,
        live: Option<&'a Arc<Object>>,
        owner: &'a Owner,
    ) -> Task<'a> {
        let predecessors = self.declaration.predecessors;
        let ownership = Ownership { manager: self.manager, predecessors, owner };
        Task { target, desired, live, ownership }
    }

    fn check_declared(&self, Target { kind, key }: Target<'_>) -> Result<()> {
        if self.declaration.declares(kind) {
            return Ok(());
        }
        let (kind, operator) = (kind.kind, self.declaration.name);
        Err(WriteError::Impossible(format!(
            "{kind} {key}: operator {operator} does not declare such objects"
        )))
    }

    /// Performs an action. An object that the server refuses to change may have to be recreated.
    async fn perform_or_recreate(
        &self,
        task: Task<'_>,
        action: WriteAction,
        applied: &mut Applied,
    ) -> Result<Option<Arc<Object>>> {
        match (self.perform(task, action, applied).await, task.live) {
            (Err(refusal), Some(live)) if refusal.is_invalid() => {
                let Some(instead) = decide::decide_after_rejection(task.desired, live) else {
                    return Err(refusal);
                };
                self.perform(task, instead, applied).await
            }
            (outcome, _) => outcome,
        }
    }

    /// Performs an action. Returns the object as it is now, if it exists.
    async fn perform(
        &self,
        task: Task<'_>,
        action: WriteAction,
        applied: &mut Applied,
    ) -> Result<Option<Arc<Object>>> {
        let Task { target, desired, live, ownership: managers } = task;
        let Target { kind, key } = target;
        match action {
            WriteAction::Nothing => Ok(live.cloned()),
            WriteAction::Create(object) => {
                let outcome = self.create(target, desired.way, object).await;
                applied.wrote(target, outcome, || format!("created {} {key}", kind.kind))
            }
            WriteAction::Apply { mut object, ownership, because } => {
                if let Some(live) = live.filter(|_| ownership) {
                    let after = self.take_over(target, live, &managers).await?;
                    object["metadata"]["resourceVersion"] = after.identity().version.to_string().into();
                }
                let outcome = self.apply_or_replace(target, &object, live.map(|live| &**live)).await;
                applied.wrote(target, outcome, || format!("applied {} {key} ({because})", kind.kind))
            }
            WriteAction::Replace { object, because } => {
                let outcome = self.replace(target, object).await;
                applied.wrote(target, outcome, || format!("replaced {} {key} ({because})", kind.kind))
            }
            WriteAction::Delete { orphan, because } => {
                let policy = if orphan { PropagationPolicy::Orphan } else { PropagationPolicy::Background };
                if let Some(live) = live {
                    self.dry_run(target, &desired.object).await?;
                    self.delete(kind, live, policy, applied).await?;
                    self.observe(&Occurrence::Recreated { controller: self.declaration.name, kind });
                }
                let message = format!("{} {key} is recreated: {because} cannot be changed", kind.kind);
                applied.recreated.push(message.clone());
                applied.waiting.push(message);
                Ok(None)
            }
            WriteAction::Wait => {
                applied.waiting.push(format!("{} {key} is being deleted", kind.kind));
                Ok(None)
            }
            WriteAction::Refuse(message) => Err(WriteError::Impossible(message)),
        }
    }

    /// Applies an object. If the server rejects the fields of others together with ours (a second port with the same name,
    /// another source of the same volume), our fields take precedence: the object is replaced.
    async fn apply_or_replace(
        &self,
        target: Target<'_>,
        object: &Value,
        live: Option<&Object>,
    ) -> Result<Arc<Object>> {
        match (self.server_side_apply(target, object).await, live) {
            (Err(refusal), Some(live)) if refusal.is_invalid() => {
                self.replace(target, decide::whole(object.clone(), &live.value())).await.map_err(|_| refusal)
            }
            (outcome, _) => outcome,
        }
    }

    /// Patches metadata of the resource itself, such as its finalizers.
    pub async fn patch_metadata(&self, object: &Object, change: &Value) -> Result<Arc<Object>> {
        let metadata = merged(self.state_of(object), change);
        self.merge(self.primary(object), None, &json!({ "metadata": metadata })).await
    }

    fn primary<'a>(&self, object: &'a Object) -> Target<'a> {
        Target { kind: self.declaration.primary, key: object.key() }
    }

    /// Metadata with the unique id and the version that a write is based on.
    fn state_of(&self, object: &Object) -> Value {
        // An earlier write of this pass may have changed the version.
        let known = self.stores.get(self.declaration.primary, object.key());
        let same = known.filter(|known| known.identity().uid == object.identity().uid);
        let version = same.map_or(object.identity().version, |known| known.identity().version);
        json!({ "resourceVersion": version.to_string(), "uid": object.uid() })
    }
}
