//! What a process tells about itself over HTTP: metrics, whether it is alive and whether it is ready. The binary runs one
//! [`Admin`], behind a port of `web`. It has no secrets to tell and authenticates nobody, and it changes nothing. What
//! changes something, the log level, is served by [`LogLevelServer`], on loopback only.

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
use crate::web::{IdentityError, Limits, Protection, Server};
use health::Verdict;
pub use health::{Gate, Liveness, Readiness};
pub use log_level::{LogLevelError, LogLevelServer};

/// What is told.
#[derive(Debug, Clone)]
pub struct Admin {
    /// Behind `/metrics`.
    pub catalogue: Arc<Catalogue>,
    /// Behind `/healthz`.
    pub liveness: Liveness,
    /// Behind `/readyz`.
    pub readiness: Readiness,
}

/// `?verbose` lists also what is well, as the API server does.
type Parameters = Query<BTreeMap<String, String>>;

impl Admin {
    /// Answers in clear text until `stop`.
    pub async fn serve(self, listener: TcpListener, stop: CancellationToken) -> Result<(), IdentityError> {
        let server = Server { listener, protection: Protection::Clear, limits: Limits::default() };
        server.serve(self.router(), stop).await
    }

    /// All that is told, for a server that others share.
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

async fn healthz(State(admin): State<Admin>, Query(parameters): Parameters) -> Response {
    answer("healthz", &admin.liveness.verdicts(), parameters.contains_key("verbose"))
}

async fn readyz(State(admin): State<Admin>, Query(parameters): Parameters) -> Response {
    answer("readyz", &admin.readiness.verdicts(), parameters.contains_key("verbose"))
}

/// What is wrong is always named.
fn answer(page: &str, verdicts: &[Verdict], verbose: bool) -> Response {
    let failed = verdicts.iter().any(|verdict| verdict.trouble.is_some());
    if !failed && !verbose {
        return "ok\n".into_response();
    }
    let lines: String = verdicts.iter().map(Verdict::line).collect();
    if failed {
        (StatusCode::SERVICE_UNAVAILABLE, format!("{lines}{page} check failed\n")).into_response()
    } else {
        format!("{lines}{page} check passed\n").into_response()
    }
}
