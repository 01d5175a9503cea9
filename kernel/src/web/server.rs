//! Connections: they are accepted and served until they end or the server has to stop.

use std::pin::Pin;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use hyper::server::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use super::certificates::Certificates;
use super::identity::TlsIdentityError;
use super::protection::{HTTP2, Protection, TlsRules};
use crate::clock;

/// Timeouts of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerLimits {
    /// The TLS handshake.
    pub handshake: Duration,
    /// From the head of a request to the answer, including the time to read the body.
    pub request: Duration,
    /// Until the head of the next request on an open connection: longer than the 90 seconds after which the API server closes
    /// an idle one, so that it never sends into a connection that we are closing.
    pub idle: Duration,
    /// How long it continues after a request to stop: the cluster still sends requests for a while.
    pub linger: Duration,
    /// For pending requests after that.
    pub grace: Duration,
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            handshake: Duration::from_secs(10),
            request: Duration::from_secs(30),
            idle: Duration::from_mins(2),
            linger: Duration::from_secs(3),
            grace: Duration::from_secs(10),
        }
    }
}

/// A server, ready to run.
#[derive(Debug)]
pub struct WebServer {
    /// The listener.
    pub listener: TcpListener,
    /// Whether connections use TLS.
    pub protection: Protection,
    /// Timeouts of a server.
    pub limits: ServerLimits,
}

impl WebServer {
    /// Serves until `stop` and a moment longer; then pending requests may finish. Certificates in files are reloaded
    /// meanwhile.
    pub async fn serve(self, router: Router, stop: CancellationToken) -> Result<(), TlsIdentityError> {
        let (rules, certificates) = match self.protection {
            Protection::Clear => (None, None),
            Protection::Presented(presented) => (Some(TlsRules::presenting(&presented)?), None),
            Protection::Files(certificates) => (Some(certificates.rules()), Some(certificates)),
        };
        let limited = middleware::from_fn_with_state(self.limits.request, within);
        let (router, linger, closing) = (router.layer(limited), self.limits.linger, CancellationToken::new());
        let connection = Connection { rules, router, limits: self.limits, stop: closing.clone() };
        let close = async {
            stop.cancelled().await;
            clock::until(Some(clock::now() + linger)).await;
            closing.cancel();
        };
        tokio::join!(take(self.listener, connection), follow(certificates, stop.clone()), close);
        Ok(())
    }
}

async fn follow(certificates: Option<Box<Certificates>>, stop: CancellationToken) {
    if let Some(certificates) = certificates {
        certificates.follow(stop).await;
    }
}

/// Limits the time of a request, so that slow clients do not block forever.
async fn within(State(limit): State<Duration>, request: Request, next: Next) -> Response {
    timeout(limit, next.run(request)).await.unwrap_or_else(|_| {
        let message = format!("the request and its answer took longer than {limit:?}\n");
        (StatusCode::REQUEST_TIMEOUT, message).into_response()
    })
}

/// Accepts connections until `stop`, and waits for their end.
async fn take(listener: TcpListener, connection: Connection) {
    let stop = connection.stop.clone();
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            () = stop.cancelled() => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => drop(connections.spawn(connection.clone().serve(stream))),
                // Probably out of file descriptors: other connections must end first.
                Err(_) => clock::until(Some(clock::now() + Duration::from_millis(100))).await,
            },
            Some(_) = connections.join_next() => {}
        }
    }
    drop(listener);
    let all = async { while connections.join_next().await.is_some() {} };
    if timeout(connection.limits.grace, all).await.is_err() {
        connections.shutdown().await;
    }
}

/// Everything that serves one connection.
#[derive(Clone)]
struct Connection {
    rules: Option<TlsRules>,
    router: Router,
    limits: ServerLimits,
    stop: CancellationToken,
}

impl Connection {
    async fn serve(self, stream: TcpStream) {
        // Answers are written at once.
        let _ = stream.set_nodelay(true);
        let Some(rules) = &self.rules else { return self.serve_http1(stream).await };
        let handshake = TlsAcceptor::from(rules.current()).accept(stream);
        // A client that does not use TLS gets no answer.
        match timeout(self.limits.handshake, handshake).await {
            Ok(Ok(stream)) if stream.get_ref().1.alpn_protocol() == Some(HTTP2) => {
                self.serve_http2(stream).await;
            }
            Ok(Ok(stream)) => self.serve_http1(stream).await,
            Ok(Err(error)) => tracing::debug!("a TLS handshake failed: {error}"),
            Err(_) => tracing::debug!("a TLS handshake took too long"),
        }
    }

    async fn serve_http1(self, stream: impl AsyncRead + AsyncWrite + Unpin) {
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.limits.idle)
            .serve_connection(TokioIo::new(stream), TowerToHyperService::new(self.router));
        conduct(connection, http1::Connection::graceful_shutdown, self.stop).await;
    }

    async fn serve_http2(self, stream: impl AsyncRead + AsyncWrite + Unpin) {
        let connection = http2::Builder::new(TokioExecutor::new())
            .timer(TokioTimer::new())
            .keep_alive_interval(self.limits.idle)
            .serve_connection(TokioIo::new(stream), TowerToHyperService::new(self.router));
        conduct(connection, http2::Connection::graceful_shutdown, self.stop).await;
    }
}

/// Drives a connection to its end. When the server stops, it accepts no more requests.
async fn conduct<C: Future>(connection: C, shut_down: impl FnOnce(Pin<&mut C>), stop: CancellationToken) {
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = stop.cancelled() => {
            shut_down(connection.as_mut());
            connection.await
        }
    };
    // An error of the connection need not be reported.
    drop(ended);
}
