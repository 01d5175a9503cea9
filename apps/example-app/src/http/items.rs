//! The endpoints of items. Every replica answers reads; a follower forwards writes to the writer.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{OriginalUri, Path, Query, State};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::json;

use super::{HttpError, REVISION};
use crate::app::App;
use crate::clock;
use crate::leader::{Answer, Leader, LeaderError};
use crate::store::record::checksum;
use crate::version::Schema;

/// The longest key, in bytes.
const KEY_LIMIT: usize = 512;
/// The longest page of a listing.
const PAGE_LIMIT: usize = 1000;

fn checked(key: String) -> Result<String, HttpError> {
    if key.is_empty() || key.len() > KEY_LIMIT || key.chars().any(char::is_control) {
        let text = format!("a key has 1 to {KEY_LIMIT} bytes and no control characters");
        return Err(HttpError::new(StatusCode::BAD_REQUEST, text));
    }
    Ok(key)
}

/// The parameters of a read.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Reading {
    /// Wait until the replica has reached this revision.
    at_least: Option<u64>,
}

/// One item, with its value as the body.
pub(super) async fn get(
    State(app): State<Arc<App>>,
    Path(key): Path<String>,
    Query(reading): Query<Reading>,
) -> Result<Response, HttpError> {
    let key = checked(key)?;
    if let Some(revision) = reading.at_least
        && !app.reach(revision, Duration::from_secs(5)).await
    {
        let text = format!("this replica has not reached revision {revision} yet");
        return Err(HttpError::new(StatusCode::SERVICE_UNAVAILABLE, text));
    }
    let (found, revision) =
        app.with_store(move |store| Ok((store.get(&key)?, store.facts()?.revision))).await?;
    let Some(record) = found else {
        let headers = [(REVISION, revision.to_string())];
        return Ok((headers, HttpError::new(StatusCode::NOT_FOUND, "there is no such item")).into_response());
    };
    let schema = app.store.schema();
    let sum = (schema >= Schema::WithChecksum).then(|| hex(&checksum(&record.value)));
    let value = match String::from_utf8(record.value) {
        Ok(text) if app.features.borrow().upper_case() => text.to_uppercase().into_bytes(),
        Ok(text) => text.into_bytes(),
        Err(error) => error.into_bytes(),
    };
    let headers = [
        (header::CONTENT_TYPE.as_str(), "application/octet-stream".to_owned()),
        (REVISION, revision.to_string()),
    ];
    let mut response = (headers, value).into_response();
    let mut add = |name: &'static str, text: String| {
        if let Ok(text) = HeaderValue::from_str(&text) {
            response.headers_mut().insert(HeaderName::from_static(name), text);
        }
    };
    if schema >= Schema::WithRevision {
        add("x-item-revision", record.written_at.to_string());
    }
    if let Some(sum) = sum {
        add("x-item-sha256", sum);
    }
    Ok(response)
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The parameters of a listing.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Page {
    /// Only keys after this one.
    #[serde(default)]
    after: String,
    /// The largest number of items in the answer.
    limit: Option<usize>,
    /// Only items written after this revision, in the order of writing; from 0.1.0 on.
    written_after: Option<u64>,
}

/// One page of the items in order.
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Query(page): Query<Page>,
) -> Result<Response, HttpError> {
    let limit = page.limit.unwrap_or(100).clamp(1, PAGE_LIMIT);
    if let Some(after) = page.written_after {
        let (keys, revision) = app
            .with_store(move |store| Ok((store.written_after(after, limit)?, store.facts()?.revision)))
            .await?;
        let Some(keys) = keys else {
            let text = format!("version {} has no index by revision; version 0.1.0 has one", app.version);
            return Err(HttpError::new(StatusCode::BAD_REQUEST, text));
        };
        let keys: Vec<_> = keys.into_iter().map(|key| json!({ "key": key })).collect();
        let body = json!({ "items": keys, "next": null, "revision": revision });
        return Ok(([(REVISION, revision.to_string())], Json(body)).into_response());
    }
    let after = page.after;
    let (mut found, revision) =
        app.with_store(move |store| Ok((store.list(&after, limit + 1)?, store.facts()?.revision))).await?;
    let next = (found.len() > limit).then(|| found[limit - 1].0.clone());
    found.truncate(limit);
    let with_revision = app.store.schema() >= Schema::WithRevision;
    let items: Vec<_> = found
        .into_iter()
        .map(|(key, record)| {
            let mut item = json!({ "key": key, "bytes": record.value.len() });
            if with_revision {
                item["revision"] = record.written_at.into();
            }
            item
        })
        .collect();
    let body = json!({ "items": items, "next": next, "revision": revision });
    Ok(([(REVISION, revision.to_string())], Json(body)).into_response())
}

