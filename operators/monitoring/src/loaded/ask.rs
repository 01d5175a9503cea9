//! Asks pods over HTTP: the only file here that does something. Each question has a limit, and few are asked at once.
//! Nobody is left waiting in the background: a question that is dropped is over.

use std::fmt;
use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::time::Duration;

use bytes::Bytes;
use futures::future::{BoxFuture, Either, select};
use futures::stream;
use futures::{FutureExt as _, StreamExt as _};
use http::header::{CONNECTION, DATE, HOST, USER_AGENT};
use http::{Method, Request};
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::client::conn::http1;
use hyper::rt::{Read, Write};
use hyper_util::rt::TokioIo;
use k8s_openapi::jiff::Timestamp;
use k8s_openapi::jiff::fmt::rfc2822::DateTimeParser;
use thiserror::Error;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls;
use tokio_rustls::rustls::pki_types::ServerName;

use crate::loaded::answer::{Answer, Heard};
use crate::loaded::offset::Offset;
use crate::loaded::trust;

/// Longest wait for one answer.
const LIMIT: Duration = Duration::from_secs(2);

/// A reload reads the whole configuration, and some are large.
const RELOAD_LIMIT: Duration = Duration::from_secs(30);

/// So many pods are asked at once.
const AT_ONCE: usize = 8;

/// No more of an answer is read: a page of the peer's metrics has some twenty thousand bytes.
const LARGEST: usize = 256 * 1024;

/// Where a pod answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address {
    /// The pod's.
    pub ip: IpAddr,
    /// The container's.
    pub port: u16,
    /// Whether it speaks TLS, because the workload has a web configuration.
    pub tls: bool,
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        SocketAddr::new(self.ip, self.port).fmt(f)
    }
}

