//! Limits the rate of requests: a number of requests at once, and one more each interval. Pure.

use std::time::Duration;

/// A token bucket: has one token for each request that is allowed.
#[derive(Debug)]
pub(super) struct RateLimiter {
    burst: u32,
    interval: Duration,
    tokens: u32,
    counted: Duration,
}

impl RateLimiter {
    /// A limiter with all tokens at `now`.
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
    fn a_burst_is_allowed_and_then_one_request_each_interval() {
        let second = Duration::from_secs;
        let mut limit = RateLimiter::new(2, second(10), second(100));
        let mut allowed = |moment| limit.allows(second(moment));
        let answers = [100, 100, 100, 109, 110, 110, 125, 130, 130, 1000, 1000, 1000].map(&mut allowed);
        assert_eq!(answers, [true, true, false, false, true, false, true, true, false, true, true, false]);
    }
}
