//! The decision about each lease, and what is written.

use k8s_openapi::api::coordination::v1::LeaseSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{MicroTime, ObjectMeta};
use k8s_openapi::jiff::Timestamp;

use super::*;

fn at(microsecond: i64) -> Timestamp {
    Timestamp::from_microsecond(microsecond).unwrap()
}

fn lease(holder: &str, renewed: i64, seconds: i32) -> Lease {
    let metadata = ObjectMeta { resource_version: Some("7".into()), ..ObjectMeta::default() };
    let spec = LeaseSpec {
        holder_identity: Some(holder.into()),
        acquire_time: Some(MicroTime(at(0))),
        renew_time: Some(MicroTime(at(renewed))),
        lease_duration_seconds: Some(seconds),
        lease_transitions: Some(3),
        ..LeaseSpec::default()
    };
    Lease { metadata, spec: Some(spec) }
}

fn candidate() -> Candidate {
    Candidate::new("me".into(), &ElectionSettings::default())
}

#[tokio::test(start_paused = true)]
async fn a_free_lease_is_taken_and_our_own_is_renewed() {
    let now = clock::now();
    assert_eq!(candidate().decide(None, now), LeaseAction::Create);
    assert_eq!(candidate().decide(Some(&Lease::default()), now), LeaseAction::Take);
    assert_eq!(candidate().decide(Some(&lease("", 1, 1)), now), LeaseAction::Take);
    assert_eq!(candidate().decide(Some(&lease("me", 1, 15)), now), LeaseAction::Renew);
}

#[tokio::test(start_paused = true)]
async fn a_holder_expires_after_its_own_duration_since_the_last_change_that_we_saw() {
    let (mut candidate, zero) = (candidate(), clock::now());
    let seen = lease("other", 1, 20);
    assert_eq!(candidate.decide(Some(&seen), zero), LeaseAction::WaitUntil(zero + SECOND * 2));
    let renewed = lease("other", 2, 20);
    let wait_until = |second: u32| LeaseAction::WaitUntil(zero + SECOND * second);
    assert_eq!(candidate.decide(Some(&renewed), zero + SECOND * 19), wait_until(21));
    assert_eq!(candidate.decide(Some(&renewed), zero + SECOND * 38), wait_until(39));
    assert_eq!(candidate.decide(Some(&renewed), zero + SECOND * 39), LeaseAction::Take);
    let mut relabelled = renewed.clone();
    relabelled.metadata.resource_version = Some("8".into());
    let action = candidate.decide(Some(&relabelled), zero + SECOND * 39);
    assert_eq!(action, LeaseAction::Take, "only renewals count");
}

#[tokio::test(start_paused = true)]
async fn a_deleted_lease_is_not_created_before_its_holder_has_expired() {
    let (mut candidate, zero) = (candidate(), clock::now());
    candidate.decide(Some(&lease("other", 1, 15)), zero);
    assert_eq!(candidate.decide(None, zero + SECOND * 14), LeaseAction::WaitUntil(zero + SECOND * 15));
    assert_eq!(candidate.decide(None, zero + SECOND * 15), LeaseAction::Create);
}

#[tokio::test(start_paused = true)]
async fn a_term_ends_when_it_was_not_renewed_or_the_lease_was_lost() {
    let (mut candidate, zero) = (candidate(), clock::now());
    assert!(candidate.won(zero + SECOND * 10));
    assert!(!candidate.won(zero + SECOND * 12));
    let almost = zero + SECOND * 11;
    assert_eq!(candidate.decide(Some(&lease("me", 1, 15)), almost), LeaseAction::Renew);
    let lost = LeaseAction::GiveUp;
    assert_eq!(candidate.decide(Some(&lease("other", 1, 15)), almost), lost(LossReason::Taken));
    assert_eq!(candidate.decide(Some(&lease("", 1, 15)), almost), lost(LossReason::Taken));
    assert_eq!(candidate.decide(None, almost), lost(LossReason::Deleted));
    let late = zero + SECOND * 12;
    assert_eq!(candidate.decide(Some(&lease("me", 1, 15)), late), lost(LossReason::NotRenewed));
}

#[test]
fn a_claim_counts_transitions_and_keeps_the_metadata() {
    let mut foreign = lease("other", 1, 20);
    foreign.metadata.labels = Some([("team".to_owned(), "a".to_owned())].into());
    let mut expected = lease("me", 50, 15);
    expected.metadata = foreign.metadata.clone();
    if let Some(spec) = &mut expected.spec {
        spec.lease_transitions = Some(4);
        spec.acquire_time = Some(MicroTime(at(50)));
    }
    assert_eq!(candidate().claim(Some(foreign), at(50)), expected);
    let created = candidate().claim(None, at(50)).spec.unwrap();
    assert_eq!((created.lease_transitions, created.acquire_time), (Some(0), Some(MicroTime(at(50)))));
}

#[test]
fn a_renewal_changes_the_lease_even_if_the_wall_clock_was_set_back() {
    for (wall, renewed) in [(50, 50), (10, 11), (3, 11)] {
        assert_eq!(candidate().claim(Some(lease("me", 10, 15)), at(wall)), lease("me", renewed, 15));
    }
}

#[test]
fn only_our_own_lease_is_released() {
    assert_eq!(candidate().release(lease("other", 1, 15), at(9)), None);
    let mut expected = lease("", 9, 1);
    if let Some(spec) = &mut expected.spec {
        spec.acquire_time = Some(MicroTime(at(9)));
    }
    assert_eq!(candidate().release(lease("me", 1, 15), at(9)), Some(expected));
}
