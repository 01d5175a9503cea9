//! The only file of this crate that reads the clock or sleeps. Every wait has a condition and a limit.

use std::future::Future;
use std::time::{Duration, Instant};

/// A point in time, compared with the clock.
#[derive(Debug, Clone, Copy)]
pub struct Deadline(Instant);

impl Deadline {
    /// The time `duration` from now.
    #[expect(clippy::disallowed_methods, reason = "this is the crate's clock")]
    pub fn after(duration: Duration) -> Self {
        Self(Instant::now() + duration)
    }

    /// The time until then; zero once it has passed.
    #[expect(clippy::disallowed_methods, reason = "this is the crate's clock")]
    pub fn remaining(&self) -> Duration {
        self.0.saturating_duration_since(Instant::now())
    }

    /// Whether it has passed.
    pub fn passed(&self) -> bool {
        self.remaining().is_zero()
    }
}

/// Calls `look` every `pause` until it returns a value, at most for `limit`. `None` when the time is up.
#[expect(clippy::disallowed_methods, reason = "this is the crate's clock")]
pub async fn wait_for<T, F, Fut>(limit: Duration, pause: Duration, mut look: F) -> Option<T>
where
    F: FnMut() -> Fut,
    Fut: Future<Output = Option<T>>,
{
    let deadline = Deadline::after(limit);
    loop {
        if let Some(found) = look().await {
            return Some(found);
        }
        if deadline.passed() {
            return None;
        }
        tokio::time::sleep(pause.min(deadline.remaining())).await;
    }
}

/// Calls `work` every `pause` until the task is cancelled.
#[expect(clippy::disallowed_methods, reason = "this is the crate's clock")]
pub async fn repeat<F, Fut>(pause: Duration, mut work: F)
where
    F: FnMut() -> Fut,
    Fut: Future<Output = ()>,
{
    loop {
        work().await;
        tokio::time::sleep(pause).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn waiting_ends_when_the_condition_holds_or_the_time_is_up() {
        let looks = std::cell::Cell::new(0);
        let look = || async {
            looks.set(looks.get() + 1);
            (looks.get() == 3).then_some("third")
        };
        let pause = Duration::from_millis(1);
        assert_eq!(wait_for(Duration::from_secs(5), pause, look).await, Some("third"));
        assert_eq!(wait_for(Duration::ZERO, pause, || async { None::<()> }).await, None);
    }
}
