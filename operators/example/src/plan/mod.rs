//! What the cluster should hold for an application, one file a child object. Pure.

mod budget;
mod confinement;
mod features;
mod migration;
mod secret;
mod service;
mod statefulset;

use std::sync::Arc;
use std::time::Duration;

use api_example::{DeletionPolicy, VolumePolicy};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::jiff::Timestamp;
use kernel::apply::{Deletion, Desired, Touch, Way, Work, desired};
use kernel::flow::Finalizer;
use kernel::object::{Key, Object};
use serde_json::json;

use crate::adopt::Frame;
use crate::gather::{CLAIM, Inputs, POD};
use crate::instance::{self, Instance};
use crate::names;
use crate::upgrade::{self, Course, Facts, JobState, Pace};
use crate::validate::Valid;

/// Something to be asked of an instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What.
    pub ask: upgrade::Ask,
    /// Of which instance.
    pub host: String,
}

/// What a plan is part of.
#[derive(Debug, Clone, PartialEq)]
pub enum Aim {
    /// The application runs as the spec says, or is on its way there.
    Run(Box<Course>),
    /// Everything stays as it is.
    Pause,
    /// The application goes.
    Uninstall,
    /// The application stays and we let go of it.
    Disconnect,
}

/// A plan with its aim.
#[derive(Debug)]
pub struct Planned {
    /// What the cluster should hold.
    pub work: Work,
    /// What to ask.
    pub step: Option<Step>,
    /// What to do about the resource's deletion.
    pub finalizer: Finalizer,
    /// When to look again.
    pub requeue_after: Option<Duration>,
    /// What it is part of.
    pub aim: Aim,
    /// What was not granted.
    pub complaints: Vec<crate::validate::Complaint>,
}

/// How soon an upgrade looks again after it asked for something: writes wait meanwhile.
const ANSWER_LOOK: Duration = Duration::from_millis(100);

/// Decides.
pub fn plan(valid: &Valid, inputs: &Inputs, facts: &Facts, now: Timestamp) -> Planned {
    if valid.deleting {
        return match valid.deletion.policy {
            DeletionPolicy::Uninstall => uninstall(valid, inputs),
            DeletionPolicy::Disconnect => disconnect(valid, inputs, facts, now),
        };
    }
    if valid.paused {
        return planned(valid, Work::default(), Finalizer::Present, Aim::Pause);
    }
    let course = upgrade::course(facts, now);
    let mut work = Work { waves: objects(valid, inputs, &course, now), prune: true, ..Work::default() };
    work.touches.extend(tell_features(&work, inputs));
    work.touches.extend(grow_volumes(valid, inputs));
    let step = course.ask.map(|ask| Step {
        ask,
        host: instance_host(&Key::new(&valid.namespace, &valid.name), &inputs.frame),
    });
    let moving = course.upgrade.is_some() || course.ended.is_some();
    let asked = course.ask == Some(upgrade::Ask::Hold) && facts.gate == crate::gather::Gate::Open;
    let requeue_after = moving.then_some(if asked { ANSWER_LOOK } else { facts.pace.look });
    Planned { step, requeue_after, ..planned(valid, work, Finalizer::Present, Aim::Run(Box::new(course))) }
}

fn planned(valid: &Valid, work: Work, finalizer: Finalizer, aim: Aim) -> Planned {
    Planned { work, step: None, finalizer, requeue_after: None, aim, complaints: valid.complaints.clone() }
}

