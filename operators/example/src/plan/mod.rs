//! The desired objects of an application, one file a child object. Pure.

mod budget;
mod confinement;
mod features;
mod migration;
mod secret;
mod service;
mod statefulset;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use api_example::{DeletionPolicy, VolumePolicy};
use capability::actions::{Actions, touch};
use capability::rollout::{RepairPolicy, Situation};
use capability::volumes::Growth;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::jiff::Timestamp;
use kernel::apply::{Deletion, Desired, Touch, Way, Work, desired};
use kernel::flow::{Finalizer, Plan};
use kernel::object::{Key, Object};
use serde_json::{Value, json};

use crate::ExampleOperator;
use crate::gather::{CLAIM, Inputs, POD, Writes};
use crate::names;
use crate::upgrade::{self, Rollout, WriteControl};
use crate::validate::{IgnoredField, Valid};

/// A request to the first instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The request.
    pub control: WriteControl,
    /// Its address.
    pub host: String,
}

/// The operation on an application.
#[derive(Debug, Clone, PartialEq)]
pub enum Operation {
    /// It runs as the spec defines, or is being changed to that.
    Run(Box<Rollout>),
    /// It is not changed.
    Pause,
    /// It is removed.
    Uninstall,
    /// It keeps running, and the operator stops managing it.
    Disconnect,
}

/// What a plan is part of, for `report`.
#[derive(Debug)]
pub struct Course {
    /// The operation.
    pub operation: Operation,
    /// What is done about volumes and stuck pods.
    pub actions: Actions,
    /// How many volumes are smaller than they should be.
    pub small_volumes: usize,
    /// The fields that are not applied.
    pub ignored: Vec<IgnoredField>,
}

/// The time until the next pass after writes were held. It is short, because clients wait meanwhile.
const SOON: Duration = Duration::from_millis(100);

/// The plan for an application.
pub fn plan(valid: &Valid, inputs: &Inputs, now: Timestamp) -> Plan<ExampleOperator> {
    match (valid.is_deleting, &valid.deletion.policy) {
        (true, DeletionPolicy::Uninstall) => uninstall(valid, inputs),
        (true, DeletionPolicy::Disconnect) => disconnect(valid, inputs, now),
        (false, _) if valid.is_paused => begin(valid, Finalizer::Present, Operation::Pause),
        (false, _) => run(valid, inputs, now),
    }
}

/// A plan without changes.
fn begin(valid: &Valid, finalizer: Finalizer, operation: Operation) -> Plan<ExampleOperator> {
    let (ignored, actions) = (valid.ignored.clone(), Actions::default());
    Plan {
        intent: Value::Null,
        work: Work::default(),
        step: None,
        finalizer,
        requeue_after: None,
        course: Course { operation, actions, small_volumes: 0, ignored },
    }
}

/// The plan for an application that runs as the spec defines, or is being changed to that.
fn run(valid: &Valid, inputs: &Inputs, now: Timestamp) -> Plan<ExampleOperator> {
    let facts = &valid.facts;
    let rollout = upgrade::next(facts, now);
    let mut work = Work { waves: objects(valid, inputs, &rollout, now), prune: true, ..Work::default() };
    work.touches.extend(announce_features(&work, inputs));
    let claims = inputs.claims.items.iter().map(|claim| (claim, valid.size.as_str()));
    let growth = Growth::of(claims, &BTreeMap::new());
    let small_volumes = growth.resizes.len() + growth.pending;
    let mut actions = Actions::default();
    actions.grow(growth);
    if let Some(set) = inputs.set.as_ref().filter(|set| set.is_ours && rollout.is_safe_to_replace()) {
        let (set, pods, claims) = (&set.object, &inputs.pods.items, &inputs.claims.items);
        let (may_patch_pods, repair) = (Some(true), RepairPolicy::Failing);
        let situation = Situation { set, pods, claims, may_patch_pods, repair, now };
        actions.repair(&situation, &inputs.pods.objects);
    }
    actions.add_to(&mut work);
    let host = || inputs.names.first_instance(&Key::new(&valid.namespace, &valid.name));
    let is_moving = rollout.upgrade.is_some() || rollout.ended.is_some();
    let begins_to_hold = rollout.control == Some(WriteControl::Hold) && facts.writes == Writes::Open;
    let interval = if begins_to_hold { SOON } else { facts.timing.interval };
    // The phase of an upgrade is in the status before its work starts.
    let is_new = rollout.upgrade.is_some() && rollout.upgrade != facts.upgrade;
    let intent = if is_new { json!({ "upgrade": rollout.upgrade }) } else { Value::Null };
    let step = rollout.control.map(|control| Step { control, host: host() });
    let requeue_after = is_moving.then_some(interval).into_iter().chain(actions.requeue_after).min();
    let plan = begin(valid, Finalizer::Present, Operation::Run(Box::new(rollout)));
    let course = Course { actions, small_volumes, ..plan.course };
    Plan { intent, work, step, requeue_after, course, finalizer: plan.finalizer }
}

