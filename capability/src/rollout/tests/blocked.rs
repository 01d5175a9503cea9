//! What becomes of pods that the StatefulSet controller cannot bring up to date.

use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod, PodSpec, Volume};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::Timestamp;

use super::build::{
    claim, condition, container, labeled, leaving, of, orphaned, pod, ready, revisions, stateful_set,
    templates, unready, waiting, with_claim,
};
use crate::rollout::replicas::Replicas;
use crate::rollout::{Decision, Removal, RepairPolicy, Situation, Why, decide};

fn situation<'s>(
    set: &'s StatefulSet,
    pods: &'s [Pod],
    claims: &'s [PersistentVolumeClaim],
) -> Situation<'s> {
    let now = Timestamp::from_second(1_000).expect("a time");
    Situation { set, pods, claims, may_patch_pods: Some(false), repair: RepairPolicy::Failing, now }
}

fn next(set: &StatefulSet, pods: &[Pod]) -> Decision {
    decide(&Situation { repair: RepairPolicy::None, ..situation(set, pods, &[]) })
}

/// Which pod goes, and why.
fn goes(set: &StatefulSet, pods: &[Pod]) -> Option<(String, Why)> {
    next(set, pods).removal.map(|removal| (removal.name, removal.why))
}

fn storage(ordinal: i32) -> (String, Why) {
    (format!("set-{ordinal}"), Why::Storage { claim: format!("data-set-{ordinal}") })
}

fn service(ordinal: i32) -> (String, Why) {
    (format!("set-{ordinal}"), Why::Subdomain { service: "service".into() })
}

/// From another Service.
fn elsewhere(mut pod: Pod) -> Pod {
    pod.spec.get_or_insert_default().subdomain = Some("old".into());
    pod
}

#[test]
fn pods_without_the_volume_of_a_template_go_from_the_first_to_the_last() {
    let set = templates(stateful_set(3), &["data"]);
    let new = |ordinal: i32| with_claim(pod(ordinal), "data");
    assert_eq!(
        next(&set, &[pod(0), pod(1), pod(2)]).removal,
        Some(Removal::of(&pod(0), Why::Storage { claim: "data-set-0".into() }))
    );
    for (pods, expected) in [
        // The new one is not there, not ready, or on its way out.
        (vec![pod(1), pod(2)], None),
        (vec![unready(new(0)), pod(1), pod(2)], None),
        (vec![leaving(pod(0)), pod(1), pod(2)], None),
        (vec![new(0), pod(1), pod(2)], Some(storage(1))),
        (vec![new(0), new(1), pod(2)], Some(storage(2))),
        (vec![new(0), new(1), new(2)], None),
        // A template with another name.
        (vec![with_claim(pod(0), "old"), pod(1), pod(2)], Some(storage(0))),
        // A template that takes the place of a volume of the same name.
        (vec![named(pod(0), "data"), pod(1), pod(2)], Some(storage(0))),
    ] {
        assert_eq!(goes(&set, &pods), expected);
    }
}

/// With a volume of this name that has no claim.
fn named(mut pod: Pod, volume: &str) -> Pod {
    let volume = Volume { name: volume.into(), ..Volume::default() };
    pod.spec.get_or_insert_default().volumes.get_or_insert_default().push(volume);
    pod
}

#[test]
fn one_that_serves_is_removed_only_if_nothing_is_gained_by_waiting() {
    let set = templates(stateful_set(3), &["data"]);
    let new = |ordinal: i32| with_claim(pod(ordinal), "data");
    for (pods, expected) in [
        // What stands behind it is made by nobody before it goes.
        (vec![pod(0)], Some(storage(0))),
        (vec![pod(0), waiting(pod(1), "CrashLoopBackOff"), pod(2)], Some(storage(0))),
        // This one has not got ready for too long a time.
        (vec![pod(0), unready(pod(1)), pod(2)], Some(storage(0))),
        (vec![pod(0), of(unready(new(1)), "r0"), pod(2)], Some(storage(0))),
        // These may get ready by themselves.
        (vec![pod(0), fresh(pod(1), 500), pod(2)], None),
        (vec![pod(0), starting(pod(1)), pod(2)], None),
        // If this one does not get ready, none will.
        (vec![pod(0), waiting(new(1), "CrashLoopBackOff"), pod(2)], None),
        (vec![pod(0), leaving(pod(1)), pod(2)], None),
        // One that does not serve goes at once.
        (vec![unready(pod(0)), unready(new(1)), pod(2)], Some(storage(0))),
        (vec![waiting(pod(0), "ImagePullBackOff")], Some(storage(0))),
        // One that is too many does not count.
        (vec![pod(0), new(1), new(2), unready(pod(3))], Some(storage(0))),
    ] {
        assert_eq!(goes(&set, &pods), expected);
    }
    let alone = templates(stateful_set(1), &["data"]);
    assert_eq!(goes(&alone, &[pod(0)]), Some(storage(0)));
}

