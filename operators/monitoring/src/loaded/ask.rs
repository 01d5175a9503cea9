//! Asks pods over HTTP: the only file here that does something. Each question has a limit, and few are asked at once.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use futures::future::BoxFuture;
use futures::{FutureExt as _, StreamExt as _, stream};
use http::{Method, StatusCode};
use k8s_openapi::jiff::Timestamp;
use kernel::flow::PassError;
use kernel::operand::{self, AskError, Reply, Request};

use crate::loaded::answer::{Answer, Heard};
use crate::loaded::offset::Offset;

/// Longest wait for one answer.
const LIMIT: Duration = Duration::from_secs(2);

/// A reload reads the whole configuration, and some are large.
const RELOAD_LIMIT: Duration = Duration::from_secs(30);

/// So many pods are asked at once.
const AT_ONCE: usize = 8;

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

/// What an operand said to a reload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reloaded {
    /// It worked.
    Taken,
    /// It refused the configuration, with this text. It may quote secrets: [`crate::rejections::error_text::redacted`] says what may be shown.
    Refused(String),
    /// It said something else, such as that one must log in.
    Other(u16),
}

/// Asks pods.
pub struct Asker {
    clock: fn() -> Timestamp,
}

impl Asker {
    /// With this clock.
    pub fn new(clock: fn() -> Timestamp) -> Self {
        Self { clock }
    }

    /// Asks the reloaders of pods, a few at once; the answers come in the order of the questions.
    pub async fn ask_all(&self, addresses: &[Address]) -> Vec<Heard> {
        let questions: Vec<BoxFuture<'_, Heard>> =
            addresses.iter().map(|address| self.ask(*address).boxed()).collect();
        stream::iter(questions).buffered(AT_ONCE).collect().await
    }

    /// Asks the reloader of a pod. Ours has a page that the peer's does not have.
    pub async fn ask(&self, address: Address) -> Heard {
        let heard = async {
            let (reply, offset) = self.get(address, "/status").await?;
            if reply.status == StatusCode::OK
                && let Some(answer) = Answer::of_status(&reply.body)
            {
                return Ok(Heard { answer, offset });
            }
            if reply.status != StatusCode::OK && reply.status != StatusCode::NOT_FOUND {
                return Ok(Heard { answer: of_metrics(address, &reply), offset });
            }
            let (reply, offset) = self.get(address, "/metrics").await?;
            Ok(Heard { answer: of_metrics(address, &reply), offset })
        };
        heard.await.unwrap_or_else(|error: AskError| {
            let words = PassError::outside(address.to_string(), error).words();
            Heard { answer: Answer::Nothing(words), offset: None }
        })
    }

    /// Has an operand load its configuration, for what it says if it does not take it. `path` is that of the endpoint,
    /// below the prefix of the workload's routes.
    pub async fn reload(&self, address: Address, path: &str) -> Result<Reloaded, AskError> {
        let reply = send(address, Method::POST, path, RELOAD_LIMIT).await?;
        Ok(match reply.status {
            StatusCode::OK => Reloaded::Taken,
            StatusCode::INTERNAL_SERVER_ERROR => {
                Reloaded::Refused(String::from_utf8_lossy(&reply.body).into_owned())
            }
            other => Reloaded::Other(other.as_u16()),
        })
    }

    /// A page, and how far the clock is from ours.
    async fn get(&self, address: Address, path: &str) -> Result<(Reply, Option<Offset>), AskError> {
        let asked = (self.clock)();
        let reply = send(address, Method::GET, path, LIMIT).await?;
        let offset = reply.date.map(|date| Offset::of(date, asked, (self.clock)()));
        Ok((reply, offset))
    }
}

async fn send(address: Address, method: Method, path: &str, limit: Duration) -> Result<Reply, AskError> {
    let (host, tls) = (&*address.to_string(), address.tls);
    let request = Request { method, address: host, host, path, tls, credentials: None };
    operand::ask(&request, limit).await
}

fn of_metrics(address: Address, reply: &Reply) -> Answer {
    match reply.status {
        StatusCode::OK => Answer::of_metrics(&String::from_utf8_lossy(&reply.body)),
        status => Answer::Nothing(format!("{address} answers {}", status.as_u16())),
    }
}

#[cfg(test)]
mod tests;