fn written(status: StatusCode, key: &str, revision: u64) -> Response {
    let body = Json(json!({ "key": key, "revision": revision }));
    (status, [(REVISION, revision.to_string())], body).into_response()
}

/// Writes an item; answered once it is on the disk.
pub(super) async fn put(
    State(app): State<Arc<App>>,
    OriginalUri(uri): OriginalUri,
    Path(key): Path<String>,
    value: Bytes,
) -> Result<Response, HttpError> {
    let key = checked(key)?;
    if let Some(leader) = &app.leader {
        return forward(&app, leader, Method::PUT, uri.path(), value).await;
    }
    let name = key.clone();
    let done = app.gate.pass(move |store| store.put(&name, value.to_vec())).await?;
    let status = if done.created { StatusCode::CREATED } else { StatusCode::OK };
    Ok(written(status, &key, done.revision))
}

/// Removes an item.
pub(super) async fn delete(
    State(app): State<Arc<App>>,
    OriginalUri(uri): OriginalUri,
    Path(key): Path<String>,
) -> Result<Response, HttpError> {
    let key = checked(key)?;
    if let Some(leader) = &app.leader {
        return forward(&app, leader, Method::DELETE, uri.path(), Bytes::new()).await;
    }
    let name = key.clone();
    match app.gate.pass(move |store| store.delete(&name)).await? {
        Some(revision) => Ok(written(StatusCode::OK, &key, revision)),
        None => Err(HttpError::new(StatusCode::NOT_FOUND, "there is no such item")),
    }
}

/// Forwards a write to the writer. While the writer is unreachable, the write waits as a held write does.
async fn forward(
    app: &App,
    leader: &Leader,
    method: Method,
    path: &str,
    body: Bytes,
) -> Result<Response, HttpError> {
    let path = path.replacen("/v1/", "/internal/", 1);
    let limit = app.limits.hold + Duration::from_secs(5);
    let attempt = || async {
        match leader.ask(method.clone(), &path, body.clone(), limit).await {
            // Neither of the two had an effect: it may be retried.
            Ok(Answer { status: StatusCode::SERVICE_UNAVAILABLE, .. })
            | Err(LeaderError::Unreachable { .. }) => {
                let stopping = *app.stopping.borrow();
                stopping.then_some(Err(None))
            }
            Ok(answer) => Some(Ok(answer)),
            Err(error) => Some(Err(Some(error))),
        }
    };
    let answer = clock::wait_for(app.limits.hold, Duration::from_millis(200), attempt).await;
    match answer.unwrap_or(Err(None)) {
        Ok(answer) => {
            let revision = answer.headers.get(REVISION).cloned();
            // A client that reads from this replica next must find what it wrote.
            if let Some(revision) = revision.as_ref().and_then(|value| value.to_str().ok()?.parse().ok()) {
                app.reach(revision, Duration::from_secs(2)).await;
            }
            let mut response =
                (answer.status, [(header::CONTENT_TYPE, "application/json")], answer.body).into_response();
            if let Some(revision) = revision {
                response.headers_mut().insert(REVISION, revision);
            }
            Ok(response)
        }
        Err(None) => Err(HttpError::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "the writer is unreachable, and nothing was written; try again",
        )),
        Err(Some(error)) => Err(HttpError::new(
            StatusCode::BAD_GATEWAY,
            format!("{error}: the write may have succeeded; read the item to find out"),
        )),
    }
}
