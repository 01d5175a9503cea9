//! The HTTP server: routes, authentication and error responses.

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

/// The header with the revision of the data that an answer was made from.
pub(crate) const REVISION: &str = "x-revision";
/// The largest value of an item, in bytes.
const VALUE_LIMIT: usize = 1 << 20;

/// The answer to a request that failed: says why, and when to retry.
#[derive(Debug)]
pub(crate) struct HttpError {
    status: StatusCode,
    text: String,
}

impl HttpError {
    fn new(status: StatusCode, text: impl Into<String>) -> Self {
        Self { status, text: text.into() }
    }
}

impl IntoResponse for HttpError {
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

impl From<StoreError> for HttpError {
    fn from(error: StoreError) -> Self {
        if matches!(error, StoreError::Held) {
            return Self::new(StatusCode::SERVICE_UNAVAILABLE, error.to_string());
        }
        log(Level::Error, chain(&error));
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, chain(&error))
    }
}

impl From<GateError> for HttpError {
    fn from(error: GateError) -> Self {
        match error {
            GateError::Store(error) => error.into(),
            GateError::StillHeld | GateError::Closing => {
                Self::new(StatusCode::SERVICE_UNAVAILABLE, error.to_string())
            }
        }
    }
}

/// The router with all paths.
pub fn router(app: &Arc<App>) -> Router {
    let clients = Router::new()
        .route("/v1/items", get(items::list))
        .route("/v1/items/{key}", get(items::get).put(items::put).delete(items::delete))
        .route("/v1/features", get(probes::features))
        .route("/v1/version", get(probes::version))
        .route_layer(from_fn_with_state(app.clone(), require_client))
        .layer(from_fn_with_state(app.clone(), add_feature_header));
    let replicas = Router::new()
        .route("/internal/items/{key}", put(items::put).delete(items::delete))
        .route("/internal/changes", get(internal::changes))
        .route("/internal/copy", get(internal::copy))
        .route("/internal/hold", post(internal::hold))
        .route("/internal/release", post(internal::release))
        .route_layer(from_fn_with_state(app.clone(), require_replica));
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

fn unauthorized() -> Response {
    let text = "the user name or the password is missing or wrong";
    HttpError::new(StatusCode::UNAUTHORIZED, text).into_response()
}

async fn require_client(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let accepted = app.keys.borrow().accepts_client(authorization(&request));
    if accepted { next.run(request).await } else { unauthorized() }
}

async fn require_replica(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let accepted = app.keys.borrow().accepts_replica(authorization(&request));
    if accepted { next.run(request).await } else { unauthorized() }
}

async fn add_feature_header(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let adds_header = app.features.borrow().adds_header();
    let mut response = next.run(request).await;
    if adds_header {
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
