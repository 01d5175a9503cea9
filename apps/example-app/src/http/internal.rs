//! The endpoints for replicas, and for an operator before and after a migration.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use super::HttpError;
use crate::app::App;
use crate::gate;
use crate::store::{CopyPage, Delta};

/// The approximate size of a page of changes or of a copy, in bytes.
const PAGE_BYTES: usize = 4 << 20;
/// How many seconds a follower may wait for the next change at most.
const WAIT_LIMIT: u64 = 60;
/// How many seconds writes can be held at most.
const HOLD_LIMIT: u64 = 3600;

/// The parameters of `changes`: the revision of the follower, and how many seconds to wait for a newer one.
#[derive(Debug, Deserialize)]
pub(super) struct Since {
    history: u64,
    after: u64,
    #[serde(default)]
    wait: u64,
}

/// The changes after a revision; 410 when the follower has to copy all items.
pub(super) async fn changes(
    State(app): State<Arc<App>>,
    Query(since): Query<Since>,
) -> Result<Json<Delta>, HttpError> {
    let wait = Duration::from_secs(since.wait.min(WAIT_LIMIT));
    let read = move |store: &crate::store::Store| store.delta(since.history, since.after, PAGE_BYTES);
    let mut delta = app.with_store(read).await?;
    if delta.as_ref().is_some_and(|delta| delta.revision == since.after) && !wait.is_zero() {
        tokio::select! {
            _ = app.reach(since.after.saturating_add(1), wait) => {}
            () = app.stopped() => {}
        }
        delta = app.with_store(read).await?;
    }
    delta.map(Json).ok_or_else(|| {
        HttpError::new(
            StatusCode::GONE,
            "the log has no changes that old, or is of another history; copy all items",
        )
    })
}

/// The parameter of `copy`: the last key of the page before.
#[derive(Debug, Deserialize)]
pub(super) struct After {
    #[serde(default)]
    after: String,
}

/// One page of all items.
pub(super) async fn copy(
    State(app): State<Arc<App>>,
    Query(after): Query<After>,
) -> Result<Json<CopyPage>, HttpError> {
    Ok(Json(app.with_store(move |store| store.copy_page(&after.after, PAGE_BYTES)).await?))
}

/// The parameter of `hold`.
#[derive(Debug, Deserialize)]
pub(super) struct Hold {
    seconds: Option<u64>,
}

/// Holds writes; answered once no write is in progress. A second request restarts the time.
pub(super) async fn hold(
    State(app): State<Arc<App>>,
    Query(hold): Query<Hold>,
) -> Result<Json<Value>, HttpError> {
    let seconds = hold.seconds.unwrap_or(60).min(HOLD_LIMIT);
    app.gate.hold(Duration::from_secs(seconds)).await?;
    let revision = app.with_store(crate::store::Store::facts).await?.revision;
    Ok(Json(json!({ "writes": "held", "seconds": seconds, "revision": revision })))
}

/// Ends the hold; 409 when the writes have to stay held.
pub(super) async fn release(State(app): State<Arc<App>>) -> Result<Json<Value>, HttpError> {
    match app.gate.release().await {
        gate::State::Open => Ok(Json(json!({ "writes": "open" }))),
        gate::State::Held => Err(HttpError::new(
            StatusCode::CONFLICT,
            "a migration reads the data; writes continue when it has ended",
        )),
        gate::State::Moved => Err(HttpError::new(
            StatusCode::CONFLICT,
            "the data were migrated; restart with the version they belong to, or run `migrate --back`",
        )),
        gate::State::Closing => {
            Err(HttpError::new(StatusCode::SERVICE_UNAVAILABLE, "the server is stopping"))
        }
    }
}
