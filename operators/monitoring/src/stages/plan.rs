//! What the cluster should hold: what is left out because the operand refuses it, the objects, what is done about pods and
//! volumes, and what the selected resources say about themselves. Pure.

use std::time::Duration;

use capability::actions::Actions;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::Timestamp;
use kernel::apply::{Desired, Way, Work, desired};
use kernel::flow::{Finalizer, Invalid, Plan};
use kernel::object::Key;
use kernel::report::{Remark, Selected};
use serde_json::{Value, json};

use super::gather::{Idle, Inputs};
use super::validate::{Checked, invalid};
use super::{NoStep, WorkloadOperator};
use crate::bindings::unbind;
use crate::kind::{ValidWorkload as _, Workload};
use crate::kinds;
use crate::lazy;
use crate::loaded::verdicts::ANNOTATION;
use crate::memory::{Memory, Record};
use crate::plan::{Child, Planned, Rendered};
use crate::refused;
use crate::rollout::{self, Around};
use crate::settings::Settings;

/// What a plan is part of.
#[derive(Debug, Default)]
pub struct Course {
    /// What follows from the workload; nothing, if it is left alone.
    pub(super) planned: Option<Planned>,
    /// What is done about pods, claims and surplus shards.
    pub(super) actions: Actions,
    /// What is written beside the configuration about what the operand refuses.
    pub(super) refused: Option<Value>,
    /// What is new about what it selects.
    pub(super) refusals: Vec<Remark>,
    /// How many resources it selects.
    pub(super) selected: Vec<Selected>,
}

/// Decides.
pub(super) fn plan<W: Workload>(
    checked: &Checked<'_, W>,
    inputs: &Inputs,
    memory: &mut Memory,
    (settings, now): (&Settings, Timestamp),
) -> Result<Plan<WorkloadOperator<W>>, Invalid> {
    let valid = match &checked.valid {
        Ok(valid) => valid,
        Err(idle) => return Ok(leave_alone(*idle, inputs)),
    };
    let mut requeue_after = inputs.requeue_after;
    let mut look_after = |after: Option<Duration>| {
        requeue_after = [requeue_after, after].into_iter().flatten().min();
    };
    refused::hear::<W>(checked.resource, inputs, memory);
    valid.render(&checked.around, &memory.selections, &mut memory.rendered);
    let mut planned = build(checked, valid, inputs, memory).map_err(|error| invalid(&error, inputs))?;
    if !settings.reloader_at_once {
        lazy::keep_reloaders(&mut planned, W::facts(checked.resource).containers, &inputs.seen);
    }
    let surplus = W::surplus(checked.resource, &inputs.seen.sets, settings.offers.shard_retention, now);
    let around = Around {
        seen: &inputs.seen,
        growing: &inputs.growing,
        may_patch_pods: inputs.may_patch_pods,
        repair: settings.repair,
        now,
    };
    let actions = rollout::actions(&mut planned, surplus, &around);
    look_after(actions.requeue_after);
    if refused::suspect::<W>(&planned, inputs, memory) {
        look_after(Some(Duration::ZERO));
    }
    let mut course = Course { refused: annotation(memory), ..Course::default() };
    let mut work = objects::<W>(&planned, inputs, course.refused.as_ref());
    if inputs.missing.is_none() {
        actions.add_to(&mut work);
    }
    let judged = refused::with_refused(&memory.rendered, &memory.doubt);
    course.selected = Rendered::count(W::SELECTABLE, &judged);
    course.refusals = memory.bindings.refusals(&judged);
    if settings.bindings {
        let workload = (W::DECLARATION.primary, &inputs.key);
        let (statuses, is_more) = memory.bindings.foreign_statuses(workload, &judged, &Time(now));
        work.foreign_statuses = unbind(workload.0, workload.1, &inputs.unselected);
        work.foreign_statuses.extend(statuses);
        look_after(is_more.then_some(Duration::ZERO));
    }
    (course.planned, course.actions) = (Some(planned), actions);
    let (finalizer, intent) = (Finalizer::Unchanged, Value::Null);
    Ok(Plan { intent, work, step: None::<NoStep>, finalizer, requeue_after, course })
}

