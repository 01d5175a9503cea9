//! The permission to write: valid by the clock, independent of any task.

use std::time::Instant;

use tokio::sync::watch;

use crate::clock;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Not granted yet.
    Waiting,
    /// Granted, until this moment unless extended before.
    Held { until: Instant },
    /// Over, and never granted again.
    Over,
}

/// The permission to write, for one term. Cheap to clone; check it before every write.
#[derive(Debug, Clone)]
pub struct Leadership(Option<watch::Receiver<State>>);

/// The other end of a leadership: the election extends it.
#[derive(Debug)]
pub(super) struct Term(watch::Sender<State>);

/// A leadership that is not granted yet, and its other end.
pub(super) fn term() -> (Term, Leadership) {
    let (sender, receiver) = watch::channel(State::Waiting);
    (Term(sender), Leadership(Some(receiver)))
}

impl Leadership {
    /// A leadership that is always valid: for tests, and for a process that runs without election.
    pub fn always() -> Self {
        Self(None)
    }

    /// Whether a write may start now. Once it turned from true to false, it stays false.
    pub fn may_write(&self) -> bool {
        let Some(receiver) = &self.0 else { return true };
        // The clock is read while the state cannot change: a later extension sees a later moment, so it cannot revive a term
        // that was found expired here.
        match *receiver.borrow() {
            State::Held { until } => clock::now() < until,
            State::Waiting | State::Over => false,
        }
    }

    /// Waits until it is granted. Returns `false` if that will never happen.
    pub async fn granted(&self) -> bool {
        let Some(receiver) = &self.0 else { return true };
        let mut receiver = receiver.clone();
        match receiver.wait_for(|state| *state != State::Waiting).await {
            Ok(state) => matches!(*state, State::Held { .. }),
            Err(_) => false,
        }
    }

    /// Waits until it is over: lost, released, or never to be granted. It also notices that time has passed.
    pub async fn lost(&self) {
        let Some(receiver) = &self.0 else { return std::future::pending().await };
        let mut receiver = receiver.clone();
        loop {
            let until = match *receiver.borrow_and_update() {
                State::Waiting => None,
                State::Held { until } => Some(until),
                State::Over => return,
            };
            if until.is_some_and(|until| clock::now() >= until) {
                return;
            }
            tokio::select! {
                changed = receiver.changed() => if changed.is_err() {
                    // The election was dropped. The present term expires.
                    if until.is_some() {
                        clock::until(until).await;
                    }
                    return;
                },
                () = clock::until(until) => {}
            }
        }
    }
}

impl Term {
    /// Grants or extends. Returns `false` if that moment is past; a term that expired before stays over.
    pub(super) fn extend(&self, until: Instant) -> bool {
        let mut extended = false;
        self.0.send_if_modified(|state| {
            let now = clock::now();
            let before = *state;
            *state = match before {
                State::Held { until: end } if now >= end => State::Over,
                State::Waiting | State::Held { .. } if now < until => State::Held { until },
                State::Waiting | State::Held { .. } | State::Over => before,
            };
            extended = *state == State::Held { until };
            *state != before
        });
        extended
    }

    /// Ends it.
    pub(super) fn end(&self) {
        self.0.send_replace(State::Over);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures::FutureExt;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn a_leadership_expires_by_the_clock_and_stays_expired() {
        let (term, leadership) = term();
        assert!(!leadership.may_write());
        assert_eq!(leadership.granted().now_or_never(), None);
        let zero = clock::now();
        assert!(term.extend(zero + SECOND * 10));
        assert!(leadership.granted().await && leadership.may_write());
        tokio::time::advance(SECOND * 9).await;
        assert!(leadership.may_write());
        assert_eq!(leadership.lost().now_or_never(), None);
        tokio::time::advance(SECOND).await;
        assert!(!leadership.may_write());
        assert!(leadership.lost().now_or_never().is_some());
        assert!(!term.extend(clock::now() + SECOND * 10), "a late answer does not extend an expired term");
        assert!(!leadership.may_write());
        assert!(!leadership.granted().await);
    }

    #[tokio::test(start_paused = true)]
    async fn an_extension_moves_the_end_and_a_stale_one_does_nothing() {
        let (term, leadership) = term();
        assert!(!term.extend(clock::now()), "the end is already past");
        let zero = clock::now();
        assert!(term.extend(zero + SECOND * 10));
        tokio::time::advance(SECOND * 5).await;
        assert!(term.extend(zero + SECOND * 15));
        let lost = leadership.lost();
        lost.await;
        assert!(clock::now() >= zero + SECOND * 15);
    }

    #[tokio::test(start_paused = true)]
    async fn the_leadership_of_a_dropped_election_expires() {
        let (dropped, waiting) = term();
        drop(dropped);
        waiting.lost().await;
        assert!(!waiting.granted().await);
        let (term, held) = term();
        let end = clock::now() + SECOND;
        assert!(term.extend(end));
        drop(term);
        assert!(held.may_write(), "it was granted, and no other process can lead before its end");
        held.lost().await;
        assert!(!held.may_write() && clock::now() >= end);
    }

    #[tokio::test]
    async fn without_election_a_process_may_always_write() {
        let leadership = Leadership::always();
        assert!(leadership.may_write() && leadership.granted().await);
        assert_eq!(leadership.lost().now_or_never(), None);
    }
}