/// Everything that should be there, in waves: what instances need before they start, then they.
fn objects(valid: &Valid, inputs: &Inputs, course: &Course, now: Timestamp) -> Vec<Vec<Desired>> {
    let apply = Way::Apply;
    let mut first = vec![
        desired(&secret::build(valid, inputs), apply),
        desired(&features::build(valid, inputs, now), apply),
        desired(&service::clients(valid, inputs), apply),
        desired(&service::instances(valid, inputs), apply),
        desired(&budget::build(valid, inputs), apply),
    ];
    first.sort_by_key(|object| (object.resource.kind.clone(), object.key()));
    let jobs = course.errands.iter().map(|errand| desired(&migration::build(valid, inputs, errand), apply));
    vec![first, vec![desired(&statefulset::build(valid, inputs, course), apply)], jobs.collect()]
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

/// The kubelet looks at mounted files once a minute, unless something about the pod changes. So it does.
fn tell_features(work: &Work, inputs: &Inputs) -> Vec<Touch> {
    let features = work.waves.iter().flatten().find(|object| *object.key().name == inputs.frame.features);
    let changed =
        features.and_then(|features| features.object["metadata"]["annotations"][names::CHANGED].as_str());
    let Some((changed, since)) = changed.and_then(|text| Some((text, text.parse::<Timestamp>().ok()?)))
    else {
        return Vec::new();
    };
    let is_older = |pod: &&k8s_openapi::api::core::v1::Pod| {
        pod.metadata.creation_timestamp.as_ref().is_some_and(|created| created.0 <= since)
    };
    let touch = |pod: &k8s_openapi::api::core::v1::Pod| Touch {
        kind: POD,
        key: Key::of(&pod.metadata),
        uid: pod.metadata.uid.as_deref().unwrap_or_default().into(),
        fields: json!({"metadata": {"annotations": {names::CHANGED: changed}}}),
    };
    inputs.pods.iter().filter(is_older).map(touch).collect()
}

/// Volumes that are smaller than they should be.
fn grow_volumes(valid: &Valid, inputs: &Inputs) -> Vec<Touch> {
    let touch = |claim: &k8s_openapi::api::core::v1::PersistentVolumeClaim| Touch {
        kind: CLAIM,
        key: Key::of(&claim.metadata),
        uid: claim.metadata.uid.as_deref().unwrap_or_default().into(),
        fields: json!({"spec": {"resources": {"requests": {"storage": valid.size}}}}),
    };
    inputs.claims.iter().map(touch).collect()
}

/// Where instance 0 answers, also when it is not ready.
pub(crate) fn instance_host(app: &Key, frame: &Frame) -> String {
    let Key { namespace, name } = app;
    format!("{name}-0.{}.{namespace}.svc:{}", frame.service, names::PORT)
}

/// Everything goes: what we own by itself, volumes if that was asked for. The resource waits for its instances to end.
fn uninstall(valid: &Valid, inputs: &Inputs) -> Planned {
    let delete_volumes = valid.deletion.volumes == VolumePolicy::Delete;
    let mut work = Work { prune: true, ..Work::default() };
    let gone = inputs.set.is_none() && inputs.pods.is_empty();
    if gone && delete_volumes {
        let delete = |object: &Arc<Object>| Deletion { kind: CLAIM, object: Arc::clone(object) };
        work.deletions = inputs.claim_objects.iter().map(delete).collect();
    }
    let done = gone && (!delete_volumes || inputs.claims.is_empty());
    let finalizer = if done { Finalizer::Absent } else { Finalizer::Unchanged };
    planned(valid, work, finalizer, Aim::Uninstall)
}

/// Everything stays, without the marks of an owner.
fn disconnect(valid: &Valid, inputs: &Inputs, facts: &Facts, now: Timestamp) -> Planned {
    let version = facts.current.clone().unwrap_or_else(|| facts.wanted.clone());
    let settled = upgrade::course(&Facts { upgrade: None, wanted: version.clone(), ..facts.clone() }, now);
    let mut waves = objects(valid, inputs, &settled, now);
    for wave in &mut waves {
        wave.retain(|object| !is_let_go(valid, inputs, object));
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
    planned(valid, work, Finalizer::Absent, Aim::Disconnect)
}

/// Whether an object that we would let go of is not ours, or no longer: another pass would take it over first.
fn is_let_go(valid: &Valid, inputs: &Inputs, object: &Desired) -> bool {
    match object.resource.kind.as_str() {
        "StatefulSet" => inputs.set.as_ref().is_some_and(|set| !set.ours),
        "Service" if *object.key().name == *valid.name => {
            inputs.service.as_ref().is_some_and(|service| !service.ours)
        }
        _ => false,
    }
}

/// What an upgrade needs to know, from all that is known.
pub fn facts(app: &api_example::ExampleApp, valid: &Valid, inputs: &Inputs, pace: Pace) -> Facts {
    let status = app.status.clone().unwrap_or_default();
    let instances = instance::all(&inputs.pods);
    let current = status.current_version.clone().or_else(|| running(&instances, inputs));
    let upgrade = status.upgrade.clone();
    let job = |back: bool| {
        let Some(upgrade) = &upgrade else { return JobState::Absent };
        let version = if back { &upgrade.from } else { &upgrade.to };
        migration::state(inputs, &names::migration(&valid.name, back, version))
    };
    Facts {
        current,
        wanted: valid.version.to_string(),
        image: app.spec.image.clone(),
        replicas: u32::try_from(valid.replicas).unwrap_or(0),
        migration: job(false),
        way_back: job(true),
        instances,
        upgrade,
        failed: status.failed_upgrade,
        gate: inputs.gate,
        deadline: valid.deadline,
        pace,
    }
}

/// The version that runs, where the status does not say: it was lost, or the application was here before us.
fn running(instances: &[Instance], inputs: &Inputs) -> Option<String> {
    let ready = instances.iter().find(|instance| instance.number == 0 && instance.ready);
    let from_template = || {
        let set = inputs.set.as_ref().filter(|set| !set.ours)?;
        let container = crate::adopt::container(&set.object.spec.as_ref()?.template)?;
        crate::adopt::tag(container.image.as_deref()?).map(String::from)
    };
    ready.and_then(|instance| instance.version.clone()).or_else(from_template)
}

#[cfg(test)]
mod tests {
    use api_example::ExampleApp;
    use k8s_openapi::api::core::v1::Service;

    use super::*;
    use crate::gather::{Credentials, Found};

    #[test]
    fn what_was_let_go_is_not_touched_again() {
        let app: ExampleApp = serde_json::from_value(json!({
            "metadata": {"name": "a", "namespace": "n", "uid": "1", "deletionTimestamp": "2026-01-01T00:00:00Z"},
            "spec": {"appVersion": "0.0.1", "deletion": {"policy": "Disconnect"}},
        }))
        .unwrap();
        let services = |ours: bool| {
            let inputs = Inputs {
                service: Some(Found { object: Service::default(), ours }),
                ..Inputs::of_nothing("a", Credentials { username: "u".into(), password: "p".into() })
            };
            let valid = crate::validate::validate(&app, &inputs).unwrap();
            let facts = facts(&app, &valid, &inputs, Pace::default());
            let planned = plan(&valid, &inputs, &facts, Timestamp::UNIX_EPOCH);
            let all = planned.work.waves.iter().flatten();
            all.filter(|object| *object.key().name == *"a" && object.resource.kind == "Service").count()
        };
        assert_eq!((services(true), services(false)), (1, 0));
    }
}
