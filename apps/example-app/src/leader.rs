//! The client that a follower uses to send requests to the writer. Every error says whether the request can have had an
//! effect, because only a request that certainly had none may be retried.

use std::time::Duration;

use axum::body::Bytes;
use axum::http::{HeaderMap, Method, Request, StatusCode, header};
use http_body_util::{BodyExt, Full, Limited};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use tokio::sync::watch;

use crate::auth::Keyring;

/// The largest answer that is read.
const ANSWER_LIMIT: usize = 64 << 20;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum LeaderError {
    /// No connection was made: the request had no effect.
    #[error("cannot reach the writer at {url}")]
    Unreachable {
        /// Its address.
        url: String,
        /// Why not.
        source: hyper_util::client::legacy::Error,
    },
    /// The connection was lost: the request may have had an effect.
    #[error("the writer at {0} did not answer")]
    Lost(String),
    /// The URL is not valid.
    #[error("{0:?} is not a valid URL")]
    Address(String),
}

/// The answer to a request.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The status code.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

/// A client for the writer.
pub struct Leader {
    url: String,
    client: Client<HttpConnector, Full<Bytes>>,
    keys: watch::Receiver<Keyring>,
}

/// A client that does not reuse connections: a request was sent if and only if its connection was made.
fn plain_client() -> Client<HttpConnector, Full<Bytes>> {
    let mut connector = HttpConnector::new();
    connector.set_connect_timeout(Some(Duration::from_secs(3)));
    Client::builder(TokioExecutor::new()).pool_max_idle_per_host(0).build(connector)
}

impl Leader {
    /// For the writer at this URL.
    pub fn at(url: &str, keys: watch::Receiver<Keyring>) -> Self {
        Self { url: url.trim_end_matches('/').into(), client: plain_client(), keys }
    }

    /// Sends a request with the current credentials, or the previous ones if the writer does not accept these yet.
    pub async fn ask(
        &self,
        method: Method,
        path: &str,
        body: Bytes,
        limit: Duration,
    ) -> Result<Answer, LeaderError> {
        let headers = self.keys.borrow().headers();
        let mut refused = None;
        for authorization in headers {
            let request = Request::builder()
                .method(method.clone())
                .uri(format!("{}{path}", self.url))
                .header(header::AUTHORIZATION, authorization)
                .body(Full::new(body.clone()))
                .map_err(|_| LeaderError::Address(self.url.clone()))?;
            let answer = tokio::time::timeout(limit, send(&self.client, request))
                .await
                .unwrap_or(Err(None))
                .map_err(|error| match error {
                    Some(source) => LeaderError::Unreachable { url: self.url.clone(), source },
                    None => LeaderError::Lost(self.url.clone()),
                })?;
            if answer.status != StatusCode::UNAUTHORIZED {
                return Ok(answer);
            }
            refused = Some(answer);
        }
        refused.ok_or_else(|| LeaderError::Lost(self.url.clone()))
    }
}

/// `Err(Some(_))` when no connection was made, `Err(None)` when it was lost.
async fn send(
    client: &Client<HttpConnector, Full<Bytes>>,
    request: Request<Full<Bytes>>,
) -> Result<Answer, Option<hyper_util::client::legacy::Error>> {
    let response = client.request(request).await.map_err(|error| error.is_connect().then_some(error))?;
    let (parts, body) = response.into_parts();
    let body = Limited::new(body, ANSWER_LIMIT).collect().await.map_err(|_| None)?.to_bytes();
    Ok(Answer { status: parts.status, headers: parts.headers, body })
}

/// Sends one GET request without credentials, as a probe does.
pub async fn get(url: &str, limit: Duration) -> Result<Answer, LeaderError> {
    let request = Request::get(url).body(Full::default()).map_err(|_| LeaderError::Address(url.into()))?;
    let answer = tokio::time::timeout(limit, send(&plain_client(), request)).await.unwrap_or(Err(None));
    answer.map_err(|error| match error {
        Some(source) => LeaderError::Unreachable { url: url.into(), source },
        None => LeaderError::Lost(url.into()),
    })
}
