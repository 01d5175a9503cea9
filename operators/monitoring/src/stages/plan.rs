//! What the cluster should have: the objects, the actions on pods and volumes, and the status of the selected resources.
//! Resources that the operand rejects are excluded. Pure.

use std::time::Duration;

use capability::actions::Actions;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kernel::apply::{Desired, Way, Work, desired};
use kernel::flow::{Finalizer, Invalid, Plan};
use kernel::object::Key;
use kernel::report::{RelatedNote, SelectedCount};
use serde_json::Value;

use super::gather::{Idle, Inputs};
use super::validate::{CheckedWorkload, invalid};
use super::{Context, WorkloadOperator};
use crate::bindings::unbind;
use crate::kind::{ValidWorkload as _, Workload};
use crate::kinds;
use crate::memory::Memory;
use crate::plan::{Child, Planned, Rendered};
use crate::rejections;
use crate::rejections::operand::OperandState;
use crate::rejections::record::ANNOTATION;
use crate::reloader_image;
use crate::rollout;

/// What a plan is part of.
#[derive(Debug, Default)]
pub struct Course {
    /// The plan of its objects; none, if it is not reconciled.
    pub(super) planned: Option<Planned>,
    /// The actions on pods, claims and surplus shards.
    pub(super) actions: Actions,
    /// The annotation of the configuration Secret about rejections: null removes it.
    pub(super) recorded: Option<Value>,
    /// Events about newly rejected resources.
    pub(super) rejection_events: Vec<RelatedNote>,
    /// How many resources are selected.
    pub(super) selected: Vec<SelectedCount>,
}

/// Makes the plan.
pub(super) fn plan<W: Workload>(
    checked: &CheckedWorkload<'_, W>,
    inputs: &Inputs,
    memory: &mut Memory,
    Context { settings, now }: Context<'_>,
) -> Result<Plan<WorkloadOperator<W>>, Invalid> {
    let valid = match &checked.valid {
        Ok(valid) => valid,
        Err(idle) => return Ok(idle_plan(*idle, inputs)),
    };
    let mut requeue_after = inputs.requeue_after;
    let mut look_after = |after: Option<Duration>| {
        requeue_after = [requeue_after, after].into_iter().flatten().min();
    };
    rejections::record_response(&checked.operand, inputs, memory);
    valid.render(&checked.context, &memory.selections, &mut memory.rendered);
    let mut planned = build(checked, valid, inputs, memory).map_err(|error| invalid(error, inputs))?;
    if !settings.reloader_at_once {
        reloader_image::keep_reloaders(&mut planned, checked.containers, &inputs.seen);
    }
    let surplus = valid.surplus(&inputs.seen.sets, settings.offers.shard_retention, now);
    let actions = rollout::actions(&mut planned, surplus, inputs, settings.repair, now);
    look_after(actions.requeue_after);
    if rejections::start_search::<W>(&planned, inputs, memory) {
        look_after(Some(Duration::ZERO));
    }
    let recorded = match memory.rejections.rejections().annotation() {
        Some(text) => Some(text.into()),
        None => (memory.is_recorded == Some(true)).then_some(Value::Null),
    };
    let mut work = objects::<W>(&planned, inputs, recorded.as_ref());
    if inputs.missing.is_none() {
        actions.add_to(&mut work);
    }
    let mut judged = rejections::with_rejections(&memory.rendered, &memory.rejections);
    let selected = Rendered::count(W::SELECTABLE, &judged);
    let rejection_events = memory.bindings.rejection_events(&judged);
    if settings.bindings {
        // The index does not know an object that is not watched, so a status that names this workload would stay for ever.
        judged.retain(|one| !inputs.is_unwatched_base(one.object.key()));
        let (primary, key) = (W::DECLARATION.primary, &inputs.key);
        let (statuses, is_more) = memory.bindings.foreign_statuses(primary, key, &judged, &Time(now));
        work.foreign_statuses = unbind(primary, key, &inputs.unselected);
        work.foreign_statuses.extend(statuses);
        look_after(is_more.then_some(Duration::ZERO));
    }
    let course = Course { planned: Some(planned), actions, recorded, rejection_events, selected };
    let (finalizer, intent) = (Finalizer::Unchanged, Value::Null);
    Ok(Plan { intent, work, step: None, finalizer, requeue_after, course })
}

/// The plan of a workload that is paused or being deleted. Its pods keep running, or Kubernetes deletes them.
fn idle_plan<W: Workload>(idle: Idle, inputs: &Inputs) -> Plan<WorkloadOperator<W>> {
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

/// The objects of the workload. The planned pods determine the operand, and the operand determines which rejections hold. If
/// other resources are excluded for this operand, the objects are built again.
fn build<W: Workload>(
    checked: &CheckedWorkload<'_, W>,
    valid: &W::Valid<'_>,
    inputs: &Inputs,
    memory: &mut Memory,
) -> Result<Planned, crate::plan::PlanError> {
    let excluded = memory.rejections.excluded();
    let left_out = rejections::left_out(&excluded);
    let planned = valid.build(&checked.context, &left_out, &mut memory.rendered)?;
    if memory.rejections.is_idle() {
        return Ok(planned);
    }
    let operand = OperandState::of(&checked.operand, inputs, &planned);
    memory.rejections.update(operand, &rejections::states(memory.rendered.judged()));
    let excluded_now = memory.rejections.excluded();
    if excluded_now == excluded {
        return Ok(planned);
    }
    valid.build(&checked.context, &rejections::left_out(&excluded_now), &mut memory.rendered)
}

/// Objects in waves: pods are written after the objects that they mount. If something that they need is missing, they are
/// not written.
fn objects<W: Workload>(planned: &Planned, inputs: &Inputs, recorded: Option<&Value>) -> Work {
    let is_pods = |child: &&Child| matches!(child, Child::StatefulSet(_) | Child::DaemonSet(_));
    let (pods, others): (Vec<&Child>, Vec<&Child>) = planned.children.iter().partition(is_pods);
    let wave = |children: Vec<&Child>| children.into_iter().map(wanted).collect();
    let mut waves: Vec<Vec<Desired>> = vec![wave(others)];
    let configuration = W::NAMING.configuration(&inputs.key.name);
    if let Some(recorded) = recorded {
        let is_configuration = |one: &&mut Desired| {
            one.object["kind"] == "Secret" && one.object["metadata"]["name"] == configuration
        };
        if let Some(secret) = waves.iter_mut().flatten().find(is_configuration) {
            secret.object["metadata"]["annotations"][ANNOTATION] = recorded.clone();
        }
    }
    let mut spared = Vec::new();
    if inputs.written.secret_exists {
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
        // `rollout` decides about the pods when a StatefulSet is recreated.
        Child::StatefulSet(object) => Desired { looks_after_pods: true, ..desired(&**object, Way::Replace) },
        Child::DaemonSet(object) => desired(&**object, Way::Replace),
    }
}
