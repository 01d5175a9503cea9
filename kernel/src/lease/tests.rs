//! Elections on a stand-in for the API server: it keeps one lease in memory, and loses, delays and rejects requests as
//! a test requires. First the decisions are tested, then whole elections with a paused clock.

mod decisions;
mod permissions;
mod property;
mod standin;

use std::time::Duration;

use futures::FutureExt;

use super::*;
use standin::{Client, Fault, Server};

const SECOND: Duration = Duration::from_secs(1);

/// Runs a second candidate after the first was elected.
async fn run_second(first: &Leadership, second: Election<Client>) -> ElectionEnding {
    assert!(first.granted().await);
    second.run(CancellationToken::new()).await
}

/// Limits a test to an hour of the paused clock: one that waits forever would exhaust the memory.
async fn within_an_hour(test: impl Future<Output = ()>) {
    timeout(SECOND * 3600, test).await.unwrap();
}

fn seconds_since(zero: Instant) -> u64 {
    (clock::now() - zero).as_secs()
}

#[tokio::test(start_paused = true)]
async fn a_released_lease_is_acquired_by_the_waiting_candidate() {
    let server = Server::default();
    let (zero, stop) = (clock::now(), CancellationToken::new());
    let (first, one) = Election::new(server.client(vec![]), "one", ElectionSettings::default()).unwrap();
    let (second, two) = Election::new(server.client(vec![]), "two", ElectionSettings::default()).unwrap();
    let test = async {
        assert!(one.granted().await);
        assert_eq!(seconds_since(zero), 0);
        assert_eq!(two.granted().now_or_never(), None);
        clock::until(Some(zero + SECOND * 60)).await;
        assert!(one.may_write() && !two.may_write());
        stop.cancel();
        assert!(two.granted().await);
        assert!(!one.may_write() && two.may_write());
        assert!(seconds_since(zero) <= 62, "the next attempt is at most a retry period later");
        let spec = server.lease().unwrap().spec.unwrap();
        assert!(spec.holder_identity.unwrap().starts_with("two_"));
        assert_eq!((spec.lease_transitions, spec.lease_duration_seconds), (Some(1), Some(15)));
    };
    let others = async {
        tokio::select! {
            ending = run_second(&one, second) => panic!("{ending:?}"),
            () = within_an_hour(test) => {}
        }
    };
    let (ending, ()) = tokio::join!(first.run(stop.clone()), others);
    assert_eq!(ending, ElectionEnding::Stopped);
}

#[tokio::test(start_paused = true)]
async fn a_holder_that_cannot_renew_stops_before_another_starts() {
    // Created at zero, renewed three times; after that no request reaches the server.
    let silent = [vec![Fault::None; 5], vec![Fault::RequestLost; 100]].concat();
    let server = Server::default();
    let zero = clock::now();
    let (first, one) = Election::new(server.client(silent), "one", ElectionSettings::default()).unwrap();
    let (second, two) = Election::new(server.client(vec![]), "two", ElectionSettings::default()).unwrap();
    let lost = async {
        one.lost().await;
        (seconds_since(zero), one.may_write())
    };
    let took_over = async {
        assert!(two.granted().await);
        seconds_since(zero)
    };
    let test = async {
        let (ending, lost, took_over) = tokio::join!(first.run(CancellationToken::new()), lost, took_over);
        assert_eq!(ending, ElectionEnding::Lost(LossReason::NotRenewed));
        assert_eq!(lost, (6 + 10, false));
        assert!(
            (6 + 15..=6 + 17).contains(&took_over),
            "the renewal at 6 is seen at the next attempt: {took_over}"
        );
    };
    tokio::select! {
        ending = run_second(&one, second) => panic!("the second candidate stopped: {ending:?}"),
        () = within_an_hour(test) => {}
    }
}

#[tokio::test(start_paused = true)]
async fn after_a_lost_answer_the_lease_is_read() {
    let server = Server::default();
    let lossy = [Fault::None, Fault::AnswerLost, Fault::None, Fault::None, Fault::AnswerLost];
    let (election, leadership) =
        Election::new(server.client(lossy.to_vec()), "one", ElectionSettings::default()).unwrap();
    let (zero, stop) = (clock::now(), CancellationToken::new());
    let test = async {
        assert!(leadership.granted().await);
        assert_eq!(seconds_since(zero), 5, "it holds the lease since the first read after the lost answer");
        clock::until(Some(zero + SECOND * 60)).await;
        assert!(leadership.may_write());
        stop.cancel();
    };
    let (ending, ()) = tokio::join!(election.run(stop.clone()), within_an_hour(test));
    assert_eq!(ending, ElectionEnding::Stopped);
    let spec = server.lease().unwrap().spec.unwrap();
    assert_eq!(spec.holder_identity.as_deref(), Some(""));
    assert_eq!((spec.lease_transitions, spec.lease_duration_seconds), (Some(0), Some(1)));
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_was_taken_or_deleted_ends_the_term_at_the_next_renewal() {
    for (deleted, reason) in [(false, LossReason::Taken), (true, LossReason::Deleted)] {
        let server = Server::default();
        let (election, leadership) =
            Election::new(server.client(vec![]), "one", ElectionSettings::default()).unwrap();
        let test = async {
            assert!(leadership.granted().await);
            server.change(|lease| {
                if deleted {
                    *lease = None;
                } else if let Some(spec) = lease.as_mut().and_then(|lease| lease.spec.as_mut()) {
                    spec.holder_identity = Some("another".into());
                }
            });
            let changed = clock::now();
            leadership.lost().await;
            assert!(clock::now() - changed <= ElectionSettings::default().retry * 2);
        };
        let (ending, ()) = tokio::join!(election.run(CancellationToken::new()), within_an_hour(test));
        assert_eq!(ending, ElectionEnding::Lost(reason));
        assert!(!leadership.may_write());
    }
}

#[test]
fn the_names_of_candidacies_are_unique() {
    let (one, other) = (unique("pod-0"), unique("pod-0"));
    assert!(one.starts_with("pod-0_") && one.len() == "pod-0_".len() + 16);
    assert_ne!(one, other);
}

#[test]
fn an_election_can_run_as_a_task() {
    fn is_task<T: Future + Send + 'static>(_: fn(Election<LeaseObject>, CancellationToken) -> T) {}
    is_task(Election::<LeaseObject>::run);
}
