//! Tests of the decisions, on objects as the API server returns them.

use k8s_openapi::api::core::v1::{PersistentVolume, PersistentVolumeClaim};
use k8s_openapi::api::storage::v1::StorageClass;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use serde_json::{Value, json};

use super::class::storage_classes;
use super::decide::{Action, Provision, Release, Waiting, decide, decide_release};
use crate::volume::VolumeKind;

fn claim(change: impl FnOnce(&mut Value)) -> PersistentVolumeClaim {
    let mut claim = json!({
        "metadata": {
            "name": "data", "namespace": "shop", "uid": "7",
            "annotations": {"volume.kubernetes.io/selected-node": "node-2"},
        },
        "spec": {
            "storageClassName": "sized", "volumeMode": "Filesystem", "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "100Mi"}},
        },
        "status": {"phase": "Pending"},
    });
    change(&mut claim);
    serde_json::from_value(claim).unwrap()
}

fn bound(request: &str, capacity: &str) -> PersistentVolumeClaim {
    claim(|claim| {
        claim["spec"]["volumeName"] = "pvc-7".into();
        claim["spec"]["resources"]["requests"]["storage"] = request.into();
        claim["status"] = json!({"phase": "Bound", "capacity": {"storage": capacity}});
    })
}

fn volume(provisioner: &str, reclaim_policy: &str, phase: &str) -> PersistentVolume {
    serde_json::from_value(json!({
        "metadata": {"name": "pvc-7", "annotations": {"pv.kubernetes.io/provisioned-by": provisioner}},
        "spec": {"persistentVolumeReclaimPolicy": reclaim_policy, "local": {"path": "/volumes/pvc-7"}},
        "status": {"phase": phase},
    }))
    .unwrap()
}

fn class(name: &str) -> StorageClass {
    storage_classes().into_iter().find(|class| class.metadata.name.as_deref() == Some(name)).unwrap()
}

fn provision() -> Provision {
    Provision {
        kind: VolumeKind::Sized,
        name: "pvc-7".into(),
        node: "node-2".into(),
        bytes: 100 << 20,
        capacity: Quantity("100Mi".into()),
        access_modes: vec!["ReadWriteOnce".into()],
        class: "sized".into(),
        reclaim_policy: "Delete".into(),
    }
}

#[test]
fn a_claim_with_a_node_gets_a_volume() {
    assert_eq!(decide(&claim(|_| ()), Some(&class("sized")), None), Action::Provision(provision()));
    let retained = Provision { class: "sized-retain".into(), reclaim_policy: "Retain".into(), ..provision() };
    assert_eq!(decide(&claim(|_| ()), Some(&class("sized-retain")), None), Action::Provision(retained));
}

#[test]
fn a_volume_that_is_rounded_up_has_its_real_capacity() {
    let small = claim(|claim| claim["spec"]["resources"]["requests"]["storage"] = "1M".into());
    let made = Provision { bytes: 32 << 20, capacity: Quantity("32Mi".into()), ..provision() };
    assert_eq!(decide(&small, Some(&class("sized")), None), Action::Provision(made));
    let directory = Provision {
        kind: VolumeKind::Directory,
        bytes: 1_000_000,
        capacity: Quantity("1M".into()),
        class: "standard".into(),
        ..provision()
    };
    assert_eq!(decide(&small, Some(&class("standard")), None), Action::Provision(directory));
}

