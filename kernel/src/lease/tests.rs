//! Elections on a stand-in for the API server: it keeps one lease in memory, and loses, delays and refuses on command.
//! Decisions alone are tested first, then whole elections under a clock that is turned by hand.

mod decisions;
mod property;
mod rights;
mod standin;

use std::time::Duration;

use futures::FutureExt;

use super::*;
use standin::{Client, Mishap, Server};

const SECOND: Duration = Duration::from_secs(1);

/// A second candidate that comes when the first has been elected.
async fn follow(first: &Leadership, second: Election<Client>) -> Ending {
    assert!(first.granted().await);
    second.run(CancellationToken::new()).await
}

/// The clock turns as fast as the tests: one that waits for ever would take all the memory there is.
async fn within_an_hour(story: impl Future<Output = ()>) {
    timeout(SECOND * 3600, story).await.unwrap();
}

fn seconds_since(zero: Instant) -> u64 {
    (clock::now() - zero).as_secs()
}

#[tokio::test(start_paused = true)]
async fn the_first_holds_the_second_waits_and_a_release_is_taken_at_the_next_look() {
    let server = Server::default();
    let (zero, stop) = (clock::now(), CancellationToken::new());
    let (first, one) = Election::new(server.client(vec![]), "one", Settings::default()).unwrap();
    let (second, two) = Election::new(server.client(vec![]), "two", Settings::default()).unwrap();
    let story = async {
        assert!(one.granted().await);
        assert_eq!(seconds_since(zero), 0);
        assert_eq!(two.granted().now_or_never(), None);
        clock::until(Some(zero + SECOND * 60)).await;
        assert!(one.may_write() && !two.may_write());
        stop.cancel();
        assert!(two.granted().await);
        assert!(!one.may_write() && two.may_write());
        assert!(seconds_since(zero) <= 62, "the next look is at most a retry period away");
        let spec = server.lease().unwrap().spec.unwrap();
        assert!(spec.holder_identity.unwrap().starts_with("two_"));
        assert_eq!((spec.lease_transitions, spec.lease_duration_seconds), (Some(1), Some(15)));
    };
    let others = async {
        tokio::select! {
            ending = follow(&one, second) => panic!("{ending:?}"),
            () = within_an_hour(story) => {}
        }
    };
    let (ending, ()) = tokio::join!(first.run(stop.clone()), others);
    assert_eq!(ending, Ending::Stopped);
}

#[tokio::test(start_paused = true)]
async fn a_holder_without_an_answer_stops_in_time_and_is_succeeded() {
    // Created at zero, renewed three times; from then on the server hears nothing.
    let silent = [vec![Mishap::None; 5], vec![Mishap::Unheard; 100]].concat();
    let server = Server::default();
    let zero = clock::now();
    let (first, one) = Election::new(server.client(silent), "one", Settings::default()).unwrap();
    let (second, two) = Election::new(server.client(vec![]), "two", Settings::default()).unwrap();
    let lost = async {
        one.lost().await;
        (seconds_since(zero), one.may_write())
    };
    let took_over = async {
        assert!(two.granted().await);
        seconds_since(zero)
    };
    let story = async {
        let (ending, lost, took_over) = tokio::join!(first.run(CancellationToken::new()), lost, took_over);
        assert_eq!(ending, Ending::Lost(Reason::NotRenewed));
        assert_eq!(lost, (6 + 10, false));
        assert!(
            (6 + 15..=6 + 17).contains(&took_over),
            "the renewal at 6 is seen at the next look: {took_over}"
        );
    };
    tokio::select! {
        ending = follow(&one, second) => panic!("the second holds on: {ending:?}"),
        () = within_an_hour(story) => {}
    }
}

#[tokio::test(start_paused = true)]
async fn a_lost_answer_is_found_out_by_looking() {
    let server = Server::default();
    let lossy = [Mishap::None, Mishap::AnswerLost, Mishap::None, Mishap::None, Mishap::AnswerLost];
    let (election, leadership) =
        Election::new(server.client(lossy.to_vec()), "one", Settings::default()).unwrap();
    let (zero, stop) = (clock::now(), CancellationToken::new());
    let story = async {
        assert!(leadership.granted().await);
        assert_eq!(seconds_since(zero), 5, "it holds since its first look after half a deadline in vain");
        clock::until(Some(zero + SECOND * 60)).await;
        assert!(leadership.may_write());
        stop.cancel();
    };
    let (ending, ()) = tokio::join!(election.run(stop.clone()), within_an_hour(story));
    assert_eq!(ending, Ending::Stopped);
    let spec = server.lease().unwrap().spec.unwrap();
    assert_eq!(spec.holder_identity.as_deref(), Some(""));
    assert_eq!((spec.lease_transitions, spec.lease_duration_seconds), (Some(0), Some(1)));
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_is_taken_or_deleted_ends_the_term_at_the_next_renewal() {
    for (deleted, reason) in [(false, Reason::Taken), (true, Reason::Deleted)] {
        let server = Server::default();
        let (election, leadership) =
            Election::new(server.client(vec![]), "one", Settings::default()).unwrap();
        let story = async {
            assert!(leadership.granted().await);
            server.meddle(|lease| {
                if deleted {
                    *lease = None;
                } else if let Some(spec) = lease.as_mut().and_then(|lease| lease.spec.as_mut()) {
                    spec.holder_identity = Some("somebody".into());
                }
            });
            let meddled = clock::now();
            leadership.lost().await;
            assert!(clock::now() - meddled <= Settings::default().retry * 2);
        };
        let (ending, ()) = tokio::join!(election.run(CancellationToken::new()), within_an_hour(story));
        assert_eq!(ending, Ending::Lost(reason));
        assert!(!leadership.may_write());
    }
}

#[test]
fn no_two_candidacies_have_one_name() {
    let (one, other) = (unique("pod-0"), unique("pod-0"));
    assert!(one.starts_with("pod-0_") && one.len() == "pod-0_".len() + 16);
    assert_ne!(one, other);
}

#[test]
fn an_election_can_run_as_a_task() {
    fn is_task<T: Future + Send + 'static>(_: fn(Election<LeaseObject>, CancellationToken) -> T) {}
    is_task(Election::<LeaseObject>::run);
}
