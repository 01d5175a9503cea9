//! The HTTP face: which path leads where, who may come in, and what an answer looks like when something is refused.

mod internal;
mod items;
mod probes;

use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state, map_response};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post, put};
use serde_json::json;

use crate::app::App;
use crate::console::{Level, chain, log};
use crate::gate::GateError;
use crate::store::StoreError;

/// The header with the revision that an answer stands for.
pub(crate) const REVISION: &str = "x-revision";
/// The largest value.
const VALUE_LIMIT: usize = 1 << 20;

/// An answer that is a refusal: it says why, and when to come back.
#[derive(Debug)]
pub(crate) struct Refusal {
    status: StatusCode,
    text: String,
}

impl Refusal {
    fn new(status: StatusCode, text: impl Into<String>) -> Self {
        Self { status, text: text.into() }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let body = axum::Json(json!({ "error": self.text }));
        let mut response = (self.status, body).into_response();
        let (name, value) = match self.status {
            StatusCode::SERVICE_UNAVAILABLE => (header::RETRY_AFTER, "1"),
            StatusCode::UNAUTHORIZED => (header::WWW_AUTHENTICATE, "Basic realm=\"example-app\""),
            _ => return response,
        };
        response.headers_mut().insert(name, HeaderValue::from_static(value));
        response
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        if matches!(error, StoreError::Held) {
            return Self::new(StatusCode::SERVICE_UNAVAILABLE, error.to_string());
        }
        log(Level::Error, chain(&error));
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, chain(&error))
    }
}

impl From<GateError> for Refusal {
    fn from(error: GateError) -> Self {
        match error {
            GateError::Store(error) => error.into(),
            GateError::StillHeld | GateError::Closing => {
                Self::new(StatusCode::SERVICE_UNAVAILABLE, error.to_string())
            }
        }
    }
}

/// All paths.
pub fn router(app: &Arc<App>) -> Router {
    let clients = Router::new()
        .route("/v1/items", get(items::list))
        .route("/v1/items/{key}", get(items::get).put(items::put).delete(items::delete))
        .route("/v1/features", get(probes::features))
        .route("/v1/version", get(probes::version))
        .route_layer(from_fn_with_state(app.clone(), only_clients))
        .layer(from_fn_with_state(app.clone(), mark));
    let replicas = Router::new()
        .route("/internal/items/{key}", put(items::put).delete(items::delete))
        .route("/internal/changes", get(internal::changes))
        .route("/internal/copy", get(internal::copy))
        .route("/internal/hold", post(internal::hold))
        .route("/internal/release", post(internal::release))
        .route_layer(from_fn_with_state(app.clone(), only_replicas));
    let open = Router::new()
        .route("/healthz", get(probes::healthz))
        .route("/readyz", get(probes::readyz))
        .route("/metrics", get(probes::metrics));
    clients
        .merge(replicas)
        .merge(open)
        .layer(DefaultBodyLimit::max(VALUE_LIMIT))
        .layer(from_fn_with_state(app.clone(), count))
        .layer(map_response(no_store))
        .with_state(app.clone())
}

fn authorization(request: &Request) -> &str {
    let header = request.headers().get(header::AUTHORIZATION);
    header.and_then(|value| value.to_str().ok()).unwrap_or_default()
}

fn stranger() -> Response {
    Refusal::new(StatusCode::UNAUTHORIZED, "a user name and a password are needed, and these are not right")
        .into_response()
}

async fn only_clients(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let known = app.keys.borrow().accepts_client(authorization(&request));
    if known { next.run(request).await } else { stranger() }
}

async fn only_replicas(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let known = app.keys.borrow().accepts_replica(authorization(&request));
    if known { next.run(request).await } else { stranger() }
}

async fn mark(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let marks = app.features.borrow().marks_answers();
    let mut response = next.run(request).await;
    if marks {
        response.headers_mut().insert("x-example-feature-1", HeaderValue::from_static("on"));
    }
    response
}

async fn count(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let method = request.method().clone();
    let response = next.run(request).await;
    app.metrics.count(&method, response.status());
    response
}

async fn no_store(mut response: Response) -> Response {
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
