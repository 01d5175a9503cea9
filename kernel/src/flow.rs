//! One pass of one resource: gather, validate, plan, apply, observe, report. An operator brings the stages; this file
//! joins them and does all the writing. A pass may die at any await: the next finds the truth by looking.

use std::fmt::Debug;
use std::future::Future;
use std::time::Duration;

use k8s_openapi::jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tracing::Instrument;

use crate::apply::{Applied, Drift, ForeignStatus, Touch, Work, WriteError, Writer};
use crate::declare::Declaration;
use crate::object::{Key, Object};
use crate::queue::Outcome;
use crate::report::{self, Note, Remark, Report};
use crate::stores::Stores;

/// A spec that cannot be carried out. The user acts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    /// Why, in one word.
    pub reason: &'static str,
    /// What to do, in words.
    pub message: String,
    /// When to look again, if nobody tells us that it was done.
    pub requeue_after: Option<Duration>,
}

/// Something failed and is tried again.
#[derive(Debug, thiserror::Error)]
pub enum PassError {
    /// A write.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A look at, or a step in, the outside system.
    #[error("{0}")]
    Outside(String),
}

impl PassError {
    /// All of it, in one line.
    pub fn words(&self) -> String {
        let mut words = self.to_string();
        let mut cause = std::error::Error::source(self);
        while let Some(error) = cause {
            words = format!("{words}: {error}");
            cause = error.source();
        }
        words
    }
}

/// What to do about a resource's deletion.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Finalizer {
    /// Leave it as it is.
    #[default]
    Unchanged,
    /// Hold the deletion back until we have cleaned up.
    Present,
    /// We have cleaned up, or there is nothing to clean up.
    Absent,
}

/// What a pass will do.
#[derive(Debug)]
pub struct Plan<O: Operator + ?Sized> {
    /// What the cluster should hold.
    pub work: Work,
    /// One thing outside of it, done when all of the work is done.
    pub step: Option<O::Step>,
    /// Deletion of the resource; held before, released after the work.
    pub finalizer: Finalizer,
    /// When to look again though nothing changed.
    pub requeue_after: Option<Duration>,
    /// What this plan is part of, for the report.
    pub course: O::Course,
}

/// What a pass came to.
pub enum Verdict<'a, O: Operator + ?Sized> {
    /// The outside could not be looked at.
    Blind(&'a PassError),
    /// The spec cannot be carried out.
    Invalid(&'a O::Inputs, &'a Invalid),
    /// It was carried out, as far as it went.
    Done {
        /// What was known before.
        inputs: &'a O::Inputs,
        /// What was to be done.
        plan: &'a Plan<O>,
        /// What was done.
        applied: &'a Applied,
        /// What stopped it.
        trouble: Option<&'a PassError>,
    },
}

/// The stages of one kind.
pub trait Operator: Send + Sync + 'static {
    /// What users write.
    type Resource: DeserializeOwned + Send + Sync;
    /// What is known.
    type Inputs: Send + Sync;
    /// A checked spec: the only input of `plan` besides what is known.
    type Valid: Send + Sync;
    /// Something to be done outside of Kubernetes.
    type Step: Debug + Send + Sync;
    /// What a plan is part of.
    type Course: Debug + Send + Sync;

    /// What it watches and owns.
    fn declaration(&self) -> &'static Declaration;

    /// Whether a resource is for this process; others of its kind may be for somebody else.
    fn is_ours(&self, _resource: &Object) -> bool {
        true
    }

    /// Reads stores and looks at the outside system.
    fn gather(
        &self,
        resource: &Self::Resource,
        stores: &Stores,
        now: Timestamp,
    ) -> impl Future<Output = Result<Self::Inputs, PassError>> + Send;

    /// Checks. Pure.
    fn validate(&self, resource: &Self::Resource, inputs: &Self::Inputs) -> Result<Self::Valid, Invalid>;

    /// Decides. Pure.
    fn plan(&self, valid: &Self::Valid, inputs: &Self::Inputs, now: Timestamp) -> Plan<Self>;

    /// Does the one thing outside of Kubernetes.
    fn perform(&self, step: &Self::Step) -> impl Future<Output = Result<(), PassError>> + Send;

    /// What follows from what was written: fields of objects of others, and when to look again.
    fn afterwards(
        &self,
        _resource: &Self::Resource,
        _inputs: &Self::Inputs,
        _applied: &Applied,
        _now: Timestamp,
    ) -> (Vec<Touch>, Option<Duration>) {
        (Vec::new(), None)
    }

    /// What others still say of a resource that is gone, and must not.
    fn statuses_after_deletion(&self, _key: &Key, _stores: &Stores) -> Vec<ForeignStatus> {
        Vec::new()
    }

    /// Says what became of it. Pure.
    fn report(&self, resource: &Self::Resource, verdict: &Verdict<'_, Self>, now: Timestamp) -> Report;
}