/// Not ready since a second.
fn fresh(pod: Pod, since: i64) -> Pod {
    let mut pod = unready(pod);
    pod.status.get_or_insert_default().conditions = Some(vec![condition("Ready", "False", "", since)]);
    pod
}

/// Running, and not started for ages.
fn starting(pod: Pod) -> Pod {
    let mut pod = unready(pod);
    pod.status.get_or_insert_default().container_statuses = Some(vec![container("main", Ok(false))]);
    pod
}

#[test]
fn one_that_does_not_get_ready_is_waited_for_ten_minutes() {
    let set = templates(stateful_set(3), &["data"]);
    let pods = [pod(0), fresh(pod(1), 450), fresh(pod(2), 425)];
    let later = Decision { requeue_at: Timestamp::from_second(1_025).ok(), ..Decision::default() };
    assert_eq!(next(&set, &pods), later);
}

#[test]
fn pods_must_have_been_ready_for_long_enough() {
    let mut set = templates(stateful_set(2), &["data"]);
    set.spec.get_or_insert_default().min_ready_seconds = Some(30);
    let fresh = |since: i64| [ready(with_claim(pod(0), "data"), since), pod(1)];
    let later = Decision { requeue_at: Timestamp::from_second(1_001).ok(), ..Decision::default() };
    assert_eq!(next(&set, &fresh(971)), later);
    assert_eq!(goes(&set, &fresh(970)), Some(storage(1)));
}

#[test]
fn nothing_goes_before_the_controller_has_looked() {
    let pods = [pod(0)];
    let mut set = templates(stateful_set(1), &["data"]);
    set.metadata.generation = Some(2);
    assert_eq!(next(&set, &pods), Decision::default());
    set.metadata.generation = Some(1);
    set.metadata.deletion_timestamp = Some(Time(Timestamp::UNIX_EPOCH));
    assert_eq!(next(&set, &pods), Decision::default());
}

#[test]
fn a_pod_that_is_not_seen_whole_is_left_alone() {
    let set = templates(stateful_set(1), &["data"]);
    let mut blind = pod(0);
    blind.spec = None;
    assert_eq!(next(&set, &[blind.clone()]), Decision::default());
    blind.spec = Some(PodSpec::default());
    assert_eq!(next(&set, &[blind.clone()]), Decision::default());
    blind.spec.get_or_insert_default().volumes = Some(Vec::new());
    assert_eq!(next(&set, &[blind]), Decision::default());
}

#[test]
fn pods_from_another_service_go_from_the_last_to_the_first_when_nothing_else_happens() {
    let set = stateful_set(2);
    for (pods, expected) in [
        (vec![pod(0), pod(1)], None),
        (vec![elsewhere(pod(0)), elsewhere(pod(1))], Some(service(1))),
        (vec![elsewhere(pod(0)), unready(pod(1))], None),
        (vec![elsewhere(pod(0)), leaving(elsewhere(pod(1)))], None),
        (vec![elsewhere(pod(0))], None),
        (vec![elsewhere(pod(0)), pod(1)], Some(service(0))),
        (vec![unready(elsewhere(pod(0))), unready(pod(1))], Some(service(0))),
        // The controller replaces these itself.
        (vec![elsewhere(of(pod(0), "r0")), elsewhere(of(pod(1), "r0"))], None),
        (vec![elsewhere(pod(0)), of(pod(1), "r0")], None),
        (vec![pod(0), elsewhere(of(pod(1), "r0"))], None),
        (vec![pod(0), unready(elsewhere(of(pod(1), "r0")))], None),
    ] {
        assert_eq!(goes(&set, &pods), expected);
    }
}

#[test]
fn a_pod_with_the_volume_of_a_template_that_is_gone_goes() {
    let mut set = stateful_set(1);
    let pods = [with_claim(pod(0), "data")];
    assert_eq!(goes(&set, &pods), Some(("set-0".into(), Why::Surplus { claim: "data-set-0".into() })));
    // Users may mount such a claim themselves.
    let spec = set.spec.get_or_insert_default().template.spec.get_or_insert_default();
    spec.volumes.clone_from(&pods[0].spec.as_ref().and_then(|spec| spec.volumes.clone()));
    assert_eq!(goes(&set, &pods), None);
}

