//! The only module of this crate that reads the clock and waits. Callers pass a condition and a limit; nothing sleeps
//! for a fixed time.

use std::fmt;
use std::future::Future;
use std::time::{Duration, Instant};

/// A running stopwatch.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts now.
    #[expect(clippy::disallowed_methods, reason = "this is the crate's clock")]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

/// A duration in a readable form: `0.4 s`, `12.3 s`, `4 min 05 s`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span(pub Duration);

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.as_secs();
        if seconds < 100 {
            write!(f, "{:.1} s", self.0.as_secs_f64())
        } else {
            write!(f, "{} min {:02} s", seconds / 60, seconds % 60)
        }
    }
}

/// How often a condition is checked while waiting for it.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Calls `probe` until it returns a value, at most for `limit`. Returns `None` when the time is up.
#[expect(clippy::disallowed_methods, reason = "this is the crate's clock")]
pub async fn wait_for<T, F, Fut>(limit: Duration, mut probe: F) -> Option<T>
where
    F: FnMut() -> Fut,
    Fut: Future<Output = Option<T>>,
{
    let watch = Stopwatch::start();
    loop {
        if let Some(found) = probe().await {
            return Some(found);
        }
        if watch.elapsed() > limit {
            return None;
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

/// The blocking form of [`wait_for`], for code outside of an async runtime, such as destructors.
#[expect(clippy::disallowed_methods, reason = "this is the crate's clock")]
pub fn wait_until(limit: Duration, mut holds: impl FnMut() -> bool) -> bool {
    let watch = Stopwatch::start();
    loop {
        if holds() {
            return true;
        }
        if watch.elapsed() > limit {
            return false;
        }
        std::thread::sleep(POLL_INTERVAL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_readable() {
        assert_eq!(Span(Duration::from_millis(420)).to_string(), "0.4 s");
        assert_eq!(Span(Duration::from_secs(245)).to_string(), "4 min 05 s");
    }

    #[test]
    fn waiting_ends_when_the_condition_holds_or_the_time_is_up() {
        let mut checks = 0;
        assert!(wait_until(Duration::from_secs(5), || {
            checks += 1;
            checks == 3
        }));
        assert_eq!(checks, 3);
        assert!(!wait_until(Duration::ZERO, || false));
    }
}
