//! The only reader of the machine's clock in this crate, and the only place that waits.
//! Tests stop it and turn it by hand.

use std::time::Instant;

use k8s_openapi::jiff::Timestamp;

/// Now.
pub fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

/// Waits until a moment; for ever if there is none.
pub async fn until(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment.into()).await,
        None => std::future::pending().await,
    }
}

/// What the calendar says: for what people and others read, never to measure with.
pub fn timestamp() -> Timestamp {
    Timestamp::now()
}