#[test]
fn a_claim_of_another_class_is_the_users_to_delete() {
    let set = templates(stateful_set(1), &["data"]);
    let pods = [with_claim(pod(0), "data")];
    let mut slow = claim("data-set-0", "1Gi");
    slow.spec.get_or_insert_default().storage_class_name = Some("slow".into());
    let words = "claim data-set-0 has storage class slow, and fast is wanted: a volume cannot change its class; save \
                 the data and delete the claim, and its pod is replaced";
    assert_eq!(
        decide(&situation(&set, &pods, &[slow.clone()])),
        Decision { remarks: vec![words.into()], ..Decision::default() }
    );
    slow.metadata.deletion_timestamp = Some(Time(Timestamp::UNIX_EPOCH));
    let gone = Removal::of(&pods[0], Why::Class { claim: "data-set-0".into() });
    assert_eq!(
        decide(&situation(&set, &pods, &[slow.clone()])),
        Decision { removal: Some(gone), ..Decision::default() }
    );
    let same = claim("data-set-0", "1Gi");
    assert_eq!(decide(&situation(&set, &pods, &[same])), Decision::default());
}

#[test]
fn pods_of_an_old_selector_are_relabeled_or_go_from_the_first_to_the_last() {
    let set = stateful_set(2);
    let old = |ordinal: i32| labeled(orphaned(pod(ordinal)), "app", "old");
    let pods = [old(0), old(1), old(2)];
    let labels = |ordinal: i32| Some((format!("set-{ordinal}"), Why::Labels));
    assert_eq!(goes(&set, &pods), labels(0));
    assert_eq!(goes(&set, &[pod(0), old(1), old(2)]), labels(1));
    assert_eq!(goes(&set, &[pod(0), pod(1), old(2)]), labels(2), "also those that are too many");
    assert_eq!(goes(&set, &[pod(0), unready(pod(1)), old(2)]), None);

    let removal = Some(Removal::of(&pods[0], Why::Labels));
    let awaits = Some("uid-0".into());
    assert_eq!(decide(&situation(&set, &pods, &[])), Decision { removal, awaits, ..Decision::default() });
    let mut able = situation(&set, &pods, &[]);
    able.may_patch_pods = Some(true);
    let relabels = Replicas::of(&able).expect("replicas").relabels();
    assert_eq!(relabels.len(), 3);
    assert_eq!(decide(&able), Decision { relabels, ..Decision::default() });
}

#[test]
fn pods_of_other_controllers_block_the_rollout_and_stay() {
    let set = templates(stateful_set(2), &["data"]);
    let mut theirs = pod(0);
    theirs.metadata.owner_references.get_or_insert_default()[0].uid = "another".into();
    let words =
        "pod set-0 has the name of a pod of StatefulSet set, which does not own it: rename or delete it";
    let told = Decision { remarks: vec![words.into()], ..Decision::default() };
    assert_eq!(next(&set, &[theirs, pod(1)]), told);
}

#[test]
fn with_on_delete_the_user_is_only_asked() {
    let mut set = templates(stateful_set(2), &["data"]);
    set.spec.get_or_insert_default().update_strategy.get_or_insert_default().type_ = Some("OnDelete".into());
    let words = "pod set-1: it lacks the volume of claim data-set-1; delete it, because the update strategy is OnDelete";
    let told = Decision { remarks: vec![words.into()], ..Decision::default() };
    assert_eq!(next(&set, &[with_claim(pod(0), "data"), pod(1)]), told);
}

#[test]
fn what_blocks_the_controller_goes_before_what_fails() {
    let set = revisions(templates(stateful_set(2), &["data"]), "r1", "r2");
    let failing = waiting(with_claim(pod(1), "data"), "ErrImagePull");
    let pods = [unready(pod(0)), failing];
    let decision = decide(&situation(&set, &pods, &[]));
    let removal = Some(Removal::of(&pods[0], Why::Storage { claim: "data-set-0".into() }));
    assert_eq!(decision, Decision { removal, ..Decision::default() });
    // While one in the way waits for its turn, one that fails goes.
    let pods = [waiting(of(with_claim(pod(0), "data"), "r1"), "ErrImagePull"), pod(1)];
    let removal = Some(Removal::of(&pods[0], Why::Failing { reason: "ErrImagePull".into() }));
    assert_eq!(decide(&situation(&set, &pods, &[])), Decision { removal, ..Decision::default() });
}
