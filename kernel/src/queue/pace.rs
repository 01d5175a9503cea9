//! How soon passes of one key may follow each other. A few at once, so that work in steps goes on without a pause; then one
//! at a time, so that a stream of events does not become a stream of writes. Pure; used by the queue.

use std::collections::HashMap;
use std::hash::Hash;
use std::time::{Duration, Instant};

/// So many keys are remembered before those are forgotten that have all their passes in hand again.
const FEW: usize = 64;

/// The passes of each key that are under way.
#[derive(Debug)]
pub(super) struct Pace<K> {
    at_once: u32,
    every: Duration,
    /// When a key will have all of them again. Who is not here has them.
    full: HashMap<K, Instant>,
    sweep_at: usize,
}

impl<K: Clone + Eq + Hash> Pace<K> {
    /// So many passes of a key at once, and then one every so often.
    pub(super) fn new(at_once: u32, every: Duration) -> Self {
        Self { at_once: at_once.max(1), every, full: HashMap::new(), sweep_at: FEW }
    }

    /// When the next pass of a key may begin; nothing, if it may at any time.
    pub(super) fn earliest(&self, key: &K) -> Option<Instant> {
        self.full.get(key)?.checked_sub(self.every.saturating_mul(self.at_once - 1))
    }

    /// A pass begins.
    pub(super) fn spend(&mut self, key: &K, now: Instant) {
        if self.full.len() >= self.sweep_at {
            self.full.retain(|_, full| *full > now);
            self.sweep_at = FEW.max(self.full.len() * 2);
        }
        let full = self.full.entry(key.clone()).or_insert(now);
        // A pass that asked for itself may come before its turn, and more than once: the next event waits no longer for that.
        *full = (now.max(*full) + self.every).min(now + self.every.saturating_mul(self.at_once));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVERY: Duration = Duration::from_millis(250);

    #[expect(clippy::disallowed_methods, reason = "a test needs some moment to count from")]
    fn start() -> Instant {
        Instant::now()
    }

    #[test]
    fn a_few_at_once_then_one_at_a_time_and_all_again_after_a_pause() {
        let (mut pace, zero) = (Pace::new(3, EVERY), start());
        for _ in 0..3 {
            assert!(pace.earliest(&1).is_none_or(|earliest| earliest <= zero));
            pace.spend(&1, zero);
        }
        assert_eq!(pace.earliest(&1), Some(zero + EVERY));
        assert_eq!(pace.earliest(&2), None, "others have their own");
        pace.spend(&1, zero + EVERY);
        assert_eq!(pace.earliest(&1), Some(zero + EVERY * 2));
        for _ in 0..3 {
            let later = zero + EVERY * 20;
            assert!(pace.earliest(&1).is_none_or(|earliest| earliest <= later));
            pace.spend(&1, later);
        }
    }

    #[test]
    fn whoever_came_before_its_turn_owes_one_turn_and_no_more() {
        let (mut pace, zero) = (Pace::new(3, EVERY), start());
        (0..100).for_each(|_| pace.spend(&1, zero));
        assert_eq!(pace.earliest(&1), Some(zero + EVERY));
    }

    #[test]
    fn keys_that_rest_take_no_memory_for_long() {
        let (mut pace, mut now) = (Pace::new(3, EVERY), start());
        for key in 0..10_000 {
            pace.spend(&key, now);
            now += EVERY;
        }
        assert!(pace.full.len() <= FEW * 2, "{}", pace.full.len());
    }
}
