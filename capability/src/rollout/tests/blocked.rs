//! Repairs of pods that the StatefulSet controller cannot bring up to date.

use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod, PodSpec, Volume};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::Timestamp;

use super::build::{
    claim, condition, container, labeled, leaving, of, orphaned, pod, ready, revisions, stateful_set,
    templates, unready, waiting, with_claim,
};
use crate::rollout::replicas::Replicas;
use crate::rollout::{Removal, RepairPolicy, RolloutDecision, Situation, Why, decide};

fn situation<'s>(
    set: &'s StatefulSet,
    pods: &'s [Pod],
    claims: &'s [PersistentVolumeClaim],
) -> Situation<'s> {
    let now = Timestamp::from_second(1_000).expect("a time");
    Situation { set, pods, claims, may_patch_pods: Some(false), repair: RepairPolicy::Failing, now }
}

fn next(set: &StatefulSet, pods: &[Pod]) -> RolloutDecision {
    decide(&Situation { repair: RepairPolicy::None, ..situation(set, pods, &[]) })
}

/// Which pod is removed, and why.
fn removed(set: &StatefulSet, pods: &[Pod]) -> Option<(String, Why)> {
    next(set, pods).removal.map(|removal| (removal.name, removal.why))
}

fn storage(ordinal: i32) -> (String, Why) {
    (format!("set-{ordinal}"), Why::Storage { claim: format!("data-set-{ordinal}") })
}

fn service(ordinal: i32) -> (String, Why) {
    (format!("set-{ordinal}"), Why::Subdomain { service: "service".into() })
}

/// A pod with its host name from another Service.
fn elsewhere(mut pod: Pod) -> Pod {
    pod.spec.get_or_insert_default().subdomain = Some("old".into());
    pod
}

#[test]
fn pods_without_the_volume_of_a_template_are_removed_from_the_first_to_the_last() {
    let set = templates(stateful_set(3), &["data"]);
    let new = |ordinal: i32| with_claim(pod(ordinal), "data");
    assert_eq!(
        next(&set, &[pod(0), pod(1), pod(2)]).removal,
        Some(Removal::of(&pod(0), Why::Storage { claim: "data-set-0".into() }))
    );
    for (pods, expected) in [
        // The new pod does not exist, is not ready, or is terminating.
        (vec![pod(1), pod(2)], None),
        (vec![unready(new(0)), pod(1), pod(2)], None),
        (vec![leaving(pod(0)), pod(1), pod(2)], None),
        (vec![new(0), pod(1), pod(2)], Some(storage(1))),
        (vec![new(0), new(1), pod(2)], Some(storage(2))),
        (vec![new(0), new(1), new(2)], None),
        // A template with another name.
        (vec![with_claim(pod(0), "old"), pod(1), pod(2)], Some(storage(0))),
        // A template that replaces a volume with the same name.
        (vec![named(pod(0), "data"), pod(1), pod(2)], Some(storage(0))),
    ] {
        assert_eq!(removed(&set, &pods), expected);
    }
}

/// A pod with a volume of this name that has no claim.
fn named(mut pod: Pod, volume: &str) -> Pod {
    let volume = Volume { name: volume.into(), ..Volume::default() };
    pod.spec.get_or_insert_default().volumes.get_or_insert_default().push(volume);
    pod
}

#[test]
fn a_ready_pod_is_removed_only_if_waiting_does_not_help() {
    let set = templates(stateful_set(3), &["data"]);
    let new = |ordinal: i32| with_claim(pod(ordinal), "data");
    for (pods, expected) in [
        // The pods after it are not created before it is removed.
        (vec![pod(0)], Some(storage(0))),
        (vec![pod(0), waiting(pod(1), "CrashLoopBackOff"), pod(2)], Some(storage(0))),
        // This pod has not become ready in time.
        (vec![pod(0), unready(pod(1)), pod(2)], Some(storage(0))),
        (vec![pod(0), of(unready(new(1)), "r0"), pod(2)], Some(storage(0))),
        // These can still become ready.
        (vec![pod(0), fresh(pod(1), 500), pod(2)], None),
        (vec![pod(0), starting(pod(1)), pod(2)], None),
        // If this pod does not become ready, none will.
        (vec![pod(0), waiting(new(1), "CrashLoopBackOff"), pod(2)], None),
        (vec![pod(0), leaving(pod(1)), pod(2)], None),
        // A pod that is not ready is removed at once.
        (vec![unready(pod(0)), unready(new(1)), pod(2)], Some(storage(0))),
        (vec![waiting(pod(0), "ImagePullBackOff")], Some(storage(0))),
        // A surplus pod does not count.
        (vec![pod(0), new(1), new(2), unready(pod(3))], Some(storage(0))),
    ] {
        assert_eq!(removed(&set, &pods), expected);
    }
    let alone = templates(stateful_set(1), &["data"]);
    assert_eq!(removed(&alone, &[pod(0)]), Some(storage(0)));
}

