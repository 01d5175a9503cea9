//! What is asked about the server itself: is it alive, is it ready, what is it, what is switched on.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::Refusal;
use crate::app::App;

/// Alive: the server answers.
pub(super) async fn healthz() -> &'static str {
    "ok\n"
}

/// Ready: or the reason why not.
pub(super) async fn readyz(State(app): State<Arc<App>>) -> Response {
    match app.not_ready() {
        None => "ok\n".into_response(),
        Some(reason) => Refusal::new(StatusCode::SERVICE_UNAVAILABLE, reason).into_response(),
    }
}

/// The version, the schema of its data and the role of this replica.
pub(super) async fn version(State(app): State<Arc<App>>) -> Result<Json<Value>, Refusal> {
    let facts = app.look(crate::store::Store::facts).await?;
    Ok(Json(json!({
        "version": app.version.name(),
        "schema": facts.schema,
        "revision": facts.revision,
        "role": if app.leader.is_some() { "follower" } else { "writer" },
        "writes": format!("{:?}", app.gate.state()).to_lowercase(),
    })))
}

/// The features, known or not.
pub(super) async fn features(State(app): State<Arc<App>>) -> Json<Value> {
    Json(json!(app.features.borrow().0))
}

/// The metrics.
pub(super) async fn metrics(State(app): State<Arc<App>>) -> Result<Response, Refusal> {
    let figures = app.figures().await?;
    let text = app.metrics.render(figures);
    let text = text.map_err(|error| Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))?;
    let form = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    Ok(([(header::CONTENT_TYPE, form)], text).into_response())
}
