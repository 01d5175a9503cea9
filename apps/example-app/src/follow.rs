//! The task of a follower: keeps the store of this replica the same as the writer's. Every round starts from the state
//! of the store, so the task can be stopped at any point.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::body::Bytes;
use axum::http::{Method, StatusCode};
use serde::de::DeserializeOwned;

use crate::app::{App, Progress};
use crate::clock::{self, Deadline};
use crate::console::{Level, chain, log};
use crate::leader::{Answer, Leader, LeaderError};
use crate::store::{CopyPage, Delta, Store, StoreError};

/// How many seconds the writer may wait for a change before it answers.
const WAIT: u64 = 20;
/// How long a request may take: the wait, and time to transfer the answer.
const LIMIT: Duration = Duration::from_secs(WAIT + 20);

/// Why a round failed.
#[derive(Debug, thiserror::Error)]
pub enum FollowError {
    /// The request to the writer failed.
    #[error(transparent)]
    Leader(#[from] LeaderError),
    /// The store of this replica could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The writer answered with an error.
    #[error("the writer answered {0}")]
    Refused(StatusCode),
    /// The answer of the writer is not the expected JSON.
    #[error("cannot parse the answer of the writer")]
    Answer(#[from] serde_json::Error),
    /// The writer has lost its data.
    #[error(
        "the writer is empty and this replica has {0} items: nothing is copied, so that they are not lost; restore the writer's data, or delete the data of this replica"
    )]
    EmptyWriter(u64),
}

/// Follows the writer until the task is cancelled.
pub async fn follow(app: &App, leader: &Leader) {
    let last_error = Mutex::new(String::new());
    clock::repeat(Duration::from_millis(500), async || {
        // The next round follows a successful one at once: the writer delays its answer until there is a change.
        let mut succeeded = false;
        let error = loop {
            match round(app, leader).await {
                Ok(()) => succeeded = true,
                Err(error) => break chain(&error),
            }
        };
        // The same error is logged once.
        let mut last_error = last_error.lock().unwrap_or_else(PoisonError::into_inner);
        if succeeded || *last_error != error {
            log(Level::Warning, format!("cannot follow the writer: {error}"));
            *last_error = error;
        }
    })
    .await;
}

async fn round(app: &App, leader: &Leader) -> Result<(), FollowError> {
    let facts = app.with_store(Store::facts).await?;
    // The first request does not wait: its answer says how far behind this replica is.
    let wait = if app.progress.borrow().is_some() { WAIT } else { 0 };
    let path = format!("/internal/changes?history={}&after={}&wait={wait}", facts.history, facts.revision);
    let answer = leader.ask(Method::GET, &path, Bytes::new(), LIMIT).await?;
    if answer.status == StatusCode::GONE {
        return copy(app, leader).await;
    }
    let delta: Delta = parse(&answer)?;
    let (lag, changed) = (delta.revision.saturating_sub(delta.up_to), delta.up_to != facts.revision);
    if changed {
        app.with_store(move |store| store.apply(&delta)).await?;
    }
    let good_until = Deadline::after(app.limits.silence);
    app.progress.send_replace(Some(Progress { lag, good_until }));
    Ok(())
}

fn parse<T: DeserializeOwned>(answer: &Answer) -> Result<T, FollowError> {
    if answer.status != StatusCode::OK {
        return Err(FollowError::Refused(answer.status));
    }
    Ok(serde_json::from_slice(&answer.body)?)
}

async fn copy(app: &App, leader: &Leader) -> Result<(), FollowError> {
    let mut after = String::new();
    let mut first_page = None;
    loop {
        let query = percent_encode(&after);
        let answer =
            leader.ask(Method::GET, &format!("/internal/copy?after={query}"), Bytes::new(), LIMIT).await?;
        let page: CopyPage = parse(&answer)?;
        let (history, revision) = *first_page.get_or_insert((page.history, page.revision));
        let items = app.with_store(Store::facts).await?.items;
        if revision == 0 && items > 0 {
            return Err(FollowError::EmptyWriter(items));
        }
        if page.history != history {
            // The writer's data were replaced meanwhile; the next round starts the copy again.
            return Ok(());
        }
        let (start, next) = (after.clone(), page.next.clone());
        app.with_store(move |store| store.apply_page(&start, &page)).await?;
        let Some(next) = next else {
            app.with_store(move |store| store.finish_copy(history, revision)).await?;
            log(Level::Info, format!("copied all items from the writer, revision {revision}"));
            return Ok(());
        };
        after = next;
    }
}

/// Percent-encodes a key for a query.
fn percent_encode(key: &str) -> String {
    use std::fmt::Write;
    key.bytes().fold(String::new(), |mut text, byte| {
        if byte.is_ascii_alphanumeric() {
            text.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(text, "%{byte:02X}");
        }
        text
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_key_is_percent_encoded() {
        assert_eq!(super::percent_encode("a b/ü&1"), "a%20b%2F%C3%BC%261");
    }
}
