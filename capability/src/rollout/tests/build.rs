//! StatefulSets, pods and claims for tests.

use std::collections::BTreeMap;

use k8s_openapi::api::apps::v1::{
    StatefulSet, StatefulSetSpec, StatefulSetStatus, StatefulSetUpdateStrategy,
};
use k8s_openapi::api::core::v1::{
    ContainerState, ContainerStateRunning, ContainerStateWaiting, ContainerStatus, PersistentVolumeClaim,
    PersistentVolumeClaimSpec, PersistentVolumeClaimStatus, PersistentVolumeClaimVolumeSource, Pod,
    PodCondition, PodSpec, PodStatus, PodTemplateSpec, Volume, VolumeResourceRequirements,
};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta, OwnerReference, Time};
use k8s_openapi::jiff::Timestamp;

use crate::rollout::replicas::POD_NAME;

/// Labels of the pods.
pub(crate) fn labels() -> BTreeMap<String, String> {
    BTreeMap::from([("app".into(), "toy".into())])
}

/// A StatefulSet named `set` with this number of replicas, which its controller has observed.
pub(crate) fn stateful_set(replicas: i32) -> StatefulSet {
    StatefulSet {
        metadata: ObjectMeta {
            name: Some("set".into()),
            uid: Some("set-uid".into()),
            generation: Some(1),
            ..ObjectMeta::default()
        },
        spec: Some(StatefulSetSpec {
            replicas: Some(replicas),
            service_name: Some("service".into()),
            pod_management_policy: Some("Parallel".into()),
            selector: LabelSelector { match_labels: Some(labels()), ..LabelSelector::default() },
            template: PodTemplateSpec {
                spec: Some(PodSpec { volumes: Some(vec![volume("config")]), ..PodSpec::default() }),
                ..PodTemplateSpec::default()
            },
            update_strategy: Some(StatefulSetUpdateStrategy {
                type_: Some("RollingUpdate".into()),
                ..StatefulSetUpdateStrategy::default()
            }),
            ..StatefulSetSpec::default()
        }),
        status: Some(StatefulSetStatus {
            observed_generation: Some(1),
            current_revision: Some("r1".into()),
            update_revision: Some("r1".into()),
            ..StatefulSetStatus::default()
        }),
    }
}

/// The same, rolling out from one revision to another.
pub(crate) fn revisions(mut set: StatefulSet, current: &str, update: &str) -> StatefulSet {
    let status = set.status.get_or_insert_default();
    status.current_revision = Some(current.into());
    status.update_revision = Some(update.into());
    set
}

/// The same with claim templates of these names.
pub(crate) fn templates(mut set: StatefulSet, names: &[&str]) -> StatefulSet {
    let templates = names.iter().map(|name| claim(name, "1Gi")).collect();
    set.spec.get_or_insert_default().volume_claim_templates = Some(templates);
    set
}

/// A claim that requests this size and has it.
pub(crate) fn claim(name: &str, size: &str) -> PersistentVolumeClaim {
    let amount = || BTreeMap::from([("storage".to_owned(), Quantity(size.into()))]);
    PersistentVolumeClaim {
        metadata: ObjectMeta {
            name: Some(name.into()),
            uid: Some(format!("{name}-uid")),
            ..ObjectMeta::default()
        },
        spec: Some(PersistentVolumeClaimSpec {
            storage_class_name: Some("fast".into()),
            resources: Some(VolumeResourceRequirements { requests: Some(amount()), limits: None }),
            ..PersistentVolumeClaimSpec::default()
        }),
        status: Some(PersistentVolumeClaimStatus {
            phase: Some("Bound".into()),
            capacity: Some(amount()),
            ..PersistentVolumeClaimStatus::default()
        }),
    }
}

fn volume(name: &str) -> Volume {
    Volume { name: name.into(), ..Volume::default() }
}

