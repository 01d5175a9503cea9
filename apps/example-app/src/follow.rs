//! The follower's task: keeps this replica's store the same as the writer's. Every round begins with what the store
//! says, so it can be stopped anywhere.

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

/// How long the writer may wait for something to happen before it answers.
const WAIT: u64 = 20;
/// How long it may take to answer beyond that.
const LIMIT: Duration = Duration::from_secs(WAIT + 20);

/// Why a round ended early.
#[derive(Debug, thiserror::Error)]
pub enum FollowError {
    /// The writer was not reached.
    #[error(transparent)]
    Leader(#[from] LeaderError),
    /// The store refused.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The writer refused.
    #[error("the writer answers {0}")]
    Refused(StatusCode),
    /// The writer's words make no sense.
    #[error("cannot understand the writer")]
    Answer(#[from] serde_json::Error),
    /// The writer has lost its data.
    #[error(
        "the writer is empty and this replica holds {0} items: nothing is copied, so that they are not lost; bring the writer's data back, or empty this volume"
    )]
    EmptyWriter(u64),
}

/// Follows the writer for as long as the task lives.
pub async fn follow(app: &App, leader: &Leader) {
    let told = Mutex::new(String::new());
    clock::repeat(Duration::from_millis(500), async || {
        // A round that went well is followed by the next at once: the writer makes it wait.
        let mut went_well = false;
        let error = loop {
            match round(app, leader).await {
                Ok(()) => went_well = true,
                Err(error) => break chain(&error),
            }
        };
        // The same trouble is told once.
        let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
        if went_well || *told != error {
            log(Level::Warning, format!("following the writer: {error}"));
            *told = error;
        }
    })
    .await;
}

async fn round(app: &App, leader: &Leader) -> Result<(), FollowError> {
    let facts = app.look(Store::facts).await?;
    // The first word is wanted at once, to know how far behind this replica is.
    let wait = if app.progress.borrow().is_some() { WAIT } else { 0 };
    let path = format!("/internal/changes?history={}&after={}&wait={wait}", facts.history, facts.revision);
    let answer = leader.ask(Method::GET, &path, Bytes::new(), LIMIT).await?;
    if answer.status == StatusCode::GONE {
        return copy(app, leader).await;
    }
    let delta: Delta = understood(&answer)?;
    let (lag, news) = (delta.revision.saturating_sub(delta.up_to), delta.up_to != facts.revision);
    if news {
        app.look(move |store| store.apply(&delta)).await?;
    }
    let good_until = Deadline::after(app.limits.silence);
    app.progress.send_replace(Some(Progress { lag, good_until }));
    Ok(())
}

fn understood<T: DeserializeOwned>(answer: &Answer) -> Result<T, FollowError> {
    if answer.status != StatusCode::OK {
        return Err(FollowError::Refused(answer.status));
    }
    Ok(serde_json::from_slice(&answer.body)?)
}

async fn copy(app: &App, leader: &Leader) -> Result<(), FollowError> {
    let mut after = String::new();
    let mut begun = None;
    loop {
        let query = in_query(&after);
        let answer =
            leader.ask(Method::GET, &format!("/internal/copy?after={query}"), Bytes::new(), LIMIT).await?;
        let page: CopyPage = understood(&answer)?;
        let (history, revision) = *begun.get_or_insert((page.history, page.revision));
        let items = app.look(Store::facts).await?.items;
        if revision == 0 && items > 0 {
            return Err(FollowError::EmptyWriter(items));
        }
        if page.history != history {
            // The writer's data were replaced meanwhile; the next round begins again.
            return Ok(());
        }
        let (start, next) = (after.clone(), page.next.clone());
        app.look(move |store| store.apply_page(&start, &page)).await?;
        let Some(next) = next else {
            app.look(move |store| store.finish_copy(history, revision)).await?;
            log(Level::Info, format!("copied everything from the writer, revision {revision}"));
            return Ok(());
        };
        after = next;
    }
}

/// A key as it stands in a query.
fn in_query(key: &str) -> String {
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
    fn a_key_survives_the_query() {
        assert_eq!(super::in_query("a b/ü&1"), "a%20b%2F%C3%BC%261");
    }
}