/// Why there is no answer.
#[derive(Debug, Error)]
pub enum AskError {
    /// Nobody listens there, or nobody may.
    #[error("{0} cannot be connected to: {1}")]
    Connect(Address, #[source] std::io::Error),
    /// It speaks no TLS, or another one.
    #[error("{0} cannot be talked to with TLS: {1}")]
    Tls(Address, #[source] std::io::Error),
    /// It speaks something else.
    #[error("{0} does not answer in HTTP: {1}")]
    Http(Address, #[source] hyper::Error),
    /// Its answer ends in the middle, or not at all.
    #[error("the answer of {0} cannot be read: {1}")]
    Body(Address, #[source] Box<dyn std::error::Error + Send + Sync>),
    /// A path that is none.
    #[error("{0} cannot be asked for that: {1}")]
    Path(Address, #[source] http::Error),
    /// It takes too long.
    #[error("{0} does not answer within {limit} s", limit = .1.as_secs())]
    Late(Address, Duration),
}

/// An answer.
#[derive(Debug)]
struct Reply {
    status: u16,
    date: Option<Timestamp>,
    body: Bytes,
}

/// What an operand said to a reload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reloaded {
    /// It worked.
    Taken,
    /// It refused the configuration, with this text. It may quote secrets: [`crate::loaded::words::told`] says what may be shown.
    Refused(String),
    /// It said something else, such as that one must log in.
    Other(u16),
}

/// Asks.
pub struct Asker {
    connector: TlsConnector,
    clock: fn() -> Timestamp,
}

impl Asker {
    /// With this clock.
    pub fn new(clock: fn() -> Timestamp) -> Result<Self, rustls::Error> {
        Ok(Self { connector: trust::everybody()?, clock })
    }

    /// Asks the reloaders of pods, a few at once; the answers come in the order of the questions.
    pub async fn ask_all(&self, addresses: &[Address]) -> Vec<Heard> {
        let questions: Vec<BoxFuture<'_, Heard>> =
            addresses.iter().map(|address| self.ask(*address).boxed()).collect();
        stream::iter(questions).buffered(AT_ONCE).collect().await
    }

    /// Asks the reloader of a pod. Ours has a page that the peer's does not have.
    pub async fn ask(&self, address: Address) -> Heard {
        let (reply, offset) = match self.get(address, "/status").await {
            Ok(heard) => heard,
            Err(error) => return silent(&error),
        };
        if reply.status == 200
            && let Some(answer) = Answer::of_status(&reply.body)
        {
            return Heard { answer, offset };
        }
        if reply.status != 200 && reply.status != 404 {
            return Heard { answer: of_metrics(address, &reply), offset };
        }
        match self.get(address, "/metrics").await {
            Ok((reply, offset)) => Heard { answer: of_metrics(address, &reply), offset },
            Err(error) => silent(&error),
        }
    }

    /// Has an operand load its configuration, for what it says if it does not take it. `path` is that of the endpoint,
    /// below the prefix of the workload's routes.
    pub async fn reload(&self, address: Address, path: &str) -> Result<Reloaded, AskError> {
        let reply = within(address, RELOAD_LIMIT, self.send(address, Method::POST, path)).await?;
        Ok(match reply.status {
            200 => Reloaded::Taken,
            500 => Reloaded::Refused(String::from_utf8_lossy(&reply.body).into_owned()),
            other => Reloaded::Other(other),
        })
    }

    /// A page, and how far the clock is from ours.
    async fn get(&self, address: Address, path: &str) -> Result<(Reply, Option<Offset>), AskError> {
        let asked = (self.clock)();
        let reply = within(address, LIMIT, self.send(address, Method::GET, path)).await?;
        let offset = reply.date.map(|date| Offset::of(date, asked, (self.clock)()));
        Ok((reply, offset))
    }

    async fn send(&self, address: Address, method: Method, path: &str) -> Result<Reply, AskError> {
        let connect = |error| AskError::Connect(address, error);
        let stream = TcpStream::connect((address.ip, address.port)).await.map_err(connect)?;
        if address.tls {
            let name = ServerName::IpAddress(address.ip.into());
            let stream = self.connector.connect(name, stream).await;
            let stream = stream.map_err(|error| AskError::Tls(address, error))?;
            exchange(address, TokioIo::new(stream), method, path).await
        } else {
            exchange(address, TokioIo::new(stream), method, path).await
        }
    }
}

async fn within<T>(
    address: Address,
    limit: Duration,
    question: impl Future<Output = Result<T, AskError>>,
) -> Result<T, AskError> {
    // Boxed, because a connection is large, and whoever waits for it would be too.
    timeout(limit, Box::pin(question)).await.unwrap_or(Err(AskError::Late(address, limit)))
}

/// One request on a connection of its own, which is driven here and ends with it.
async fn exchange<S: Read + Write + Unpin>(
    address: Address,
    stream: S,
    method: Method,
    path: &str,
) -> Result<Reply, AskError> {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header(HOST, address.to_string())
        .header(USER_AGENT, concat!("mainstay/", env!("CARGO_PKG_VERSION")))
        .header(CONNECTION, "close")
        .body(Empty::<Bytes>::new())
        .map_err(|error| AskError::Path(address, error))?;
    let (mut sender, connection) =
        http1::handshake(stream).await.map_err(|error| AskError::Http(address, error))?;
    let conversation = async {
        let response = sender.send_request(request).await.map_err(|error| AskError::Http(address, error))?;
        let date = response.headers().get(DATE).and_then(|date| date.to_str().ok());
        let date = date.and_then(|date| DateTimeParser::new().parse_timestamp(date).ok());
        let status = response.status().as_u16();
        let body = Limited::new(response.into_body(), LARGEST).collect().await;
        let body = body.map_err(|error| AskError::Body(address, error))?.to_bytes();
        Ok(Reply { status, date, body })
    };
    match select(pin!(conversation), pin!(connection)).await {
        Either::Left((reply, _)) => reply,
        // What came over the connection before it ended is still to be read.
        Either::Right((_, conversation)) => conversation.await,
    }
}

fn of_metrics(address: Address, reply: &Reply) -> Answer {
    match reply.status {
        200 => Answer::of_metrics(&String::from_utf8_lossy(&reply.body)),
        status => Answer::Nothing(format!("{address} answers {status}")),
    }
}

fn silent(error: &AskError) -> Heard {
    Heard { answer: Answer::Nothing(error.to_string()), offset: None }
}

#[cfg(test)]
mod tests;
