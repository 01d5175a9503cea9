//! Which pods of a stuck rollout are removed.

use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::jiff::Timestamp;

use super::build::{leaving, of, pod, revisions, stateful_set, unready, waiting};
use crate::rollout::replicas::Replicas;
use crate::rollout::{Method, Removal, RepairPolicy, Situation, Why};

fn repaired(set: &StatefulSet, pods: &[Pod], repair: RepairPolicy) -> Option<Removal> {
    let now = Timestamp::UNIX_EPOCH;
    let situation = Situation { set, pods, claims: &[], may_patch_pods: Some(true), repair, now };
    Replicas::of(&situation)?.repair()
}

/// The name of the pod that is removed, and the reason.
fn removed(set: &StatefulSet, pods: &[Pod]) -> Option<(String, String)> {
    let removal = repaired(set, pods, RepairPolicy::Failing)?;
    assert_eq!(removal.method, Method::Delete);
    match removal.why {
        Why::Failing { reason } => Some((removal.name, reason)),
        Why::Storage { .. }
        | Why::Labels
        | Why::Subdomain { .. }
        | Why::Surplus { .. }
        | Why::Class { .. }
        | Why::Stuck => None,
    }
}

fn bad(ordinal: i32, revision: &str) -> Pod {
    of(waiting(pod(ordinal), "ImagePullBackOff"), revision)
}

fn failing(ordinal: i32) -> (String, String) {
    (format!("set-{ordinal}"), "ImagePullBackOff".into())
}

#[test]
fn the_first_failing_pod_of_an_old_revision_is_removed() {
    let set = revisions(stateful_set(3), "old", "new");
    let good = |ordinal: i32| of(pod(ordinal), "new");
    for (pods, expected) in [
        // Of a revision between the two.
        (vec![of(pod(0), "old"), bad(1, "between"), bad(2, "between")], Some(failing(1))),
        // Of the current revision, which failed from the start.
        (vec![bad(0, "old"), bad(1, "old"), bad(2, "old")], Some(failing(0))),
        (vec![good(0), bad(1, "old"), bad(2, "old")], Some(failing(1))),
        // The new revision must become ready first.
        (vec![unready(good(0)), bad(1, "old")], None),
        (vec![bad(0, "new"), bad(1, "old")], None),
        (vec![leaving(good(0)), bad(1, "old")], None),
        (vec![leaving(bad(0, "old")), bad(1, "old")], None),
        // The other pods do not exist: an ordered controller creates none after a failing one.
        (vec![bad(0, "old")], Some(failing(0))),
        // The controller removes surplus pods itself.
        (vec![good(0), good(1), good(2), bad(3, "old")], None),
    ] {
        assert_eq!(removed(&set, &pods), expected);
    }
}

#[test]
fn a_pod_that_can_become_ready_is_left_alone() {
    let set = revisions(stateful_set(1), "old", "new");
    assert_eq!(removed(&set, &[unready(of(pod(0), "old"))]), None);
    assert_eq!(removed(&set, &[of(pod(0), "old")]), None);
}

#[test]
fn no_pod_is_removed_before_the_controller_observed_the_change_or_with_on_delete() {
    let mut set = revisions(stateful_set(1), "old", "new");
    let pods = [bad(0, "old")];
    set.metadata.generation = Some(2);
    assert_eq!(removed(&set, &pods), None);
    set.metadata.generation = Some(1);
    assert_eq!(removed(&set, &pods), Some(failing(0)));
    set.spec.get_or_insert_default().update_strategy.get_or_insert_default().type_ = Some("OnDelete".into());
    assert_eq!(removed(&set, &pods), None);
}

#[test]
fn below_the_partition_the_current_revision_would_be_created_again() {
    let mut set = revisions(stateful_set(2), "old", "new");
    let strategy = set.spec.get_or_insert_default().update_strategy.get_or_insert_default();
    strategy.rolling_update.get_or_insert_default().partition = Some(1);
    assert_eq!(removed(&set, &[bad(0, "old"), of(pod(1), "new")]), None);
    assert_eq!(removed(&set, &[of(pod(0), "old"), bad(1, "old")]), Some(failing(1)));
    assert_eq!(removed(&set, &[bad(0, "between"), of(pod(1), "new")]), Some(failing(0)));
}

#[test]
fn the_policy_of_the_user_decides() {
    let set = revisions(stateful_set(2), "old", "new");
    let pods = [of(unready(pod(0)), "between"), of(unready(pod(1)), "between")];
    let stuck = Removal::of(&pods[1], Why::Stuck);
    let repaired = |pods: &[Pod], policy| repaired(&set, pods, policy);
    assert_eq!(repaired(&pods, RepairPolicy::None), None);
    assert_eq!(repaired(&pods, RepairPolicy::Delete), Some(stuck.clone()));
    assert_eq!(repaired(&pods, RepairPolicy::Evict), Some(Removal { method: Method::Evict, ..stuck }));
    // Enough others are ready.
    let more = [of(pod(0), "new"), of(pod(1), "new"), of(unready(pod(2)), "between")];
    assert_eq!(repaired(&more, RepairPolicy::Delete), None);
    // One of a revision of the rollout is replaced by the controller.
    let of_rollout = [of(unready(pod(0)), "old"), of(unready(pod(1)), "new")];
    assert_eq!(repaired(&of_rollout, RepairPolicy::Delete), None);
}

#[test]
fn the_last_stuck_pod_is_removed() {
    let mut set = revisions(stateful_set(6), "old", "new");
    let pods = [
        of(unready(pod(0)), "bad"),
        of(unready(pod(1)), "bad"),
        of(pod(2), "bad"),
        of(unready(pod(3)), "old"),
        of(unready(pod(4)), "new"),
        leaving(of(unready(pod(5)), "bad")),
    ];
    assert_eq!(repaired(&set, &pods, RepairPolicy::Delete), Some(Removal::of(&pods[1], Why::Stuck)));
    // The controller has not observed the latest change yet.
    set.metadata.generation = Some(2);
    assert_eq!(repaired(&set, &pods, RepairPolicy::Delete), None);
}
