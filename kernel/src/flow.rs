//! One pass of one resource: gather, validate, plan, apply, observe, report. An operator brings the stages, as one
//! implementation of [`Operator`]; `reconciler` joins them and does all the writing.

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

/// A spec that cannot be carried out. The user acts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    /// Why, in one word.
    pub reason: &'static str,
    /// What to do, in words.
    pub message: String,
    /// When to look again, if no event says that it was done.
    pub requeue_after: Option<Duration>,
}

/// Something failed and is tried again.
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
        /// Why.
        source: Box<dyn Error + Send + Sync>,
    },
    /// What was read cannot be used.
    #[error("{0}")]
    Unusable(String),
    /// A stage took too long and was ended.
    #[error("{stage} took longer than {} seconds and was ended", deadline.as_secs())]
    Late {
        /// Which one.
        stage: &'static str,
        /// How long it may take.
        deadline: Duration,
    },
}

impl PassError {
    /// Something that failed outside of this process.
    pub fn outside(what: impl Into<String>, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Outside { what: what.into(), source: source.into() }
    }

    /// The error with all its causes, in one line.
    pub fn words(&self) -> String {
        let mut words = self.to_string();
        let mut cause = Error::source(self);
        while let Some(error) = cause {
            words = format!("{words}: {error}");
            cause = error.source();
        }
        words
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

/// What a pass will do.
#[derive(Debug)]
pub struct Plan<O: Operator + ?Sized> {
    /// Fields of the status that are written before anything else is done: what the work and the step begin must be known
    /// also if the process dies. Null for none.
    pub intent: Value,
    /// What the cluster should hold.
    pub work: Work,
    /// One thing outside of the cluster, done when all of the work is done. The next pass follows at once.
    pub step: Option<O::Step>,
    /// The finalizer: added before, removed after the work.
    pub finalizer: Finalizer,
    /// When to look again though nothing changed.
    pub requeue_after: Option<Duration>,
    /// What this plan is part of, for `observe` and `report`.
    pub course: O::Course,
}

/// What a pass knew, what it wanted and what it did.
pub struct Attempt<'a, O: Operator + ?Sized> {
    /// What was known before.
    pub inputs: &'a O::Inputs,
    /// What was to be done; nothing, if the spec cannot be carried out.
    pub plan: Option<&'a Plan<O>>,
    /// What was done.
    pub applied: &'a Applied,
    /// What stopped it.
    pub error: Option<&'a PassError>,
}

/// What `observe` found.
pub struct Observed<H> {
    /// How the application is doing.
    pub health: H,
    /// Fields of objects of others that follow from what was written.
    pub touches: Vec<Touch>,
    /// When to look again though nothing changed.
    pub requeue_after: Option<Duration>,
}

impl<H> From<H> for Observed<H> {
    fn from(health: H) -> Self {
        Self { health, touches: Vec::new(), requeue_after: None }
    }
}

/// What a pass came to.
pub enum PassResult<'a, O: Operator + ?Sized> {
    /// What a plan needs could not be read.
    Unread(&'a PassError),
    /// The spec cannot be carried out.
    Invalid {
        /// What was known.
        inputs: &'a O::Inputs,
        /// Why not.
        invalid: &'a Invalid,
        /// How the application is doing.
        health: &'a O::Health,
    },
    /// The plan was carried out, as far as it went.
    Applied {
        /// What was known before.
        inputs: &'a O::Inputs,
        /// What was to be done.
        plan: &'a Plan<O>,
        /// What was done.
        applied: &'a Applied,
        /// How the application is doing.
        health: &'a O::Health,
        /// What stopped it.
        error: Option<&'a PassError>,
    },
}

/// What `gather` reads the cluster from.
#[derive(Clone, Copy)]
pub struct Cluster<'a> {
    /// All that is watched.
    pub stores: &'a Stores,
    /// The resource that is looked at.
    pub key: &'a Key,
    index: &'a Index,
}