/// A workload that is paused, or that is being deleted: its pods run on, or Kubernetes removes them.
fn leave_alone<W: Workload>(idle: Idle, inputs: &Inputs) -> Plan<WorkloadOperator<W>> {
    let foreign_statuses = unbind(W::DECLARATION.primary, &inputs.key, &inputs.unselected);
    let finalizer = match idle {
        Idle::Deleted => Finalizer::Absent,
        Idle::Paused => Finalizer::Unchanged,
    };
    Plan {
        intent: Value::Null,
        work: Work { foreign_statuses, ..Work::default() },
        step: None,
        finalizer,
        requeue_after: inputs.requeue_after,
        course: Course::default(),
    }
}

/// Everything that follows from the workload. What is left out depends on what its operand is now, and that on what follows:
/// it is built again if that shows that something else is left out.
fn build<W: Workload>(
    checked: &Checked<'_, W>,
    valid: &W::Valid<'_>,
    inputs: &Inputs,
    memory: &mut Memory,
) -> Result<Planned, crate::plan::PlanError> {
    let left_out = memory.doubt.left_out();
    let planned = valid.build(&checked.around, &refused::left_out(&left_out), &mut memory.rendered)?;
    if memory.doubt.is_idle() {
        return Ok(planned);
    }
    let operand = refused::operand::<W>(checked.resource, inputs, &planned);
    memory.doubt.notice(operand, &refused::stamps(memory.rendered.judged()));
    let now = memory.doubt.left_out();
    if now == left_out {
        return Ok(planned);
    }
    valid.build(&checked.around, &refused::left_out(&now), &mut memory.rendered)
}

/// What is written beside the configuration, so that the next process knows: nothing, if there is nothing to say.
fn annotation(memory: &Memory) -> Option<Value> {
    match memory.doubt.verdicts().annotation() {
        Some(text) => Some(text.into()),
        None => (memory.record == Record::Kept).then_some(Value::Null),
    }
}

/// Objects in waves: pods come after what they mount. Without what they need, they stay as they are.
fn objects<W: Workload>(planned: &Planned, inputs: &Inputs, refused: Option<&Value>) -> Work {
    let is_pods = |child: &&Child| matches!(child, Child::StatefulSet(_) | Child::DaemonSet(_));
    let (pods, others): (Vec<&Child>, Vec<&Child>) = planned.children.iter().partition(is_pods);
    let wave = |children: Vec<&Child>| children.into_iter().map(wanted).collect();
    let mut waves: Vec<Vec<Desired>> = vec![wave(others)];
    let configuration = W::NAMING.configuration(&inputs.key.name);
    if let Some(refused) = refused {
        let is_configuration = |one: &&mut Desired| {
            one.object["kind"] == "Secret" && one.object["metadata"]["name"] == configuration
        };
        if let Some(secret) = waves.iter_mut().flatten().find(is_configuration) {
            let annotations = &mut secret.object["metadata"]["annotations"];
            if !annotations.is_object() {
                *annotations = json!({});
            }
            annotations[ANNOTATION] = refused.clone();
        }
    }
    let mut spared = Vec::new();
    if inputs.standing.configuration.is_some() {
        spared.push((kinds::SECRET, Key::new(&inputs.key.namespace, &configuration)));
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
    match child {
        Child::ConfigMap(object) => desired(object, Way::Replace),
        Child::Secret(object) => desired(object, Way::Replace),
        Child::Service(object) => desired(&**object, Way::Replace),
        // What becomes of pods when a StatefulSet is recreated, `rollout` decides.
        Child::StatefulSet(object) => Desired { looks_after_pods: true, ..desired(&**object, Way::Replace) },
        Child::DaemonSet(object) => desired(&**object, Way::Replace),
    }
}