/// A pod of that StatefulSet, ready, of revision `r1`, without claims.
pub(crate) fn pod(ordinal: i32) -> Pod {
    let name = format!("set-{ordinal}");
    let mut all = labels();
    all.insert("controller-revision-hash".into(), "r1".into());
    all.insert(POD_NAME.into(), name.clone());
    let owner = OwnerReference {
        kind: "StatefulSet".into(),
        name: "set".into(),
        uid: "set-uid".into(),
        controller: Some(true),
        ..OwnerReference::default()
    };
    let pod = Pod {
        metadata: ObjectMeta {
            name: Some(name),
            uid: Some(format!("uid-{ordinal}")),
            labels: Some(all),
            owner_references: Some(vec![owner]),
            ..ObjectMeta::default()
        },
        spec: Some(PodSpec {
            subdomain: Some("service".into()),
            volumes: Some(vec![volume("config")]),
            ..PodSpec::default()
        }),
        status: None,
    };
    ready(pod, 0)
}

/// The same with the volume of a claim template.
pub(crate) fn with_claim(mut pod: Pod, template: &str) -> Pod {
    let name = pod.metadata.name.clone().unwrap_or_default();
    let source = PersistentVolumeClaimVolumeSource {
        claim_name: format!("{template}-{name}"),
        ..PersistentVolumeClaimVolumeSource::default()
    };
    let volume = Volume { persistent_volume_claim: Some(source), ..volume(template) };
    pod.spec.get_or_insert_default().volumes.get_or_insert_default().push(volume);
    pod
}

/// The same with another label.
pub(crate) fn labeled(mut pod: Pod, key: &str, value: &str) -> Pod {
    pod.metadata.labels.get_or_insert_default().insert(key.into(), value.into());
    pod
}

/// The same of another revision.
pub(crate) fn of(pod: Pod, revision: &str) -> Pod {
    labeled(pod, "controller-revision-hash", revision)
}

/// The same without an owner.
pub(crate) fn orphaned(mut pod: Pod) -> Pod {
    pod.metadata.owner_references = None;
    pod
}

/// The same, terminating.
pub(crate) fn leaving(mut pod: Pod) -> Pod {
    pod.metadata.deletion_timestamp = Some(Time(Timestamp::UNIX_EPOCH));
    pod
}

/// The same, ready since this second.
pub(crate) fn ready(mut pod: Pod, since: i64) -> Pod {
    let ready = condition("Ready", "True", "", since);
    let running = container("main", Ok(true));
    pod.status = Some(status("Running", vec![ready], vec![running]));
    pod
}

/// The same, started and not ready yet.
pub(crate) fn unready(mut pod: Pod) -> Pod {
    let running = container("main", Ok(true));
    pod.status = Some(status("Running", vec![condition("Ready", "False", "", 0)], vec![running]));
    pod
}

/// The same with a container that waits for this reason.
pub(crate) fn waiting(mut pod: Pod, reason: &str) -> Pod {
    let waiting = container("main", Err(reason));
    pod.status = Some(status("Pending", vec![condition("Ready", "False", "", 0)], vec![waiting]));
    pod
}

/// A container that runs, started or not, or that waits for a reason.
pub(crate) fn container(name: &str, state: Result<bool, &str>) -> ContainerStatus {
    let running = ContainerStateRunning::default();
    let waits = |reason: &str| ContainerStateWaiting {
        reason: Some(reason.into()),
        ..ContainerStateWaiting::default()
    };
    ContainerStatus {
        name: name.into(),
        started: state.ok(),
        state: Some(ContainerState {
            running: state.is_ok().then_some(running),
            waiting: state.err().map(waits),
            terminated: None,
        }),
        ..ContainerStatus::default()
    }
}

/// A condition of a pod.
pub(crate) fn condition(type_: &str, status: &str, reason: &str, since: i64) -> PodCondition {
    PodCondition {
        type_: type_.into(),
        status: status.into(),
        reason: Some(reason.into()),
        last_transition_time: Some(Time(Timestamp::from_second(since).expect("a time"))),
        ..PodCondition::default()
    }
}

fn status(phase: &str, conditions: Vec<PodCondition>, containers: Vec<ContainerStatus>) -> PodStatus {
    PodStatus {
        phase: Some(phase.into()),
        conditions: Some(conditions),
        container_statuses: Some(containers),
        ..PodStatus::default()
    }
}