/// Tells users, and counts.
pub trait Recorder: Send + Sync + 'static {
    /// Posts events about a resource.
    fn record(&self, about: &Object, notes: Vec<Note>) -> impl Future<Output = ()> + Send;

    /// Posts events about what a resource looks at.
    fn record_about(&self, resource: &Object, remarks: Vec<Remark>) -> impl Future<Output = ()> + Send;
}

/// A resource is worked on with these.
pub struct Reconciler<O, T> {
    /// The stages.
    pub operator: O,
    /// The writer.
    pub writer: Writer,
    /// The mouth.
    pub recorder: T,
}

impl<O: Operator, T: Recorder> Reconciler<O, T> {
    /// One pass.
    pub async fn pass(&self, key: &Key, now: fn() -> Timestamp) -> Outcome {
        // Of the highest level, so that every line of a pass says whose it is, whatever is logged.
        let span = tracing::error_span!("pass", controller = self.operator.declaration().name, %key);
        self.look(key, now).instrument(span).await
    }

    async fn look(&self, key: &Key, now: fn() -> Timestamp) -> Outcome {
        let primary = self.operator.declaration().primary;
        let Some(object) = self.writer.stores().get(primary, key) else {
            let left = self.operator.statuses_after_deletion(key, self.writer.stores());
            return self
                .writer
                .write_foreign_statuses(&left)
                .await
                .map_or_else(|error| failed(&error.into()), |()| Outcome::Settled);
        };
        if !self.operator.is_ours(&object) {
            return Outcome::Settled;
        }
        let resource: O::Resource = match object.read() {
            Ok(resource) => resource,
            Err(error) => {
                let message = format!("{error}: {}; mend or delete it", error.source);
                let note = Note { alarming: true, reason: "Unreadable", message };
                tracing::warn!("{}", note.message);
                self.recorder.record(&object, vec![note]).await;
                return Outcome::Unreadable;
            }
        };
        self.work(&object, &resource, now).await
    }

    async fn work(&self, object: &Object, resource: &O::Resource, now: fn() -> Timestamp) -> Outcome {
        let inputs = match self.operator.gather(resource, self.writer.stores(), now()).await {
            Ok(inputs) => inputs,
            Err(trouble) => {
                self.report(object, resource, &Verdict::Blind(&trouble), now()).await;
                return failed(&trouble);
            }
        };
        let valid = match self.operator.validate(resource, &inputs) {
            Ok(valid) => valid,
            Err(invalid) => {
                let said = self.report(object, resource, &Verdict::Invalid(&inputs, &invalid), now()).await;
                return said.unwrap_or(settled_or_requeued(invalid.requeue_after));
            }
        };
        let plan = self.operator.plan(&valid, &inputs, now());
        let (mut applied, mut trouble) = self.carry_out(object, &plan).await;
        if let (Finalizer::Absent, None, true) = (plan.finalizer, &trouble, applied.waiting.is_empty()) {
            return match self.release(object).await {
                Ok(()) => Outcome::Settled,
                Err(error) => failed(&error.into()),
            };
        }
        let (touches, soon) = self.operator.afterwards(resource, &inputs, &applied, now());
        // What was written before something failed is to take effect all the same.
        let touched = self.writer.touch_all(&touches, &mut applied).await;
        trouble = trouble.or(touched.err().map(PassError::from));
        let verdict =
            Verdict::Done { inputs: &inputs, plan: &plan, applied: &applied, trouble: trouble.as_ref() };
        let said = self.report(object, resource, &verdict, now()).await;
        let requeue_after = [plan.requeue_after, soon].into_iter().flatten().min();
        match trouble {
            Some(trouble) => failed(&trouble),
            None => said.unwrap_or(settled_or_requeued(requeue_after)),
        }
    }

