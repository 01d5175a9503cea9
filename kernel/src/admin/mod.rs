//! Metrics, liveness and readiness of a process over HTTP. The binary runs one [`Admin`], behind a port of `web`. It serves
//! no secrets, has no authentication and changes nothing. The log level can be changed, so [`LogLevelServer`] serves it on
//! loopback only.

mod health;
mod log_level;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::metrics::{CONTENT_TYPE, Catalogue};
use crate::web::{Protection, ServerLimits, TlsIdentityError, WebServer};
pub use health::{Readiness, ReadinessGate};
pub use log_level::{LogLevelError, LogLevelServer};

/// What is served.
#[derive(Debug, Clone)]
pub struct Admin {
    /// Served at `/metrics`.
    pub catalogue: Arc<Catalogue>,
    /// Served at `/readyz`.
    pub readiness: Readiness,
}

/// `?verbose` lists every check, as the API server does.
type Parameters = Query<BTreeMap<String, String>>;

impl Admin {
    /// Serves without TLS until `stop`.
    pub async fn serve(self, listener: TcpListener, stop: CancellationToken) -> Result<(), TlsIdentityError> {
        let server = WebServer { listener, protection: Protection::Clear, limits: ServerLimits::default() };
        server.serve(self.router(), stop).await
    }

    /// The routes, for a server that also serves others.
    pub fn router(self) -> Router {
        Router::new()
            .route("/metrics", get(metrics))
            .route("/healthz", get(healthz))
            .route("/readyz", get(readyz))
            .with_state(self)
    }
}

async fn metrics(State(admin): State<Admin>) -> Response {
    match admin.catalogue.expose() {
        Ok(page) => ([(header::CONTENT_TYPE, CONTENT_TYPE)], page).into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n")).into_response(),
    }
}

async fn healthz(Query(parameters): Parameters) -> &'static str {
    if parameters.contains_key("verbose") { "healthz check passed\n" } else { "ok\n" }
}

/// If the process is not ready, the response lists every gate.
async fn readyz(State(admin): State<Admin>, Query(parameters): Parameters) -> Response {
    let lines = admin.readiness.lines();
    if !admin.readiness.is_ready() {
        return (StatusCode::SERVICE_UNAVAILABLE, format!("{lines}readyz check failed\n")).into_response();
    }
    if parameters.contains_key("verbose") {
        format!("{lines}readyz check passed\n").into_response()
    } else {
        "ok\n".into_response()
    }
}
