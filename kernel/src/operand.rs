//! Requests to operands over HTTP, with a limit for the time and the size of an answer. Called in `gather` and `perform`.
//!
//! Each request has a connection of its own, which is closed with the answer: operands come and go, and a connection
//! that is kept may lead to one that is gone. Nothing runs in the background: dropping a request closes its connection.

#[cfg(test)]
mod tests;
mod trust;

use std::pin::pin;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use futures::future::{Either, select};
use http::header::{AUTHORIZATION, CONNECTION, DATE, HOST, USER_AGENT};
use http::{Method, StatusCode};
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::client::conn::http1;
use hyper::rt::{Read, Write};
use hyper_util::rt::TokioIo;
use k8s_openapi::jiff::Timestamp;
use k8s_openapi::jiff::fmt::rfc2822::DateTimeParser;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::rustls::pki_types::ServerName;

/// The largest answer that is read: a page of metrics of a config reloader has some twenty thousand bytes.
const LARGEST: usize = 256 << 10;

/// A request to an operand. It has no body.
#[derive(Debug, Clone)]
pub struct OperandRequest<'r> {
    /// The method.
    pub method: Method,
    /// The host and port to connect to.
    pub address: &'r str,
    /// The host and port in the `Host` header.
    pub host: &'r str,
    /// The path, with its query.
    pub path: &'r str,
    /// Whether the operand serves TLS. Its certificate is not verified, so credentials must not be sent to it.
    pub tls: bool,
    /// The user and the password for basic authentication.
    pub credentials: Option<[&'r str; 2]>,
}

/// An answer.
#[derive(Debug)]
pub struct Reply {
    /// Its status.
    pub status: StatusCode,
    /// The time of the operand's clock, if the answer contains it.
    pub date: Option<Timestamp>,
    /// Its body.
    pub body: Bytes,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// Connecting.
    #[error("connecting failed")]
    Connect(#[source] std::io::Error),
    /// Setting up TLS.
    #[error("TLS failed")]
    Tls(#[source] std::io::Error),
    /// Speaking HTTP.
    #[error("the answer is not HTTP")]
    Http(#[source] hyper::Error),
    /// Reading the body of the answer.
    #[error("reading the answer failed")]
    Body(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// Writing the request.
    #[error("the request is invalid")]
    Request(#[source] http::Error),
    /// The operand did not answer in time.
    #[error("no answer within {} s", .0.as_secs())]
    Late(Duration),
}

/// Sends a request to an operand. Fails after `limit`.
pub async fn ask(request: &OperandRequest<'_>, limit: Duration) -> Result<Reply, AskError> {
    // Boxed, because the state of a connection is large.
    timeout(limit, Box::pin(send(request))).await.unwrap_or(Err(AskError::Late(limit)))
}

async fn send(request: &OperandRequest<'_>) -> Result<Reply, AskError> {
    let stream = TcpStream::connect(request.address).await.map_err(AskError::Connect)?;
    if !request.tls {
        return exchange(TokioIo::new(stream), request).await;
    }
    let ip = stream.peer_addr().map_err(AskError::Connect)?.ip();
    let connector = trust::connector().map_err(|error| AskError::Tls(std::io::Error::other(error)))?;
    let stream = connector.connect(ServerName::IpAddress(ip.into()), stream).await.map_err(AskError::Tls)?;
    exchange(TokioIo::new(stream), request).await
}

async fn exchange(
    stream: impl Read + Write + Unpin,
    request: &OperandRequest<'_>,
) -> Result<Reply, AskError> {
    let mut builder = http::Request::builder()
        .method(request.method.clone())
        .uri(request.path)
        .header(HOST, request.host)
        .header(USER_AGENT, concat!("mainstay/", env!("CARGO_PKG_VERSION")))
        .header(CONNECTION, "close");
    if let Some(pair) = request.credentials {
        builder = builder.header(AUTHORIZATION, format!("Basic {}", STANDARD.encode(pair.join(":"))));
    }
    let message = builder.body(Empty::<Bytes>::new()).map_err(AskError::Request)?;
    let (mut sender, connection) = http1::handshake(stream).await.map_err(AskError::Http)?;
    let answer = async {
        let response = sender.send_request(message).await.map_err(AskError::Http)?;
        let status = response.status();
        let date = response.headers().get(DATE).and_then(|date| date.to_str().ok());
        let date = date.and_then(|date| DateTimeParser::new().parse_timestamp(date).ok());
        let body = Limited::new(response.into_body(), LARGEST).collect().await;
        Ok(Reply { status, date, body: body.map_err(AskError::Body)?.to_bytes() })
    };
    match select(pin!(answer), pin!(connection)).await {
        Either::Left((answer, _)) => answer,
        // Data that was received before the connection ended can still be read.
        Either::Right((_, answer)) => answer.await,
    }
}