#[test]
fn claims_of_others_and_deleted_claims_are_ignored() {
    let mut foreign = class("sized");
    foreign.provisioner = "ebs.csi.aws.com".into();
    assert_eq!(decide(&claim(|_| ()), Some(&foreign), None), Action::Nothing);
    assert_eq!(decide(&claim(|_| ()), None, None), Action::Nothing);
    let deleted = claim(|claim| claim["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z".into());
    assert_eq!(decide(&deleted, Some(&class("sized")), None), Action::Nothing);
}

#[test]
fn without_a_node_a_claim_waits() {
    let unscheduled = claim(|claim| claim["metadata"]["annotations"] = json!({}));
    let mut immediate = class("sized");
    immediate.volume_binding_mode = Some("Immediate".into());
    assert_eq!(decide(&unscheduled, Some(&class("sized")), None), Action::Wait(Waiting::Consumer));
    assert_eq!(decide(&unscheduled, Some(&immediate), None), Action::Wait(Waiting::ConsumerOfImmediateClass));
}

#[test]
fn an_existing_volume_is_not_created_again() {
    let made = volume("lab.mainstay.dev/sized", "Delete", "Available");
    assert_eq!(decide(&claim(|_| ()), Some(&class("sized")), Some(&made)), Action::Wait(Waiting::Binding));
}

#[test]
fn unsupported_claims_are_refused_without_a_pod() {
    let spec = |key: &str, value: Value| {
        claim(|claim| {
            claim["metadata"]["annotations"] = json!({});
            claim["spec"][key] = value;
        })
    };
    let table = [
        ("raw block devices", spec("volumeMode", json!("Block"))),
        ("shared between nodes", spec("accessModes", json!(["ReadWriteOnce", "ReadWriteMany"]))),
        ("shared between nodes", spec("accessModes", json!(["ReadOnlyMany"]))),
        ("remove the selector", spec("selector", json!({"matchLabels": {"a": "b"}}))),
        ("remove the data source", spec("dataSource", json!({"kind": "PersistentVolumeClaim", "name": "x"}))),
        ("requests no size", spec("resources", json!({}))),
        ("not a number of bytes", spec("resources", json!({"requests": {"storage": "-1"}}))),
    ];
    for (expected, claim) in table {
        let action = decide(&claim, Some(&class("sized")), None);
        let Action::Refuse(message) = action else { panic!("{expected}: {action:?}") };
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn a_bound_claim_grows_when_it_requests_more() {
    let ours = volume("lab.mainstay.dev/sized", "Delete", "Bound");
    let foreign = volume("somebody.else/disk", "Delete", "Bound");
    let grow = Action::Grow { name: "pvc-7".into(), bytes: 300 << 20 };
    let decided = |claim: &PersistentVolumeClaim, volume| decide(claim, Some(&class("sized")), volume);
    assert_eq!(decided(&bound("300Mi", "100Mi"), Some(&ours)), grow);
    assert_eq!(decided(&bound("300Mi", "100Mi"), Some(&foreign)), Action::Nothing);
    assert_eq!(decided(&bound("300Mi", "100Mi"), None), Action::Wait(Waiting::Volume));
    assert_eq!(decided(&bound("100Mi", "100Mi"), Some(&ours)), Action::Nothing);
    assert_eq!(decided(&bound("1Mi", "32Mi"), Some(&ours)), Action::Nothing);
    let binding = claim(|claim| claim["spec"]["volumeName"] = "pvc-7".into());
    assert_eq!(decided(&binding, Some(&ours)), Action::Nothing);
}

#[test]
fn a_released_volume_is_removed_only_with_the_policy_delete() {
    let decided = |provisioner, policy, phase| decide_release(&volume(provisioner, policy, phase));
    assert_eq!(decided("lab.mainstay.dev/sized", "Delete", "Released"), Release::Remove);
    assert_eq!(decided("lab.mainstay.dev/directory", "Delete", "Released"), Release::Remove);
    assert_eq!(decided("lab.mainstay.dev/sized", "Retain", "Released"), Release::Keep);
    assert_eq!(decided("lab.mainstay.dev/sized", "Delete", "Bound"), Release::Nothing);
    assert_eq!(decided("lab.mainstay.dev/sized", "Delete", "Available"), Release::Nothing);
    assert_eq!(decided("somebody.else/disk", "Delete", "Released"), Release::Nothing);
}
