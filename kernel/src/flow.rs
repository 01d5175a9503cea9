//! One pass of one resource: gather, validate, plan, apply, observe, report. An operator implements the
//! stages as one [`Operator`]; `reconciler` calls them in order and does all the writing.

use std::collections::{BTreeMap, BTreeSet, btree_set};
use std::error::Error;
use std::fmt::Debug;
use std::future::Future;
use std::time::Duration;

use k8s_openapi::jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::apply::{Applied, ForeignStatus, Touch, Work, WriteError};
use crate::declare::{Declaration, Kind};
use crate::index::Index;
use crate::object::{Key, Object};
use crate::report::Report;
use crate::stores::Stores;
use crate::telemetry::with_causes;

/// A spec that cannot be applied: the user has to act.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    /// The reason, in one word.
    pub reason: &'static str,
    /// What the user should do.
    pub message: String,
    /// When to reconcile again, if no event comes before.
    pub requeue_after: Option<Duration>,
}

/// Something failed and is retried.
#[derive(Debug, thiserror::Error)]
pub enum PassError {
    /// A write.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A read, of the API server or of the outside system, or a step in the outside system.
    #[error("{what}")]
    Outside {
        /// What failed, of which object.
        what: String,
        /// The cause.
        source: Box<dyn Error + Send + Sync>,
    },
    /// An input cannot be used.
    #[error("{0}")]
    Unusable(String),
    /// A stage exceeded its deadline and was ended.
    #[error("{stage} took longer than {} seconds and was ended", deadline.as_secs())]
    Late {
        /// The stage.
        stage: &'static str,
        /// How long it may take.
        deadline: Duration,
    },
}

impl PassError {
    /// An error of another system.
    pub fn outside(what: impl Into<String>, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Outside { what: what.into(), source: source.into() }
    }

    /// The error with all its causes, in one line.
    pub fn with_causes(&self) -> String {
        with_causes(self)
    }
}

/// What to do about the finalizer of a resource.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Finalizer {
    /// Leave it as it is.
    #[default]
    Unchanged,
    /// Add it: the deletion waits until the operator has cleaned up.
    Present,
    /// Remove it: the operator has cleaned up, or there is nothing to clean up.
    Absent,
}

/// What a pass does.
#[derive(Debug)]
pub struct Plan<O: Operator + ?Sized> {
    /// Fields of the status that are written before anything else, so that the next pass knows what was started, even if the
    /// process crashes. Null for none.
    pub intent: Value,
    /// The objects to write, patch and delete.
    pub work: Work,
    /// One action outside of the cluster, performed when all of the work is done. The next pass follows at once.
    pub step: Option<O::Step>,
    /// The finalizer: added before, removed after the work.
    pub finalizer: Finalizer,
    /// When to reconcile again if nothing changes.
    pub requeue_after: Option<Duration>,
    /// What this plan is part of, for `observe` and `report`.
    pub course: O::Course,
}

/// The inputs, the plan and the results of a pass.
pub struct Attempt<'a, O: Operator + ?Sized> {
    /// What was known before.
    pub inputs: &'a O::Inputs,
    /// The plan; `None` if the spec is invalid.
    pub plan: Option<&'a Plan<O>>,
    /// What was done.
    pub applied: &'a Applied,
    /// What stopped it.
    pub error: Option<&'a PassError>,
}

/// The result of `observe`.
pub struct Observed<H> {
    /// The health of the application.
    pub health: H,
    /// Fields of objects of others that follow from what was written.
    pub touches: Vec<Touch>,
    /// When to reconcile again if nothing changes.
    pub requeue_after: Option<Duration>,
}

impl<H> From<H> for Observed<H> {
    fn from(health: H) -> Self {
        Self { health, touches: Vec::new(), requeue_after: None }
    }
}

/// The result of a pass, for `report`.
pub enum PassResult<'a, O: Operator + ?Sized> {
    /// The inputs could not be read.
    Unread(&'a PassError),
    /// The spec is invalid.
    Invalid {
        /// What was known.
        inputs: &'a O::Inputs,
        /// Why not.
        invalid: &'a Invalid,
        /// The health of the application.
        health: &'a O::Health,
    },
    /// The plan was carried out, as far as it went.
    Applied {
        /// What was known before.
        inputs: &'a O::Inputs,
        /// The plan.
        plan: &'a Plan<O>,
        /// What was done.
        applied: &'a Applied,
        /// The health of the application.
        health: &'a O::Health,
        /// What stopped it.
        error: Option<&'a PassError>,
    },
}

