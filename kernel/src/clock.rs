//! The only file of this crate that reads the clock and that waits. Tests pause and advance the clock.

use std::time::Instant;

use k8s_openapi::jiff::Timestamp;

/// The present moment of the monotonic clock.
pub fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

/// Waits until a moment; forever if there is none.
pub async fn until(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment.into()).await,
        None => std::future::pending().await,
    }
}

/// The wall clock: for people to read, never to measure durations.
pub fn timestamp() -> Timestamp {
    Timestamp::now()
}
