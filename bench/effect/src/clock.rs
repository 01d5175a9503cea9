//! Waits for the effect of a change. The only module of this crate that waits. It polls often, because the interval
//! limits the precision.

use std::time::Duration;

use anyhow::{Result, bail};
use e2e::wait::Look;
use lab::clock::{Span, Stopwatch};

/// The time between two requests, in addition to the time that a request takes.
const POLL_EVERY: Duration = Duration::from_millis(20);

/// How long a change can take. The kubelet refreshes the files of a pod every 60 to 90 s.
const LIMIT: Duration = Duration::from_mins(4);

/// Calls `look` until it finds the effect, and returns the time on the watch. Errors count as "not yet".
pub(crate) async fn until(
    watch: &Stopwatch,
    what: &str,
    look: impl AsyncFnMut() -> Result<Look<()>>,
) -> Result<Duration> {
    within(LIMIT, watch, what, look).await
}

async fn within(
    limit: Duration,
    watch: &Stopwatch,
    what: &str,
    mut look: impl AsyncFnMut() -> Result<Look<()>>,
) -> Result<Duration> {
    loop {
        let seen = match look().await {
            Ok(Look::Found(())) => return Ok(watch.elapsed()),
            Ok(Look::NotYet(seen)) => seen,
            Err(error) => format!("{error:#}"),
        };
        if watch.elapsed() >= limit {
            bail!("waited {} for {what}; last seen: {seen}", Span(watch.elapsed()));
        }
        pause(POLL_EVERY).await;
    }
}

/// Waits between two changes.
#[expect(clippy::disallowed_methods, reason = "this is where the crate waits")]
pub(crate) async fn pause(time: Duration) {
    tokio::time::sleep(time).await;
}

#[cfg(test)]
mod tests {
    use e2e::wait::holds;

    use super::*;

    #[tokio::test]
    async fn the_time_is_that_of_the_call_that_found_it() {
        let (watch, mut looks) = (Stopwatch::start(), 0_u32);
        let took = until(&watch, "the third call", async || {
            looks += 1;
            Ok(holds(looks == 3, ""))
        });
        assert!(took.await.unwrap() >= POLL_EVERY * 2);
        assert_eq!(looks, 3);
    }

    #[tokio::test]
    async fn the_error_of_a_wait_names_the_condition_and_what_was_last_seen() {
        let waited =
            within(Duration::ZERO, &Stopwatch::start(), "rain", async || Ok(holds(false, "sun"))).await;
        assert_eq!(waited.unwrap_err().to_string(), "waited 0.0 s for rain; last seen: sun");
    }
}
