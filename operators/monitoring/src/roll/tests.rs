//! What is asked for, what is told of it, and what is left alone.

use crate::rollout::Why;

use super::*;

fn pod() -> Arc<Object> {
    let pod = json!({"metadata": {"name": "a-0", "namespace": "n", "uid": "1"}});
    Arc::new(Object::new(serde_json::from_value(pod).unwrap(), &kinds::POD.resource()))
}

fn removed(how: How) -> Roll {
    let mut roll = Roll::default();
    roll.remove(&Removal { name: "a-0".into(), uid: "1".into(), how, why: Why::Stuck }, &[pod()]);
    roll
}

fn note(reason: &'static str, message: &str) -> Note {
    Note { alarming: false, reason, message: message.into() }
}

#[test]
fn an_eviction_is_told_when_it_was_granted_and_when_a_budget_forbids_it() {
    let roll = removed(How::Evict);
    assert_eq!((roll.evictions.len(), roll.deletions.len()), (1, 0));
    let key = || Key::new("n", "a-0");
    let granted = Applied { done: [(kinds::POD, key())].into(), ..Applied::default() };
    let words = "pod a-0 is evicted: it is not ready and of a revision that is no longer wanted";
    assert_eq!(roll.told(&granted), [note("PodReplaced", words)]);
    let needs = "The disruption budget b needs 2 healthy pods and has 2 currently";
    let forbidden = Applied { kept: [(key(), needs.to_owned())].into(), ..Applied::default() };
    let words = "pod a-0 should be evicted, and a disruption budget forbids it: it is not ready and of a revision that \
                 is no longer wanted (The disruption budget b needs 2 healthy pods and has 2 currently)";
    assert_eq!(roll.told(&forbidden), [note("PodKept", words)]);
    assert_eq!(roll.told(&Applied::default()), []);
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

fn small_claim() -> Seen {
    let claim = json!({
        "metadata": {"name": "data-a-0", "namespace": "n", "uid": "3"},
        "spec": {"storageClassName": "fast", "resources": {"requests": {"storage": "1Gi"}}},
        "status": {"phase": "Bound", "capacity": {"storage": "1Gi"}},
    });
    let sets = [("a".to_owned(), set("1Gi"))].into();
    Seen { sets, claims: vec![serde_json::from_value(claim).unwrap()], ..Seen::default() }
}

fn rolled(seen: &Seen, growing: &[(&str, bool)], may_patch_pods: Option<bool>) -> Roll {
    let around = Around {
        seen,
        growing: &growing.iter().map(|(class, grows)| ((*class).to_owned(), *grows)).collect(),
        may_patch_pods,
        repair: Policy::Careful,
        now: Timestamp::UNIX_EPOCH,
    };
    let mut roll = Roll::default();
    roll.grow(&mut set("2Gi"), &set("1Gi"), &around);
    roll.settle(&set("1Gi"), &around);
    roll
}

#[test]
fn a_claim_is_told_to_grow_when_it_was_asked_to() {
    let roll = rolled(&small_claim(), &[("fast", true)], Some(true));
    assert_eq!((roll.wishes.len(), roll.requeue_after), (1, Some(AWHILE)));
    let done = Applied { done: [(kinds::CLAIM, Key::new("n", "data-a-0"))].into(), ..Applied::default() };
    assert_eq!(roll.told(&done), [note("VolumeGrows", "claim data-a-0 is asked to grow to 2Gi")]);
    assert_eq!((roll.soon(&done), roll.remarks(&done)), (Some(SOON), Vec::new()));
    assert_eq!(roll.told(&Applied::default()), []);
    assert_eq!(roll.soon(&Applied::default()), None);
}

#[test]
fn what_the_server_refuses_is_told_to_the_user() {
    let roll = rolled(&small_claim(), &[], Some(true));
    let touch = roll.wishes[0].touch.clone();
    let other = Touch { fields: json!({}), ..touch.clone() };
    let refused = vec![(other, "else".to_owned()), (touch, "too large".to_owned())];
    let applied = Applied { refused, ..Applied::default() };
    let words = "claim data-a-0 should ask for 2Gi, and the server refuses it: too large";
    assert_eq!(roll.remarks(&applied), [words]);
    assert_eq!((roll.told(&applied), roll.soon(&applied)), (Vec::new(), None));
}

#[test]
fn the_class_of_a_claim_decides_whether_it_grows() {
    let seen = small_claim();
    let roll = rolled(&seen, &[("fast", false)], Some(true));
    assert_eq!((roll.wishes.len(), roll.requeue_after), (0, Some(LATER)));
    let words = "claim data-a-0 has 1Gi, and 2Gi are asked for: volumes of storage class fast cannot grow unless its \
                 allowVolumeExpansion is true";
    assert_eq!(roll.remarks(&Applied::default()), [words]);
}

#[test]
fn pods_are_neither_relabelled_nor_removed_while_it_is_not_known_whether_they_may_be() {
    let labels = json!({"app": "old", "statefulset.kubernetes.io/pod-name": "a-0"});
    let pod = json!({"metadata": {"name": "a-0", "namespace": "n", "uid": "1", "labels": labels}});
    let pod: Pod = serde_json::from_value(pod).unwrap();
    let seen = Seen { pods: vec![pod], known: vec![self::pod()], ..Seen::default() };
    let rolled = |may: Option<bool>| {
        let roll = rolled(&seen, &[], may);
        let relabelled = roll.wishes.iter().filter(|wish| wish.touch.kind == kinds::POD).count();
        (relabelled, roll.deletions.len() + roll.evictions.len(), roll.requeue_after)
    };
    assert_eq!(rolled(Some(true)), (1, 0, Some(AWHILE)));
    assert_eq!(rolled(None), (0, 0, Some(AWHILE)));
    assert_eq!(rolled(Some(false)), (0, 1, None));
}