impl<'a> Cluster<'a> {
    /// What is known for one resource.
    pub fn new(stores: &'a Stores, key: &'a Key, index: &'a Index) -> Self {
        Self { stores, key, index }
    }

    /// Announces the objects that this resource is about to read by name: a change of one of them that comes later causes a
    /// pass.
    pub fn reads(&self, objects: &BTreeMap<Kind, BTreeSet<Key>>) {
        self.index.reads(self.key, objects);
    }

    /// Looks through the objects of a kind whose status mentions this resource, by key.
    pub fn mentioning_of<T>(&self, kind: Kind, look: impl FnOnce(btree_set::Iter<'_, Key>) -> T) -> T {
        self.index.mentioning_of(self.key, kind, look)
    }

    /// The objects whose status mentions this resource.
    pub fn mentioning(&self) -> BTreeMap<Kind, BTreeSet<Key>> {
        self.index.mentioning(self.key)
    }
}

/// The stages of one kind. `gather` reads and `perform` acts; the others are pure: what they return follows from what they
/// are given, and of what they are lent they change only the memory.
pub trait Operator: Send + Sync + 'static {
    /// What users write.
    type Resource: DeserializeOwned + Send + Sync;
    /// What is remembered of a resource from one pass to the next. The kernel owns it, lends it to each pass, and forgets
    /// it with the resource. Losing it costs time and nothing else.
    type Memory: Default + Send + Sync;
    /// What is known.
    type Inputs: Send + Sync;
    /// A checked spec: `plan` looks at nothing else of the resource.
    type Valid<'v>: Send + Sync
    where
        Self: 'v;
    /// Something to be done outside of Kubernetes. It is logged, so it holds no credentials.
    type Step: Debug + Send + Sync;
    /// What a plan is part of.
    type Course: Send + Sync;
    /// How the application is doing.
    type Health: Send + Sync;

    /// How long `gather` may take, and how long `perform`.
    const DEADLINE: Duration = Duration::from_mins(2);

    /// What it watches and owns.
    fn declaration(&self) -> &'static Declaration;

    /// Whether a resource is for this process; others of its kind may be for another one.
    fn is_ours(&self, _resource: &Object) -> bool {
        true
    }

    /// Reads stores and looks at the outside system. A look at the outside that fails is an input.
    fn gather(
        &self,
        resource: &Self::Resource,
        cluster: Cluster<'_>,
        memory: &mut Self::Memory,
        now: Timestamp,
    ) -> impl Future<Output = Result<Self::Inputs, PassError>> + Send;

    /// Checks. Pure.
    fn validate<'v>(
        &'v self,
        resource: &'v Self::Resource,
        inputs: &'v Self::Inputs,
    ) -> Result<Self::Valid<'v>, Invalid>;

    /// Decides. Pure. What turns out to be impossible only when it is written down is invalid too.
    fn plan(
        &self,
        valid: &Self::Valid<'_>,
        inputs: &Self::Inputs,
        memory: &mut Self::Memory,
        now: Timestamp,
    ) -> Result<Plan<Self>, Invalid>;

    /// Does the one thing outside of Kubernetes.
    fn perform(
        &self,
        step: &Self::Step,
        inputs: &Self::Inputs,
    ) -> impl Future<Output = Result<(), PassError>> + Send;

    /// Looks at what is there after the work. Pure.
    fn observe(
        &self,
        resource: &Self::Resource,
        attempt: &Attempt<'_, Self>,
        memory: &mut Self::Memory,
        now: Timestamp,
    ) -> Observed<Self::Health>;

    /// What others still say of a resource that is gone, and must not. Pure.
    fn statuses_after_deletion(&self, _cluster: Cluster<'_>) -> Vec<ForeignStatus> {
        Vec::new()
    }

    /// Says what became of it. Pure.
    fn report(&self, resource: &Self::Resource, result: &PassResult<'_, Self>, now: Timestamp) -> Report;
}