/// A pod that is not ready since this second.
fn fresh(pod: Pod, since: i64) -> Pod {
    let mut pod = unready(pod);
    pod.status.get_or_insert_default().conditions = Some(vec![condition("Ready", "False", "", since)]);
    pod
}

/// A pod whose container runs, and has not started for a long time.
fn starting(pod: Pod) -> Pod {
    let mut pod = unready(pod);
    pod.status.get_or_insert_default().container_statuses = Some(vec![container("main", Ok(false))]);
    pod
}

#[test]
fn a_pod_has_ten_minutes_to_become_ready() {
    let set = templates(stateful_set(3), &["data"]);
    let pods = [pod(0), fresh(pod(1), 450), fresh(pod(2), 425)];
    let later =
        RolloutDecision { requeue_at: Timestamp::from_second(1_025).ok(), ..RolloutDecision::default() };
    assert_eq!(next(&set, &pods), later);
}

#[test]
fn pods_must_have_been_ready_for_long_enough() {
    let mut set = templates(stateful_set(2), &["data"]);
    set.spec.get_or_insert_default().min_ready_seconds = Some(30);
    let fresh = |since: i64| [ready(with_claim(pod(0), "data"), since), pod(1)];
    let later =
        RolloutDecision { requeue_at: Timestamp::from_second(1_001).ok(), ..RolloutDecision::default() };
    assert_eq!(next(&set, &fresh(971)), later);
    assert_eq!(removed(&set, &fresh(970)), Some(storage(1)));
}

#[test]
fn no_pod_is_removed_before_the_controller_has_observed_the_change() {
    let pods = [pod(0)];
    let mut set = templates(stateful_set(1), &["data"]);
    set.metadata.generation = Some(2);
    assert_eq!(next(&set, &pods), RolloutDecision::default());
    set.metadata.generation = Some(1);
    set.metadata.deletion_timestamp = Some(Time(Timestamp::UNIX_EPOCH));
    assert_eq!(next(&set, &pods), RolloutDecision::default());
}

#[test]
fn a_pod_whose_volumes_are_not_known_is_left_alone() {
    let set = templates(stateful_set(1), &["data"]);
    let mut trimmed = pod(0);
    trimmed.spec = None;
    assert_eq!(next(&set, &[trimmed.clone()]), RolloutDecision::default());
    trimmed.spec = Some(PodSpec::default());
    assert_eq!(next(&set, &[trimmed.clone()]), RolloutDecision::default());
    trimmed.spec.get_or_insert_default().volumes = Some(Vec::new());
    assert_eq!(next(&set, &[trimmed]), RolloutDecision::default());
}

#[test]
fn pods_of_another_service_are_removed_from_the_last_to_the_first() {
    let set = stateful_set(2);
    for (pods, expected) in [
        (vec![pod(0), pod(1)], None),
        (vec![elsewhere(pod(0)), elsewhere(pod(1))], Some(service(1))),
        (vec![elsewhere(pod(0)), unready(pod(1))], None),
        (vec![elsewhere(pod(0)), leaving(elsewhere(pod(1)))], None),
        (vec![elsewhere(pod(0))], None),
        (vec![elsewhere(pod(0)), pod(1)], Some(service(0))),
        (vec![unready(elsewhere(pod(0))), unready(pod(1))], Some(service(0))),
        // The controller replaces these pods itself.
        (vec![elsewhere(of(pod(0), "r0")), elsewhere(of(pod(1), "r0"))], None),
        (vec![elsewhere(pod(0)), of(pod(1), "r0")], None),
        (vec![pod(0), elsewhere(of(pod(1), "r0"))], None),
        (vec![pod(0), unready(elsewhere(of(pod(1), "r0")))], None),
    ] {
        assert_eq!(removed(&set, &pods), expected);
    }
}

#[test]
fn a_pod_with_the_volume_of_a_removed_template_is_removed() {
    let mut set = stateful_set(1);
    let pods = [with_claim(pod(0), "data")];
    assert_eq!(removed(&set, &pods), Some(("set-0".into(), Why::Surplus { claim: "data-set-0".into() })));
    // Users may mount such a claim themselves.
    let spec = set.spec.get_or_insert_default().template.spec.get_or_insert_default();
    spec.volumes.clone_from(&pods[0].spec.as_ref().and_then(|spec| spec.volumes.clone()));
    assert_eq!(removed(&set, &pods), None);
}

