//! The only reader of the clock in this crate, and the only place that waits. Tests pause and advance it.

use std::time::Instant;

use k8s_openapi::jiff::Timestamp;

/// Now.
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

/// The wall clock: for what people read, never for measuring.
pub fn timestamp() -> Timestamp {
    Timestamp::now()
}
