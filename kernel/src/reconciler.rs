//! Calls the stages of an operator in order, which is a pass, and does all the writing. A pass may be dropped at any await:
//! the next one reads the present state.

mod memories;

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::jiff::Timestamp;
use serde_json::{Value, json};
use tokio::time::timeout;
use tracing::Instrument;

use self::memories::Memories;
use crate::apply::{Applied, Drift, WriteError, Writer};
use crate::flow::{Attempt, Cluster, Finalizer, Invalid, Observed, Operator, PassError, PassResult, Plan};
use crate::index::Index;
use crate::metrics::Occurrence;
use crate::object::{Key, Object};
use crate::queue::Outcome;
use crate::report::{self, EventReason, Note, RelatedNote, Report};

/// Records events.
pub trait Recorder: Send + Sync + 'static {
    /// Events about a resource.
    fn record(&self, about: &Object, notes: Vec<Note>) -> impl Future<Output = ()> + Send;

    /// Events about objects that a resource uses.
    fn record_about(&self, resource: &Object, remarks: Vec<RelatedNote>) -> impl Future<Output = ()> + Send;
}

/// Reconciles the resources of one kind.
pub struct Reconciler<O: Operator, R> {
    operator: O,
    writer: Writer,
    recorder: R,
    index: Arc<Index>,
    memories: Memories<O::Memory>,
}

/// A resource in a pass.
#[derive(Clone, Copy)]
struct Subject<'a, O: Operator> {
    object: &'a Object,
    resource: &'a O::Resource,
    now: fn() -> Timestamp,
}

impl<O: Operator, R: Recorder> Reconciler<O, R> {
    /// With the stages of an operator, a writer and a recorder.
    pub fn new(operator: O, writer: Writer, recorder: R, index: Arc<Index>) -> Self {
        Self { operator, writer, recorder, index, memories: Memories::default() }
    }

    /// One pass.
    pub async fn pass(&self, key: &Key, now: fn() -> Timestamp) -> Outcome {
        // At the highest level, so that every log line of a pass contains its resource.
        let span = tracing::error_span!("pass", controller = self.operator.declaration().name, %key);
        self.reconcile(key, now).instrument(span).await
    }

    async fn reconcile(&self, key: &Key, now: fn() -> Timestamp) -> Outcome {
        let Some(object) = self.writer.stores().get(self.operator.declaration().primary, key) else {
            return self.clean_up_after(key).await;
        };
        if !self.operator.is_ours(&object) {
            self.forget(key);
            return Outcome::Settled;
        }
        let resource: O::Resource = match object.read() {
            Ok(resource) => resource,
            Err(error) => {
                let message = format!("{error}: {}; correct or delete it", error.source);
                let note = Note { alarming: true, reason: EventReason::Unreadable.as_str(), message };
                tracing::warn!("{}", note.message);
                self.recorder.record(&object, vec![note]).await;
                return Outcome::Unreadable;
            }
        };
        let mut memory = self.memories.take(&object);
        let subject = Subject { object: &object, resource: &resource, now };
        let outcome = self.work(subject, &mut memory).await;
        self.memories.keep(&object, memory);
        outcome
    }

    /// After the deletion of a resource: corrects the statuses of other objects, and forgets the resource.
    async fn clean_up_after(&self, key: &Key) -> Outcome {
        let statuses = self.operator.statuses_after_deletion(self.cluster(key));
        match self.writer.write_foreign_statuses(&statuses).await {
            Ok(()) => {
                self.forget(key);
                Outcome::Settled
            }
            Err(error) => failed(&error.into()),
        }
    }

    fn forget(&self, key: &Key) {
        self.memories.forget(key);
        self.index.forget(key);
    }

    fn cluster<'a>(&'a self, key: &'a Key) -> Cluster<'a> {
        Cluster::new(self.writer.stores(), key, &self.index)
    }

    async fn work(&self, subject: Subject<'_, O>, memory: &mut O::Memory) -> Outcome {
        let Subject { object, resource, now } = subject;
        let gathered = self.operator.gather(resource, self.cluster(object.key()), memory, now());
        let inputs = match within::<O, _>("reading the inputs", gathered).await {
            Ok(inputs) => inputs,
            Err(error) => {
                self.report(subject, &PassResult::Unread(&error)).await;
                return failed(&error);
            }
        };
        let plan = match self.operator.validate(resource, &inputs) {
            Ok(valid) => self.operator.plan(&valid, &inputs, memory, now()),
            Err(invalid) => Err(invalid),
        };
        match plan {
            Ok(plan) => self.carry_out(subject, &inputs, &plan, memory).await,
            Err(invalid) => self.refuse(subject, &inputs, &invalid, memory).await,
        }
    }

    async fn refuse(
        &self,
        subject: Subject<'_, O>,
        inputs: &O::Inputs,
        invalid: &Invalid,
        memory: &mut O::Memory,
    ) -> Outcome {
        let attempt = Attempt { inputs, plan: None, applied: &Applied::default(), error: None };
        let Observed { health, .. } =
            self.operator.observe(subject.resource, &attempt, memory, (subject.now)());
        let result = PassResult::Invalid { inputs, invalid, health: &health };
        let reported = self.report(subject, &result).await;
        reported.unwrap_or(settled_or_requeued(invalid.requeue_after))
    }

