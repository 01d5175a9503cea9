//! Reads and sets the log level of a running process over HTTP, on a loopback address only: a user needs the permission to
//! forward a port of the pod.

use std::net::SocketAddr;

use axum::Router;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::telemetry::{LogLevel, with_causes};
use crate::web::{Protection, ServerLimits, TlsIdentityError, WebServer};

/// Longer than any sensible list of directives.
pub(super) const LONGEST_BODY: usize = 4096;

/// Why the log level cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum LogLevelError {
    /// Other hosts could connect to the address.
    #[error("{0} is not a loopback address: use 127.0.0.1 or [::1], and connect with kubectl port-forward")]
    NotLoopback(SocketAddr),
    /// The port is in use, or needs privileges.
    #[error("cannot listen on {address}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The cause.
        source: std::io::Error,
    },
}

/// Serves `/loglevel`.
#[derive(Debug)]
pub struct LogLevelServer {
    listener: TcpListener,
    level: LogLevel,
}

impl LogLevelServer {
    /// Listens on a loopback address.
    pub async fn open(address: SocketAddr, level: LogLevel) -> Result<Self, LogLevelError> {
        if !address.ip().is_loopback() {
            return Err(LogLevelError::NotLoopback(address));
        }
        let listener = TcpListener::bind(address).await;
        let listener = listener.map_err(|source| LogLevelError::Listen { address, source })?;
        Ok(Self { listener, level })
    }

    /// Serves until `stop`.
    pub async fn serve(self, stop: CancellationToken) -> Result<(), TlsIdentityError> {
        let (protection, limits) = (Protection::Clear, ServerLimits::default());
        let server = WebServer { listener: self.listener, protection, limits };
        server.serve(router(self.level), stop).await
    }
}

pub(super) fn router(level: LogLevel) -> Router {
    Router::new()
        .route("/loglevel", get(read).put(set))
        .layer(DefaultBodyLimit::max(LONGEST_BODY))
        .with_state(level)
}

async fn read(State(level): State<LogLevel>) -> Response {
    match level.read() {
        Ok(level) => format!("{level}\n").into_response(),
        Err(error) => {
            (StatusCode::INTERNAL_SERVER_ERROR, format!("{}\n", with_causes(&error))).into_response()
        }
    }
}

async fn set(State(level): State<LogLevel>, directives: String) -> Response {
    match level.set(&directives) {
        Ok(()) => {
            tracing::info!(level = directives.trim(), "the log level was set");
            read(State(level)).await
        }
        Err(error) => (StatusCode::BAD_REQUEST, format!("{}\n", with_causes(&error))).into_response(),
    }
}
