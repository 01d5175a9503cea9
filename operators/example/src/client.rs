//! Asks an instance about its writes, and holds or releases them.

use std::net::SocketAddr;
use std::time::Duration;

use http::{Method, StatusCode};
use k8s_openapi::jiff::SignedDuration;
use kernel::flow::PassError;
use kernel::operand::{self, AskError, Reply, Request};
use serde_json::Value;

use crate::gather::{Credentials, Writes};
use crate::plan::Step;
use crate::upgrade::WriteControl;

/// How long an instance may take to answer.
const TIMEOUT: Duration = Duration::from_secs(5);
/// How long an instance holds its writes if it is not asked again, in seconds.
const HOLD: u32 = 60;
/// When to ask again so that writes stay held.
pub const RENEWAL: SignedDuration = SignedDuration::from_secs(20);
/// When to ask again for what did not come about.
pub const RETRY: SignedDuration = SignedDuration::from_secs(1);

/// Talks to instances.
#[derive(Debug, Clone, Default)]
pub struct Instances {
    /// Where all of them are, if it is not where their names lead.
    proxy: Option<SocketAddr>,
}

impl Instances {
    /// All instances behind one address, which tells them apart by the host that is asked for: for tests that play them.
    pub fn behind(address: SocketAddr) -> Self {
        Self { proxy: Some(address) }
    }

    /// What an instance does with writes. One that gives no valid answer is unknown.
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

    /// Does what a plan asks for.
    pub async fn perform(&self, step: &Step, credentials: &Credentials) -> Result<(), PassError> {
        let path = match step.control {
            WriteControl::Hold => format!("/internal/hold?seconds={HOLD}"),
            WriteControl::Release => "/internal/release".into(),
        };
        let host = &step.host;
        match self.ask(Method::POST, host, &path, credentials).await {
            Ok(reply) if reply.status.is_success() => Ok(()),
            // Writes are held for the data that replace these, or a migration still reads them: the next pass looks again.
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
        operand::ask(&Request { method, address: &address, host, path, tls: false, credentials }, TIMEOUT)
            .await
    }
}
