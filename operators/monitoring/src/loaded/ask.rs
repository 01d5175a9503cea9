//! Asks pods over HTTP. Each request has a timeout, and only a few are sent at once.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use futures::future::BoxFuture;
use futures::{FutureExt as _, StreamExt as _, stream};
use http::{Method, StatusCode};
use k8s_openapi::jiff::Timestamp;
use kernel::flow::PassError;
use kernel::operand::{self, AskError, OperandRequest, Reply};

use crate::loaded::answer::{PodAnswer, ReloaderAnswer};
use crate::loaded::offset::Offset;
use crate::rejections::tracker::LoadResult;

/// The timeout of a request.
const TIMEOUT: Duration = Duration::from_secs(2);

/// The timeout of a reload: it reads the whole configuration, which may be large.
const RELOAD_TIMEOUT: Duration = Duration::from_secs(30);

/// How many pods are asked at once.
const AT_ONCE: usize = 8;

/// The address of a port of a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address {
    /// The pod's.
    pub ip: IpAddr,
    /// The container's.
    pub port: u16,
    /// Whether it serves TLS, because of the web configuration of the workload.
    pub tls: bool,
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        SocketAddr::new(self.ip, self.port).fmt(f)
    }
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

    /// Asks the reloaders of pods; the answers come in the order of the addresses.
    pub async fn ask_all(&self, addresses: &[Address]) -> Vec<PodAnswer> {
        let requests: Vec<BoxFuture<'_, PodAnswer>> =
            addresses.iter().map(|address| self.ask(*address).boxed()).collect();
        stream::iter(requests).buffered(AT_ONCE).collect().await
    }

    /// Asks the reloader of a pod. Only ours has a status page.
    pub async fn ask(&self, address: Address) -> PodAnswer {
        let answer = async {
            let (reply, offset) = self.get(address, "/status").await?;
            if reply.status == StatusCode::OK
                && let Some(answer) = ReloaderAnswer::of_status(&reply.body)
            {
                return Ok(PodAnswer { answer, offset });
            }
            if reply.status != StatusCode::OK && reply.status != StatusCode::NOT_FOUND {
                return Ok(PodAnswer { answer: of_metrics(address, &reply), offset });
            }
            let (reply, offset) = self.get(address, "/metrics").await?;
            Ok(PodAnswer { answer: of_metrics(address, &reply), offset })
        };
        answer.await.unwrap_or_else(|error: AskError| {
            PodAnswer::nothing(PassError::outside(address.to_string(), error).with_causes())
        })
    }

    /// Makes an operand reload its configuration, to get its error if it rejects the configuration. `path` is the path of
    /// the endpoint, with the route prefix. None, if there is no answer or another one, such as a request to log in.
    pub async fn reload(&self, address: Address, path: &str) -> Option<LoadResult> {
        let reply = send(address, Method::POST, path, RELOAD_TIMEOUT).await.ok()?;
        match reply.status {
            StatusCode::OK => Some(LoadResult::Accepted),
            StatusCode::INTERNAL_SERVER_ERROR => {
                Some(LoadResult::Rejected(String::from_utf8_lossy(&reply.body).into_owned()))
            }
            _ => None,
        }
    }

    /// A page, and how far the clock of the pod is from ours.
    async fn get(&self, address: Address, path: &str) -> Result<(Reply, Option<Offset>), AskError> {
        let asked = (self.clock)();
        let reply = send(address, Method::GET, path, TIMEOUT).await?;
        let offset = reply.date.map(|date| Offset::of(date, asked, (self.clock)()));
        Ok((reply, offset))
    }
}

async fn send(address: Address, method: Method, path: &str, limit: Duration) -> Result<Reply, AskError> {
    let (host, tls) = (&*address.to_string(), address.tls);
    let request = OperandRequest { method, address: host, host, path, tls, credentials: None };
    operand::ask(&request, limit).await
}

fn of_metrics(address: Address, reply: &Reply) -> ReloaderAnswer {
    match reply.status {
        StatusCode::OK => ReloaderAnswer::of_metrics(&String::from_utf8_lossy(&reply.body)),
        status => ReloaderAnswer::Nothing(format!("{address} answers {}", status.as_u16())),
    }
}

#[cfg(test)]
mod tests;