/// What `gather` reads from.
#[derive(Clone, Copy)]
pub struct Cluster<'a> {
    /// All stores.
    pub stores: &'a Stores,
    /// The resource.
    pub key: &'a Key,
    index: &'a Index,
}

impl<'a> Cluster<'a> {
    /// For one resource.
    pub fn new(stores: &'a Stores, key: &'a Key, index: &'a Index) -> Self {
        Self { stores, key, index }
    }

    /// Registers the objects that this resource is about to read by name: a later change of one of them causes a pass.
    pub fn reads(&self, objects: &BTreeMap<Kind, BTreeSet<Key>>) {
        self.index.reads(self.key, objects);
    }

    /// Iterates over the objects of a kind whose status mentions this resource, by key.
    pub fn mentioning_of<T>(&self, kind: Kind, read: impl FnOnce(btree_set::Iter<'_, Key>) -> T) -> T {
        self.index.mentioning_of(self.key, kind, read)
    }

    /// The objects whose status mentions this resource.
    pub fn mentioning(&self) -> BTreeMap<Kind, BTreeSet<Key>> {
        self.index.mentioning(self.key)
    }
}

/// The stages of one kind. `gather` and `statuses_after_deletion` read and `perform` acts; the others are pure: their results
/// depend on their arguments only, and they change only the memory.
pub trait Operator: Send + Sync + 'static {
    /// The resource that users write.
    type Resource: DeserializeOwned + Send + Sync;
    /// What is remembered of a resource between passes. The kernel owns it, lends it to each pass, and drops it with the
    /// resource. Losing it costs only time.
    type Memory: Default + Send + Sync;
    /// Everything that `gather` has read.
    type Inputs: Send + Sync;
    /// A checked spec: `plan` reads nothing else of the resource.
    type Valid<'v>: Send + Sync
    where
        Self: 'v;
    /// An action outside of Kubernetes. It is logged, so it contains no credentials.
    type Step: Debug + Send + Sync;
    /// What the plan is part of, such as an upgrade.
    type Course: Send + Sync;
    /// The health of the application.
    type Health: Send + Sync;

    /// How long `gather` may take, and how long `perform`.
    const DEADLINE: Duration = Duration::from_mins(2);

    /// What it watches and owns.
    fn declaration(&self) -> &'static Declaration;

    /// Whether this process reconciles a resource.
    fn is_ours(&self, _resource: &Object) -> bool {
        true
    }

    /// Reads stores and probes the application. A probe that fails is an input.
    fn gather(
        &self,
        resource: &Self::Resource,
        cluster: Cluster<'_>,
        memory: &mut Self::Memory,
        now: Timestamp,
    ) -> impl Future<Output = Result<Self::Inputs, PassError>> + Send;

    /// Checks the spec. Pure.
    fn validate<'v>(
        &'v self,
        resource: &'v Self::Resource,
        inputs: &'v Self::Inputs,
    ) -> Result<Self::Valid<'v>, Invalid>;

    /// Decides what to write. Pure. A spec that proves to be impossible only here is invalid too.
    fn plan(
        &self,
        valid: &Self::Valid<'_>,
        inputs: &Self::Inputs,
        memory: &mut Self::Memory,
        now: Timestamp,
    ) -> Result<Plan<Self>, Invalid>;

    /// Performs the one action outside of Kubernetes.
    fn perform(
        &self,
        step: &Self::Step,
        inputs: &Self::Inputs,
    ) -> impl Future<Output = Result<(), PassError>> + Send;

    /// Derives the health from the state after the work. Pure.
    fn observe(
        &self,
        resource: &Self::Resource,
        attempt: &Attempt<'_, Self>,
        memory: &mut Self::Memory,
        now: Timestamp,
    ) -> Observed<Self::Health>;

    /// Statuses of other objects that have to be corrected after a resource is gone. It reads only the stores.
    fn statuses_after_deletion(&self, _cluster: Cluster<'_>) -> Vec<ForeignStatus> {
        Vec::new()
    }

    /// Builds the status and the events. Pure.
    fn report(&self, resource: &Self::Resource, result: &PassResult<'_, Self>, now: Timestamp) -> Report;
}
