//! Requests to an instance: whether it holds writes, and to hold or release them.

use std::net::SocketAddr;
use std::time::Duration;

use http::{Method, StatusCode};
use k8s_openapi::jiff::SignedDuration;
use kernel::flow::PassError;
use kernel::operand::{self, AskError, OperandRequest, Reply};
use serde_json::Value;

use crate::gather::{Credentials, Writes};
use crate::plan::Step;
use crate::upgrade::WriteControl;

/// How long an instance may take to answer.
const TIMEOUT: Duration = Duration::from_secs(5);
/// How long an instance holds its writes without another request, in seconds.
const HOLD: u32 = 60;
/// When to repeat the request, so that writes stay held.
pub const RENEWAL: SignedDuration = SignedDuration::from_secs(20);
/// When to repeat a request that had no effect.
pub const RETRY: SignedDuration = SignedDuration::from_secs(1);

/// The client of instances.
#[derive(Debug, Clone, Default)]
pub struct Instances {
    /// The address of all instances, if their host names are not resolved.
    proxy: Option<SocketAddr>,
}

impl Instances {
    /// Reaches all instances at one address, which distinguishes them by the `Host` header. For tests that simulate them.
    pub fn behind(address: SocketAddr) -> Self {
        Self { proxy: Some(address) }
    }

    /// Whether an instance holds writes. `Unknown` if it gives no valid response.
    pub async fn writes(&self, host: &str, credentials: &Credentials) -> Writes {
        let reply = self.ask(Method::GET, host, "/v1/version", credentials).await;
        let Some(reply) = reply.ok().filter(|reply| reply.status == StatusCode::OK) else {
            return Writes::Unknown;
        };
        let body: Value = serde_json::from_slice(&reply.body).unwrap_or_default();
        match body["writes"].as_str() {
            Some("open") => Writes::Open,
            Some("held") => Writes::Held,
            Some("moved") => Writes::Moved,
            _ => Writes::Unknown,
        }
    }

    /// Performs the step of a plan.
    pub async fn perform(&self, step: &Step, credentials: &Credentials) -> Result<(), PassError> {
        let path = match step.control {
            WriteControl::Hold => format!("/internal/hold?seconds={HOLD}"),
            WriteControl::Release => "/internal/release".into(),
        };
        let host = &step.host;
        match self.ask(Method::POST, host, &path, credentials).await {
            Ok(reply) if reply.status.is_success() => Ok(()),
            // Writes are held until other data replace these, or a migration still reads them: the next pass looks again.
            Ok(Reply { status: StatusCode::CONFLICT | StatusCode::SERVICE_UNAVAILABLE, .. }) => Ok(()),
            Ok(Reply { status, body, .. }) => {
                let body = String::from_utf8_lossy(&body);
                Err(PassError::Unusable(format!("{host}{path} answered {status}: {body}")))
            }
            Err(error) => Err(PassError::outside(format!("cannot ask {host}{path}"), error)),
        }
    }

    async fn ask(
        &self,
        method: Method,
        host: &str,
        path: &str,
        credentials: &Credentials,
    ) -> Result<Reply, AskError> {
        let address = self.proxy.map_or_else(|| host.to_owned(), |proxy| proxy.to_string());
        let credentials = Some([&*credentials.username, &*credentials.password]);
        let address = &address;
        operand::ask(&OperandRequest { method, address, host, path, tls: false, credentials }, TIMEOUT).await
    }
}
