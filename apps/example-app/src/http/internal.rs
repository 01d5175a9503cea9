//! What replicas ask of the writer, and what an operator asks of it around a migration.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Refusal;
use crate::app::App;
use crate::gate;
use crate::store::{CopyPage, Delta};

/// About how many bytes a page of changes or of a copy has.
const PAGE_BYTES: usize = 4 << 20;
/// The longest that a follower may wait for the next change.
const WAIT_LIMIT: u64 = 60;
/// The longest hold.
const HOLD_LIMIT: u64 = 3600;

/// Since when, and how long to wait for something to happen.
#[derive(Debug, Deserialize)]
pub(super) struct Since {
    history: u64,
    after: u64,
    #[serde(default)]
    wait: u64,
}

/// What happened after a revision; 410 when only a whole copy helps.
pub(super) async fn changes(
    State(app): State<Arc<App>>,
    Query(since): Query<Since>,
) -> Result<Json<Delta>, Refusal> {
    let wait = Duration::from_secs(since.wait.min(WAIT_LIMIT));
    let look = move |store: &crate::store::Store| store.delta(since.history, since.after, PAGE_BYTES);
    let mut delta = app.look(look).await?;
    if delta.as_ref().is_some_and(|delta| delta.revision == since.after) && !wait.is_zero() {
        tokio::select! {
            _ = app.reach(since.after.saturating_add(1), wait) => {}
            () = app.stopped() => {}
        }
        delta = app.look(look).await?;
    }
    delta.map(Json).ok_or_else(|| {
        Refusal::new(
            StatusCode::GONE,
            "the log does not reach back so far, or counts another history; copy everything",
        )
    })
}

/// Where in the copy.
#[derive(Debug, Deserialize)]
pub(super) struct After {
    #[serde(default)]
    after: String,
}

/// A part of everything.
pub(super) async fn copy(
    State(app): State<Arc<App>>,
    Query(after): Query<After>,
) -> Result<Json<CopyPage>, Refusal> {
    Ok(Json(app.look(move |store| store.copy_page(&after.after, PAGE_BYTES)).await?))
}

/// For how long.
#[derive(Debug, Deserialize)]
pub(super) struct Hold {
    seconds: Option<u64>,
}

/// Holds writes: answered once none is under way. Asked again, it holds from then on.
pub(super) async fn hold(
    State(app): State<Arc<App>>,
    Query(hold): Query<Hold>,
) -> Result<Json<Value>, Refusal> {
    let seconds = hold.seconds.unwrap_or(60).min(HOLD_LIMIT);
    app.gate.hold(Duration::from_secs(seconds)).await?;
    let revision = app.look(crate::store::Store::facts).await?.revision;
    Ok(Json(json!({ "writes": "held", "seconds": seconds, "revision": revision })))
}

/// Lets writes pass again; 409 when they cannot.
pub(super) async fn release(State(app): State<Arc<App>>) -> Result<Json<Value>, Refusal> {
    match app.gate.release().await {
        gate::State::Open => Ok(Json(json!({ "writes": "open" }))),
        gate::State::Held => Err(Refusal::new(
            StatusCode::CONFLICT,
            "a migration reads the data; writes pass when it has ended",
        )),
        gate::State::Moved => Err(Refusal::new(
            StatusCode::CONFLICT,
            "the data were migrated; restart with the version they belong to, or run `migrate --back`",
        )),
        gate::State::Closing => Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "the server stops")),
    }
}
