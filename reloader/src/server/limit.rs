//! How many requests are answered: so many at once, and one more each interval. Pure.

use std::time::Duration;

/// Holds a token for each request that may still be answered.
#[derive(Debug)]
pub(super) struct Limit {
    burst: u32,
    interval: Duration,
    tokens: u32,
    counted: Duration,
}

impl Limit {
    /// Full, at the moment `now`.
    pub(super) fn new(burst: u32, interval: Duration, now: Duration) -> Self {
        Self { burst, interval, tokens: burst, counted: now }
    }

    /// Takes a token, if there is one.
    pub(super) fn allows(&mut self, now: Duration) -> bool {
        while self.tokens < self.burst && now >= self.counted + self.interval {
            self.tokens += 1;
            self.counted += self.interval;
        }
        if self.tokens == self.burst {
            self.counted = now;
        }
        let allowed = self.tokens > 0;
        self.tokens -= u32::from(allowed);
        allowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_answered_and_then_one_each_interval() {
        let second = Duration::from_secs;
        let mut limit = Limit::new(2, second(10), second(100));
        let mut allowed = |moment| limit.allows(second(moment));
        let answers = [100, 100, 100, 109, 110, 110, 125, 130, 130, 1000, 1000, 1000].map(&mut allowed);
        assert_eq!(answers, [true, true, false, false, true, false, true, true, false, true, true, false]);
    }
}