/// All desired objects, in waves: what instances need before they start, then the instances.
fn objects(valid: &Valid, inputs: &Inputs, rollout: &Rollout, now: Timestamp) -> Vec<Vec<Desired>> {
    let apply = Way::Apply;
    let mut first = vec![
        desired(&secret::build(valid, inputs), apply),
        desired(&features::build(valid, inputs, now), apply),
        desired(&service::clients(valid, inputs), apply),
        desired(&service::instances(valid, inputs), apply),
        desired(&budget::build(valid, inputs), apply),
    ];
    first.sort_by_key(|object| (object.kind.kind, object.key()));
    let jobs = rollout.migrations.iter();
    let jobs = jobs.map(|migration| desired(&migration::build(valid, inputs, migration), apply)).collect();
    vec![first, vec![desired(&statefulset::build(valid, inputs, rollout), apply)], jobs]
}

/// The metadata of a child.
fn metadata(valid: &Valid, name: String) -> ObjectMeta {
    ObjectMeta {
        name: Some(name),
        namespace: Some(valid.namespace.clone()),
        labels: Some(names::labels(&valid.name)),
        owner_references: Some(vec![valid.owner.clone()]),
        ..ObjectMeta::default()
    }
}

/// The kubelet syncs mounted files once a minute, or when an annotation of the pod changes: so an annotation is changed.
fn announce_features(work: &Work, inputs: &Inputs) -> Vec<Touch> {
    let features = work.waves.iter().flatten().find(|object| *object.key().name == inputs.names.features);
    let changed =
        features.and_then(|features| features.object["metadata"]["annotations"][names::CHANGED].as_str());
    let Some((changed, since)) = changed.and_then(|text| Some((text, text.parse::<Timestamp>().ok()?)))
    else {
        return Vec::new();
    };
    let is_older =
        |pod: &&Pod| pod.metadata.creation_timestamp.as_ref().is_some_and(|created| created.0 <= since);
    let fields = json!({"metadata": {"annotations": {names::CHANGED: changed}}});
    let pods = inputs.pods.items.iter().filter(is_older);
    pods.map(|pod| touch(POD, &pod.metadata, fields.clone())).collect()
}

/// Everything is removed: what we own is pruned, and volumes are deleted if the user wants that. The resource waits until
/// its instances have stopped.
fn uninstall(valid: &Valid, inputs: &Inputs) -> Plan<ExampleOperator> {
    let delete_volumes = valid.deletion.volumes == VolumePolicy::Delete;
    let mut work = Work { prune: true, ..Work::default() };
    let is_stopped = inputs.set.is_none() && inputs.pods.items.is_empty();
    if is_stopped && delete_volumes {
        let delete = |object: &Arc<Object>| Deletion { kind: CLAIM, object: Arc::clone(object) };
        work.deletions = inputs.claims.objects.iter().map(delete).collect();
    }
    let is_done = is_stopped && (!delete_volumes || inputs.claims.items.is_empty());
    let finalizer = if is_done { Finalizer::Absent } else { Finalizer::Unchanged };
    Plan { work, ..begin(valid, finalizer, Operation::Uninstall) }
}

/// Everything stays, without our label and owner reference.
fn disconnect(valid: &Valid, inputs: &Inputs, now: Timestamp) -> Plan<ExampleOperator> {
    let version = valid.facts.current.as_ref().unwrap_or(&valid.facts.wanted);
    let mut waves = objects(valid, inputs, &Rollout::settled(version), now);
    for wave in &mut waves {
        wave.retain(|object| !is_foreign(valid, inputs, object));
    }
    waves.retain(|wave| !wave.is_empty());
    for object in waves.iter_mut().flatten() {
        let metadata = &mut object.object["metadata"];
        if let Some(labels) = metadata["labels"].as_object_mut() {
            labels.remove(names::MANAGED_BY);
        }
        if let Some(metadata) = metadata.as_object_mut() {
            metadata.remove("ownerReferences");
        }
    }
    let work = Work { waves, ..Work::default() };
    Plan { work, ..begin(valid, Finalizer::Absent, Operation::Disconnect) }
}

/// Whether an object is not ours, or no longer ours. It must not be applied, because that would adopt it.
fn is_foreign(valid: &Valid, inputs: &Inputs, object: &Desired) -> bool {
    match object.kind.kind {
        "StatefulSet" => inputs.set.as_ref().is_some_and(|set| !set.is_ours),
        "Service" if *object.key().name == *valid.name => {
            inputs.service.as_ref().is_some_and(|service| !service.is_ours)
        }
        _ => false,
    }
}
