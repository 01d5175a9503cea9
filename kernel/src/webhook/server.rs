//! The HTTPS server that the API server calls. A handler is a plain function; whatever it does, the server lives on.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::DefaultBodyLimit;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Router, http};
use bytes::Bytes;
use http::StatusCode;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use kube::core::admission::AdmissionResponse;
use serde::Serialize;
use serde_json::Value;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use super::identity::{IdentityError, Presented};
use super::{admission, conversion};
use crate::clock;

/// How much and how long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a review. An object may have 3 MiB, an update carries two of them, a conversion a whole page of a list.
    pub body: usize,
    /// For a handler.
    pub answer: Duration,
    /// For the TLS handshake.
    pub handshake: Duration,
    /// For the head of the next request on an open connection: longer than the 90 seconds after which the API server
    /// itself drops an idle one, so that it never sends into a connection that we are closing.
    pub idle: Duration,
    /// For what is under way when the server is asked to stop.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body: 64 << 20,
            answer: Duration::from_secs(10),
            handshake: Duration::from_secs(10),
            idle: Duration::from_mins(2),
            grace: Duration::from_secs(10),
        }
    }
}

type Admit = dyn Fn(admission::Request) -> admission::Verdict + Send + Sync;

#[derive(Clone)]
enum Handler {
    Admission(Arc<Admit>),
    Conversion(Arc<conversion::Convert>),
}

/// Which handler answers under which path.
#[derive(Clone, Default)]
pub struct Routes(BTreeMap<String, Handler>);

impl fmt::Debug for Routes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.0.keys()).finish()
    }
}

impl Routes {
    /// Adds a validating or mutating webhook.
    #[must_use]
    pub fn admission<F>(mut self, path: &str, admit: F) -> Self
    where
        F: Fn(admission::Request) -> admission::Verdict + Send + Sync + 'static,
    {
        self.0.insert(path.into(), Handler::Admission(Arc::new(admit)));
        self
    }

    /// Adds a conversion webhook: given the wanted `group/version` and an object, that object in that version.
    #[must_use]
    pub fn conversion<F>(mut self, path: &str, convert: F) -> Self
    where
        F: Fn(&str, Value) -> Result<Value, String> + Send + Sync + 'static,
    {
        self.0.insert(path.into(), Handler::Conversion(Arc::new(convert)));
        self
    }

    fn router(self, limits: &Limits) -> Router {
        let mut router = Router::new();
        for (path, handler) in self.0 {
            let limit = limits.answer;
            let answer = move |body: Bytes| {
                let handler = handler.clone();
                async move { run(limit, move || handler.answer(&body)).await }
            };
            router = router.route(&path, post(answer));
        }
        router.layer(DefaultBodyLimit::max(limits.body))
    }
}

/// An answer that is no review: how the API server takes it is for the failure policy to say.
#[derive(Debug)]
struct Failure(StatusCode, String);

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        (self.0, self.1).into_response()
    }
}

impl Handler {
    fn answer(&self, body: &[u8]) -> Result<Vec<u8>, Failure> {
        match self {
            Self::Admission(admit) => {
                let request = admission::read(body).map_err(bad)?;
                let response = AdmissionResponse::from(&request);
                write(&admission::answer(response, admit(request)).map_err(defect)?)
            }
            Self::Conversion(convert) => {
                let mut request = conversion::read(body).map_err(bad)?;
                let objects = std::mem::take(&mut request.objects);
                let converted =
                    conversion::convert_all(&request.desired_api_version, objects, convert.as_ref());
                write(&conversion::answer(request, converted))
            }
        }
    }
}

fn bad(problem: impl fmt::Display) -> Failure {
    Failure(StatusCode::BAD_REQUEST, problem.to_string())
}

fn defect(problem: impl fmt::Display) -> Failure {
    Failure(StatusCode::INTERNAL_SERVER_ERROR, problem.to_string())
}

fn write(review: &impl Serialize) -> Result<Vec<u8>, Failure> {
    serde_json::to_vec(review).map_err(defect)
}

/// Runs a handler on a thread of its own, so that one that computes for long or panics disturbs nobody.
async fn run(
    limit: Duration,
    work: impl FnOnce() -> Result<Vec<u8>, Failure> + Send + 'static,
) -> Result<Response, Failure> {
    let slow = |_| Failure(StatusCode::GATEWAY_TIMEOUT, format!("the webhook had no answer after {limit:?}"));
    let done = timeout(limit, tokio::task::spawn_blocking(work)).await.map_err(slow)?;
    let body = done
        .map_err(|_| defect("the webhook failed on this object: a defect of the operator, see its log"))??;
    Ok(([(http::header::CONTENT_TYPE, "application/json")], body).into_response())
}

/// A server, ready to run.
#[derive(Debug)]
pub struct Server {
    /// What it answers.
    pub routes: Routes,
    /// What it shows.
    pub presented: Presented,
    /// How much and how long.
    pub limits: Limits,
}

impl Server {
    /// Serves until `stop`; then what is under way may finish.
    pub async fn serve(self, listener: TcpListener, stop: CancellationToken) -> Result<(), IdentityError> {
        let connection = Connection {
            acceptor: TlsAcceptor::from(Arc::new(self.presented.server()?)),
            router: self.routes.router(&self.limits),
            limits: self.limits.clone(),
            stop: stop.clone(),
        };
        let mut connections = JoinSet::new();
        loop {
            tokio::select! {
                () = stop.cancelled() => break,
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) => drop(connections.spawn(connection.clone().serve(stream))),
                    // Out of file handles, most likely: others must end first.
                    Err(_) => clock::until(Some(clock::now() + Duration::from_millis(100))).await,
                },
                Some(_) = connections.join_next() => {}
            }
        }
        drop(listener);
        let all = async { while connections.join_next().await.is_some() {} };
        if timeout(self.limits.grace, all).await.is_err() {
            connections.shutdown().await;
        }
        Ok(())
    }
}

/// One connection, and what it needs.
#[derive(Clone)]
struct Connection {
    acceptor: TlsAcceptor,
    router: Router,
    limits: Limits,
    stop: CancellationToken,
}

impl Connection {
    async fn serve(self, stream: TcpStream) {
        // A peer that cannot or will not speak TLS has nothing to be told.
        let Ok(Ok(stream)) = timeout(self.limits.handshake, self.acceptor.accept(stream)).await else {
            return;
        };
        let connection = hyper::server::conn::http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.limits.idle)
            .serve_connection(TokioIo::new(stream), TowerToHyperService::new(self.router));
        let mut connection = std::pin::pin!(connection);
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            () = self.stop.cancelled() => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        // A connection that broke has nobody left to tell.
        drop(ended);
    }
}