#[test]
fn a_claim_of_another_storage_class_is_deleted_by_the_user() {
    let set = templates(stateful_set(1), &["data"]);
    let pods = [with_claim(pod(0), "data")];
    let mut slow = claim("data-set-0", "1Gi");
    slow.spec.get_or_insert_default().storage_class_name = Some("slow".into());
    let message = "claim data-set-0 has storage class slow, but fast is desired: a volume cannot change its class; save \
                 the data and delete the claim, and its pod is replaced";
    assert_eq!(
        decide(&situation(&set, &pods, &[slow.clone()])),
        RolloutDecision { remarks: vec![message.into()], ..RolloutDecision::default() }
    );
    slow.metadata.deletion_timestamp = Some(Time(Timestamp::UNIX_EPOCH));
    let gone = Removal::of(&pods[0], Why::Class { claim: "data-set-0".into() });
    assert_eq!(
        decide(&situation(&set, &pods, &[slow.clone()])),
        RolloutDecision { removal: Some(gone), ..RolloutDecision::default() }
    );
    let same = claim("data-set-0", "1Gi");
    assert_eq!(decide(&situation(&set, &pods, &[same])), RolloutDecision::default());
}

#[test]
fn pods_of_an_old_selector_are_relabeled_or_removed() {
    let set = stateful_set(2);
    let old = |ordinal: i32| labeled(orphaned(pod(ordinal)), "app", "old");
    let pods = [old(0), old(1), old(2)];
    let labels = |ordinal: i32| Some((format!("set-{ordinal}"), Why::Labels));
    assert_eq!(removed(&set, &pods), labels(0));
    assert_eq!(removed(&set, &[pod(0), old(1), old(2)]), labels(1));
    assert_eq!(removed(&set, &[pod(0), pod(1), old(2)]), labels(2), "surplus pods too");
    assert_eq!(removed(&set, &[pod(0), unready(pod(1)), old(2)]), None);

    let removal = Some(Removal::of(&pods[0], Why::Labels));
    let awaits = Some("uid-0".into());
    let expected = RolloutDecision { removal, awaits, ..RolloutDecision::default() };
    assert_eq!(decide(&situation(&set, &pods, &[])), expected);
    let mut with_permission = situation(&set, &pods, &[]);
    with_permission.may_patch_pods = Some(true);
    let relabels = Replicas::of(&with_permission).expect("replicas").relabels();
    assert_eq!(relabels.len(), 3);
    assert_eq!(decide(&with_permission), RolloutDecision { relabels, ..RolloutDecision::default() });
}

#[test]
fn pods_of_other_controllers_block_the_rollout_and_are_kept() {
    let set = templates(stateful_set(2), &["data"]);
    let mut theirs = pod(0);
    theirs.metadata.owner_references.get_or_insert_default()[0].uid = "another".into();
    let message =
        "pod set-0 has the name of a pod of StatefulSet set, which does not own it: rename or delete it";
    let expected = RolloutDecision { remarks: vec![message.into()], ..RolloutDecision::default() };
    assert_eq!(next(&set, &[theirs, pod(1)]), expected);
}

#[test]
fn with_on_delete_there_are_only_remarks() {
    let mut set = templates(stateful_set(2), &["data"]);
    set.spec.get_or_insert_default().update_strategy.get_or_insert_default().type_ = Some("OnDelete".into());
    let message = "pod set-1: it lacks the volume of claim data-set-1; delete it, because the update strategy is OnDelete";
    let expected = RolloutDecision { remarks: vec![message.into()], ..RolloutDecision::default() };
    assert_eq!(next(&set, &[with_claim(pod(0), "data"), pod(1)]), expected);
}

#[test]
fn blocking_pods_are_removed_before_failing_pods() {
    let set = revisions(templates(stateful_set(2), &["data"]), "r1", "r2");
    let failing = waiting(with_claim(pod(1), "data"), "ErrImagePull");
    let pods = [unready(pod(0)), failing];
    let decision = decide(&situation(&set, &pods, &[]));
    let removal = Some(Removal::of(&pods[0], Why::Storage { claim: "data-set-0".into() }));
    assert_eq!(decision, RolloutDecision { removal, ..RolloutDecision::default() });
    // While a blocking pod has to wait, a failing one is removed.
    let pods = [waiting(of(with_claim(pod(0), "data"), "r1"), "ErrImagePull"), pod(1)];
    let removal = Some(Removal::of(&pods[0], Why::Failing { reason: "ErrImagePull".into() }));
    let expected = RolloutDecision { removal, ..RolloutDecision::default() };
    assert_eq!(decide(&situation(&set, &pods, &[])), expected);
}
