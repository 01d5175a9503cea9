//! The only reader of the machine's clocks in this crate, and the only place that waits without being woken.

use std::time::{Duration, Instant};

use jiff::Timestamp;

/// Counts from its own start. What is decided by time takes these moments, not the machine's.
#[derive(Debug, Clone, Copy)]
pub struct Clock(Instant);

impl Clock {
    /// Begins to count.
    #[expect(clippy::disallowed_methods, reason = "this is the crate's clock")]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// How long ago that was.
    pub fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

/// A moment that will come, or has.
#[derive(Debug, Clone, Copy)]
pub struct Deadline(Instant);

impl Deadline {
    /// So long from now.
    #[expect(clippy::disallowed_methods, reason = "this is the crate's clock")]
    pub fn after(duration: Duration) -> Self {
        Self(Instant::now() + duration)
    }

    /// What is left of it; nothing once it has passed.
    #[expect(clippy::disallowed_methods, reason = "this is the crate's clock")]
    pub fn left(&self) -> Duration {
        self.0.saturating_duration_since(Instant::now())
    }
}

/// The time of day, for people.
pub fn timestamp() -> Timestamp {
    Timestamp::now()
}

/// Looks every `pause` until `look` gives a value, at most for `limit`. `None` when the time is up.
#[expect(clippy::disallowed_methods, reason = "this is the crate's clock")]
pub fn wait_for<T>(limit: Duration, pause: Duration, mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let deadline = Deadline::after(limit);
    loop {
        if let Some(found) = look() {
            return Some(found);
        }
        if deadline.left().is_zero() {
            return None;
        }
        std::thread::sleep(pause.min(deadline.left()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_ends_when_the_condition_holds_or_the_time_is_up() {
        let mut looks = 0;
        let found = wait_for(Duration::from_secs(5), Duration::from_millis(1), || {
            looks += 1;
            (looks == 3).then_some("third")
        });
        assert_eq!(found, Some("third"));
        assert_eq!(wait_for(Duration::ZERO, Duration::from_millis(1), || None::<()>), None);
    }
}
