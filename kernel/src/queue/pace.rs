//! Rate limit for passes of one key: a burst, so that work in steps proceeds without a pause; then one per interval, so that
//! a stream of events does not become a stream of writes. Pure; used by the queue.

use std::collections::HashMap;
use std::hash::Hash;
use std::time::{Duration, Instant};

/// The number of keys above which those with a full burst are forgotten.
const FEW: usize = 64;

/// The remaining burst of each key.
#[derive(Debug)]
pub(super) struct Pace<K> {
    at_once: u32,
    every: Duration,
    /// When a key has its full burst again. Keys without an entry have it now.
    full: HashMap<K, Instant>,
    sweep_at: usize,
}

impl<K: Clone + Eq + Hash> Pace<K> {
    /// A burst of so many passes, and then one per interval.
    pub(super) fn new(at_once: u32, every: Duration) -> Self {
        Self { at_once: at_once.max(1), every, full: HashMap::new(), sweep_at: FEW }
    }

    /// When the next pass of a key may start; `None` if it may start at any time.
    pub(super) fn earliest(&self, key: &K) -> Option<Instant> {
        self.full.get(key)?.checked_sub(self.every.saturating_mul(self.at_once - 1))
    }

    /// A pass starts.
    pub(super) fn spend(&mut self, key: &K, now: Instant) {
        if self.full.len() >= self.sweep_at {
            self.full.retain(|_, full| *full > now);
            self.sweep_at = FEW.max(self.full.len() * 2);
        }
        let full = self.full.entry(key.clone()).or_insert(now);
        // Requeued passes are not limited, so there may be many of them: they do not delay the next event further.
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
    fn after_a_burst_passes_are_one_interval_apart_until_a_pause() {
        let (mut pace, zero) = (Pace::new(3, EVERY), start());
        for _ in 0..3 {
            assert!(pace.earliest(&1).is_none_or(|earliest| earliest <= zero));
            pace.spend(&1, zero);
        }
        assert_eq!(pace.earliest(&1), Some(zero + EVERY));
        assert_eq!(pace.earliest(&2), None, "each key has its own burst");
        pace.spend(&1, zero + EVERY);
        assert_eq!(pace.earliest(&1), Some(zero + EVERY * 2));
        for _ in 0..3 {
            let later = zero + EVERY * 20;
            assert!(pace.earliest(&1).is_none_or(|earliest| earliest <= later));
            pace.spend(&1, later);
        }
    }

    #[test]
    fn passes_that_are_not_limited_delay_the_next_by_one_interval_at_most() {
        let (mut pace, zero) = (Pace::new(3, EVERY), start());
        (0..100).for_each(|_| pace.spend(&1, zero));
        assert_eq!(pace.earliest(&1), Some(zero + EVERY));
    }

    #[test]
    fn idle_keys_are_forgotten() {
        let (mut pace, mut now) = (Pace::new(3, EVERY), start());
        for key in 0..10_000 {
            pace.spend(&key, now);
            now += EVERY;
        }
        assert!(pace.full.len() <= FEW * 2, "{}", pace.full.len());
    }
}
