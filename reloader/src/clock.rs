//! The only file of this crate that reads a clock or sleeps.

use std::time::{Duration, Instant};

use jiff::Timestamp;

/// A monotonic clock that starts at zero. Decisions get its values as arguments.
#[derive(Debug, Clone, Copy)]
pub struct Clock(Instant);

impl Clock {
    /// Starts the clock.
    #[expect(clippy::disallowed_methods, reason = "this is the crate's clock")]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// The time since the start.
    pub fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

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
}

/// The current time of day.
pub fn timestamp() -> Timestamp {
    Timestamp::now()
}

/// Calls `look` every `pause` until it returns a value, at most for `limit`. `None` when the time is up.
#[expect(clippy::disallowed_methods, reason = "this is the crate's clock")]
pub fn wait_for<T>(limit: Duration, pause: Duration, mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let deadline = Deadline::after(limit);
    loop {
        if let Some(found) = look() {
            return Some(found);
        }
        if deadline.remaining().is_zero() {
            return None;
        }
        std::thread::sleep(pause.min(deadline.remaining()));
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