    async fn carry_out(&self, object: &Object, plan: &Plan<O>) -> (Applied, Option<PassError>) {
        if plan.finalizer == Finalizer::Present
            && let Err(error) = self.hold(object).await
        {
            return (Applied::default(), Some(error.into()));
        }
        let mut applied = Applied::default();
        let carried = self.writer.carry_out_into(&mut applied, &plan.work, object).await;
        for what in &applied.written {
            tracing::info!("{what}");
        }
        if let Err(error) = carried {
            return (applied, Some(error.into()));
        }
        let step = plan.step.as_ref().filter(|_| applied.waiting.is_empty());
        let Some(step) = step else { return (applied, None) };
        // What is outside of Kubernetes knows nothing of leases.
        if let Err(error) = self.writer.check_fence() {
            return (applied, Some(error.into()));
        }
        tracing::info!(?step, "step");
        let trouble = self.operator.perform(step).await.err();
        (applied, trouble)
    }

    /// Writes the status if it changed. The outcome, if that failed.
    async fn report(
        &self,
        object: &Object,
        resource: &O::Resource,
        verdict: &Verdict<'_, O>,
        now: Timestamp,
    ) -> Option<Outcome> {
        let Report { status, mut notes, remarks } = self.operator.report(resource, verdict, now);
        if let Verdict::Done { applied, .. } = verdict {
            notes.extend(applied.drifts.iter().map(Drift::note));
        }
        if !remarks.is_empty() {
            self.recorder.record_about(object, remarks).await;
        }
        let old = object.value()["status"].clone();
        if let Some(change) = report::difference(&old, &status)
            && let Err(error) = self.writer.write_status(object, &status, &change).await
        {
            return Some(failed(&error.into()));
        }
        self.recorder.record(object, notes).await;
        None
    }

    fn finalizer(&self) -> &'static str {
        self.operator.declaration().finalizer
    }

    async fn hold(&self, object: &Object) -> Result<(), WriteError> {
        let finalizers = finalizers(object);
        if object.is_deleting() || finalizers.iter().any(|name| name == self.finalizer()) {
            return Ok(());
        }
        let with: Vec<Value> = finalizers.into_iter().chain([self.finalizer().into()]).collect();
        self.writer.patch_metadata(object, json!({ "finalizers": with })).await.map(drop)
    }

    async fn release(&self, object: &Object) -> Result<(), WriteError> {
        let finalizers = finalizers(object);
        let without: Vec<&Value> = finalizers.iter().filter(|name| **name != self.finalizer()).collect();
        if without.len() == finalizers.len() {
            return Ok(());
        }
        self.writer.patch_metadata(object, json!({ "finalizers": without })).await.map(drop)
    }
}

fn settled_or_requeued(requeue_after: Option<Duration>) -> Outcome {
    requeue_after.map_or(Outcome::Settled, Outcome::Waiting)
}

fn failed(trouble: &PassError) -> Outcome {
    if let PassError::Write(WriteError::Outdated { .. }) = trouble {
        tracing::debug!("{}", trouble.words());
    } else {
        tracing::warn!("{}", trouble.words());
    }
    Outcome::Failed
}

fn finalizers(object: &Object) -> Vec<Value> {
    object.value()["metadata"]["finalizers"].as_array().cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests;
