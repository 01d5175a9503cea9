//! Which actions are requested, and which events and remarks they cause.

use std::collections::BTreeMap;

use super::*;
use crate::rollout::{RepairPolicy, Why};
use crate::volumes::of_templates;

fn known() -> Arc<Object> {
    let pod = json!({"metadata": {"name": "a-0", "namespace": "n", "uid": "1"}});
    Arc::new(Object::new(serde_json::from_value(pod).unwrap(), &POD.resource()))
}

fn event(reason: &'static str, message: &str) -> Note {
    Note { alarming: false, reason, message: message.into() }
}

fn work(actions: &Actions) -> Work {
    let mut work = Work::default();
    actions.add_to(&mut work);
    work
}

#[test]
fn an_eviction_is_reported_if_it_was_granted_or_a_budget_forbids_it() {
    let mut actions = Actions::default();
    let removal = Removal { name: "a-0".into(), uid: "1".into(), method: Method::Evict, why: Why::Stuck };
    actions.remove(&removal, &[known()]);
    assert_eq!((work(&actions).evictions.len(), work(&actions).deletions.len()), (1, 0));
    let key = || Key::new("n", "a-0");
    let granted = Applied { done: [(POD, key())].into(), ..Applied::default() };
    let words = "pod a-0 is evicted: it is not ready and of an old revision";
    assert_eq!(actions.events(&granted), [event("PodReplaced", words)]);
    let needs = "The disruption budget b needs 2 healthy pods and has 2 currently";
    let forbidden = Applied { kept: [(key(), needs.to_owned())].into(), ..Applied::default() };
    let words = "pod a-0 should be removed, because it is not ready and of an old revision; a disruption budget forbids it: \
                 The disruption budget b needs 2 healthy pods and has 2 currently";
    assert_eq!(actions.events(&forbidden), [event("PodKept", words)]);
    assert_eq!(actions.events(&Applied::default()), []);
}

fn set(size: &str) -> StatefulSet {
    let template = json!({
        "metadata": {"name": "data"},
        "spec": {"resources": {"requests": {"storage": size}}},
    });
    let spec = json!({
        "replicas": 1, "serviceName": "s", "selector": {"matchLabels": {"app": "new"}}, "template": {},
        "volumeClaimTemplates": [template],
    });
    let metadata = json!({"name": "a", "namespace": "n", "uid": "2", "generation": 1});
    let status = json!({"replicas": 1, "observedGeneration": 1});
    serde_json::from_value(json!({"metadata": metadata, "spec": spec, "status": status})).unwrap()
}

/// The actions for a claim of 1Gi that should have 2Gi.
fn grown(classes: &[(&str, bool)]) -> Actions {
    let claim = json!({
        "metadata": {"name": "data-a-0", "namespace": "n", "uid": "3"},
        "spec": {"storageClassName": "fast", "resources": {"requests": {"storage": "1Gi"}}},
        "status": {"phase": "Bound", "capacity": {"storage": "1Gi"}},
    });
    let claims = [serde_json::from_value(claim).unwrap()];
    let classes: BTreeMap<String, bool> =
        classes.iter().map(|(class, grows)| ((*class).to_owned(), *grows)).collect();
    let mut actions = Actions::default();
    actions.grow(Growth::of(of_templates(&set("2Gi"), &claims), &classes));
    actions
}

#[test]
fn a_resize_is_reported_when_it_was_requested() {
    let actions = grown(&[("fast", true)]);
    assert_eq!((work(&actions).touches.len(), actions.requeue_after), (1, Some(AWHILE)));
    let done = Applied { done: [(CLAIM, Key::new("n", "data-a-0"))].into(), ..Applied::default() };
    assert_eq!(actions.events(&done), [event("VolumeGrows", "claim data-a-0 requests 2Gi")]);
    assert_eq!((actions.requeue_soon(&done), actions.remarks(&done)), (Some(SOON), Vec::new()));
    assert_eq!(actions.events(&Applied::default()), []);
    assert_eq!(actions.requeue_soon(&Applied::default()), None);
}

#[test]
fn a_rejected_action_is_reported_to_the_user() {
    let actions = grown(&[]);
    let touch = work(&actions).touches[0].clone();
    let other = Touch { fields: json!({}), ..touch.clone() };
    let refused = vec![(other, "else".to_owned()), (touch, "too large".to_owned())];
    let applied = Applied { refused, ..Applied::default() };
    let words = "claim data-a-0 should request 2Gi, but the API server rejects it: too large";
    assert_eq!(actions.remarks(&applied), [words]);
    assert_eq!((actions.events(&applied), actions.requeue_soon(&applied)), (Vec::new(), None));
}

#[test]
fn a_claim_is_resized_only_if_its_storage_class_permits_it() {
    let actions = grown(&[("fast", false)]);
    assert_eq!((work(&actions).touches.len(), actions.requeue_after), (0, Some(LATER)));
    let words = "claim data-a-0 has 1Gi, but 2Gi is desired: volumes of storage class fast cannot grow unless its \
                 allowVolumeExpansion is true";
    assert_eq!(actions.remarks(&Applied::default()), [words]);
}

#[test]
fn pods_are_not_repaired_while_the_permission_to_patch_them_is_unknown() {
    let labels = json!({"app": "old", "statefulset.kubernetes.io/pod-name": "a-0"});
    let pod = json!({"metadata": {"name": "a-0", "namespace": "n", "uid": "1", "labels": labels}});
    let pods: [Pod; 1] = [serde_json::from_value(pod).unwrap()];
    let set = set("1Gi");
    let repaired = |may_patch_pods: Option<bool>| {
        let mut actions = Actions::default();
        let (repair, now) = (RepairPolicy::Failing, Timestamp::UNIX_EPOCH);
        let situation = Situation { set: &set, pods: &pods, claims: &[], may_patch_pods, repair, now };
        actions.repair(&situation, &[known()]);
        let work = work(&actions);
        let relabeled = work.touches.iter().filter(|touch| touch.kind == POD).count();
        (relabeled, work.deletions.len() + work.evictions.len(), actions.requeue_after)
    };
    assert_eq!(repaired(Some(true)), (1, 0, Some(AWHILE)));
    assert_eq!(repaired(None), (0, 0, Some(AWHILE)));
    assert_eq!(repaired(Some(false)), (0, 1, None));
}