    async fn carry_out(
        &self,
        subject: Subject<'_, O>,
        inputs: &O::Inputs,
        plan: &Plan<O>,
        memory: &mut O::Memory,
    ) -> Outcome {
        let Subject { object, resource, now } = subject;
        let mut applied = Applied::default();
        let done = self.do_all(object, inputs, plan, &mut applied).await;
        if let (Finalizer::Absent, Ok(_), true) = (plan.finalizer, &done, applied.waiting.is_empty()) {
            return match self.set_finalizer(object, false).await {
                Ok(()) => Outcome::Settled,
                Err(error) => failed(&error.into()),
            };
        }
        let attempt = Attempt { inputs, plan: Some(plan), applied: &applied, error: done.as_ref().err() };
        let Observed { health, touches, requeue_after } =
            self.operator.observe(resource, &attempt, memory, now());
        // The objects that were written before something failed have to take effect.
        let touched = self.writer.touch_all(&touches, &mut applied).await;
        let (after_step, error) = match (done, touched) {
            (Ok(after_step), Ok(())) => (after_step, None),
            (Err(error), _) => (None, Some(error)),
            (Ok(_), Err(error)) => (None, Some(error.into())),
        };
        let result =
            PassResult::Applied { inputs, plan, applied: &applied, health: &health, error: error.as_ref() };
        let reported = self.report(subject, &result).await;
        let requeue_after = [plan.requeue_after, requeue_after, after_step].into_iter().flatten().min();
        match error {
            Some(error) => failed(&error),
            None => reported.unwrap_or(settled_or_requeued(requeue_after)),
        }
    }

    /// Writes the intent, does the work, performs the step. Returns when to reconcile again after a step.
    async fn do_all(
        &self,
        object: &Object,
        inputs: &O::Inputs,
        plan: &Plan<O>,
        applied: &mut Applied,
    ) -> Result<Option<Duration>, PassError> {
        if plan.finalizer == Finalizer::Present {
            self.set_finalizer(object, true).await?;
        }
        self.announce(object, &plan.intent).await?;
        let written = self.writer.carry_out_into(applied, &plan.work, object).await;
        for what in &applied.written {
            tracing::info!("{what}");
        }
        written?;
        let Some(step) = plan.step.as_ref().filter(|_| applied.waiting.is_empty()) else { return Ok(None) };
        // The application does not check the leader election.
        self.writer.check_fence()?;
        tracing::info!(?step, "step");
        within::<O, _>("a step", self.operator.perform(step, inputs)).await?;
        Ok(Some(Duration::ZERO))
    }

    /// Writes the intent of a plan.
    async fn announce(&self, object: &Object, intent: &Value) -> Result<(), WriteError> {
        if intent.is_null() {
            return Ok(());
        }
        let old = object.value()["status"].clone();
        let status = report::merged(old.clone(), intent);
        self.writer.write_status(object, &old, &status).await
    }

    /// Writes the status if it changed, and the events. Returns an outcome if that failed.
    async fn report(&self, subject: Subject<'_, O>, result: &PassResult<'_, O>) -> Option<Outcome> {
        let Subject { object, resource, now } = subject;
        let Report { status, mut notes, remarks, reconciled, selected } =
            self.operator.report(resource, result, now());
        let (controller, key) = (self.operator.declaration().name, object.key());
        self.writer.observe(&Occurrence::Reconciled { controller, resource: key, reconciled });
        for count in &selected {
            self.writer.observe(&Occurrence::Selected { controller, resource: key, count });
        }
        let mut old = object.value()["status"].clone();
        if let PassResult::Applied { plan, applied, .. } = result {
            notes.extend(applied.drifts.iter().map(Drift::note));
            if !plan.intent.is_null() {
                old = report::merged(old, &plan.intent);
            }
        }
        if !remarks.is_empty() {
            self.recorder.record_about(object, remarks).await;
        }
        if let Err(error) = self.writer.write_status(object, &old, &status).await {
            return Some(failed(&error.into()));
        }
        self.recorder.record(object, notes).await;
        None
    }

    /// Adds or removes our finalizer.
    async fn set_finalizer(&self, object: &Object, is_wanted: bool) -> Result<(), WriteError> {
        let ours = self.operator.declaration().finalizer;
        let mut finalizers: Vec<Value> =
            object.value()["metadata"]["finalizers"].as_array().cloned().unwrap_or_default();
        let is_present = finalizers.iter().any(|name| name == ours);
        if is_present == is_wanted || (is_wanted && object.is_deleting()) {
            return Ok(());
        }
        if is_wanted {
            finalizers.push(ours.into());
        } else {
            finalizers.retain(|name| name != ours);
        }
        self.writer.patch_metadata(object, &json!({ "finalizers": finalizers })).await.map(drop)
    }
}

/// Runs a stage with the deadline of its operator.
async fn within<O: Operator, T>(
    stage: &'static str,
    work: impl Future<Output = Result<T, PassError>>,
) -> Result<T, PassError> {
    let deadline = O::DEADLINE;
    timeout(deadline, work).await.unwrap_or(Err(PassError::Late { stage, deadline }))
}

fn settled_or_requeued(requeue_after: Option<Duration>) -> Outcome {
    requeue_after.map_or(Outcome::Settled, Outcome::Waiting)
}

fn failed(error: &PassError) -> Outcome {
    if let PassError::Write(WriteError::Outdated { .. }) = error {
        tracing::debug!("{}", error.with_causes());
    } else {
        tracing::warn!("{}", error.with_causes());
    }
    Outcome::Failed
}

#[cfg(test)]
mod tests;
