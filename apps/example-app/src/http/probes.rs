//! The endpoints about the server itself: liveness, readiness, version, features, metrics.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::HttpError;
use crate::app::App;

/// Liveness: always 200.
pub(super) async fn healthz() -> &'static str {
    "ok\n"
}

/// Readiness: 503 with the reason when the replica is not ready.
pub(super) async fn readyz(State(app): State<Arc<App>>) -> Response {
    match app.not_ready() {
        None => "ok\n".into_response(),
        Some(reason) => HttpError::new(StatusCode::SERVICE_UNAVAILABLE, reason).into_response(),
    }
}

/// The version, the schema of its data and the role of this replica.
pub(super) async fn version(State(app): State<Arc<App>>) -> Result<Json<Value>, HttpError> {
    let facts = app.with_store(crate::store::Store::facts).await?;
    Ok(Json(json!({
        "version": app.version.name(),
        "schema": facts.schema,
        "revision": facts.revision,
        "role": if app.leader.is_some() { "follower" } else { "writer" },
        "writes": app.gate.state().name(),
    })))
}

/// The feature flags, also unknown ones.
pub(super) async fn features(State(app): State<Arc<App>>) -> Json<Value> {
    Json(json!(app.features.borrow().0))
}

/// The metrics.
pub(super) async fn metrics(State(app): State<Arc<App>>) -> Result<Response, HttpError> {
    let figures = app.figures().await?;
    let text = app.metrics.render(figures);
    let text = text.map_err(|error| HttpError::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))?;
    let content_type = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    Ok(([(header::CONTENT_TYPE, content_type)], text).into_response())
}
