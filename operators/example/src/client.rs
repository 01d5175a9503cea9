//! The way to an instance: asks where writes stand, and lets them wait or pass.

use std::net::SocketAddr;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http_body_util::{BodyExt, Empty, Limited};
use hyper::body::Bytes;
use hyper::{Method, Request, StatusCode};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use k8s_openapi::jiff::SignedDuration;
use kernel::flow::PassError;
use serde_json::Value;

use crate::gather::{Credentials, Gate};
use crate::plan::Step;
use crate::upgrade::Ask;

/// How long an instance may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long writes wait before they pass by themselves, if nobody asks again, in seconds.
const HOLD: u32 = 60;
/// When to ask again so that writes go on waiting.
pub const RENEWAL: SignedDuration = SignedDuration::from_secs(20);
/// When to ask again for what did not come about.
pub const RETRY: SignedDuration = SignedDuration::from_secs(1);
const LARGEST_ANSWER: usize = 64 << 10;

/// Talks to instances.
#[derive(Debug, Clone)]
pub struct Instances {
    client: Client<HttpConnector, Empty<Bytes>>,
    /// Where all of them are, if it is not where their names lead.
    behind: Option<SocketAddr>,
}

impl Default for Instances {
    fn default() -> Self {
        let mut connector = HttpConnector::new();
        connector.set_connect_timeout(Some(Duration::from_secs(2)));
        // Instances come and go: a kept connection may lead to one that is gone.
        let client = Client::builder(TokioExecutor::new()).pool_max_idle_per_host(0).build(connector);
        Self { client, behind: None }
    }
}

impl Instances {
    /// All instances behind one address, which tells them apart by the host that is asked for: for tests that play them.
    pub fn behind(address: SocketAddr) -> Self {
        Self { behind: Some(address), ..Self::default() }
    }

    /// Where writes stand. An instance that does not answer, or not as it should, is silent.
    pub async fn gate(&self, url: &str, credentials: &Credentials) -> Gate {
        let answer = self.ask(Method::GET, &format!("{url}/v1/version"), credentials).await;
        let Ok((StatusCode::OK, body)) = answer else { return Gate::Silent };
        match body["writes"].as_str() {
            Some("open") => Gate::Open,
            Some("held") => Gate::Held,
            Some("moved") => Gate::Moved,
            _ => Gate::Silent,
        }
    }

    /// Does what a plan asks for.
    pub async fn perform(&self, step: &Step, credentials: &Credentials) -> Result<(), PassError> {
        let path = match step.ask {
            Ask::Hold => format!("/internal/hold?seconds={HOLD}"),
            Ask::Release => "/internal/release".into(),
        };
        let url = format!("{}{path}", step.url);
        match self.ask(Method::POST, &url, credentials).await {
            Ok((status, _)) if status.is_success() => Ok(()),
            // Writes already wait for the data that replace these, or a migration still reads them: look again.
            Ok((StatusCode::CONFLICT | StatusCode::SERVICE_UNAVAILABLE, _)) => Ok(()),
            Ok((status, body)) => Err(PassError::Unusable(format!("{url} answered {status}: {body}"))),
            Err(words) => Err(PassError::outside(format!("{url} cannot be reached"), words)),
        }
    }

    async fn ask(
        &self,
        method: Method,
        url: &str,
        credentials: &Credentials,
    ) -> Result<(StatusCode, Value), String> {
        let pair = STANDARD.encode(format!("{}:{}", credentials.username, credentials.password));
        let (host, path) = split(url);
        let target = self.behind.map_or_else(|| url.to_owned(), |address| format!("http://{address}{path}"));
        let request = Request::builder()
            .method(method)
            .uri(target)
            .header("host", host)
            .header("authorization", format!("Basic {pair}"));
        let request = request.body(Empty::new()).map_err(|error| error.to_string())?;
        let exchange = async {
            let answer = self.client.request(request).await.map_err(|error| format!("{error:?}"))?;
            let status = answer.status();
            let body = Limited::new(answer.into_body(), LARGEST_ANSWER).collect().await;
            let body = body.map_err(|error| error.to_string())?.to_bytes();
            Ok((status, serde_json::from_slice(&body).unwrap_or_default()))
        };
        tokio::time::timeout(PATIENCE, exchange).await.unwrap_or_else(|_| Err("it takes too long".into()))
    }
}

/// The host of a URL, with its port, and what follows it.
fn split(url: &str) -> (&str, &str) {
    let rest = url.strip_prefix("http://").unwrap_or(url);
    rest.split_at(rest.find('/').unwrap_or(rest.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_has_a_host_and_a_path() {
        assert_eq!(split("http://a-0.b.c.svc:8080/v1/version"), ("a-0.b.c.svc:8080", "/v1/version"));
        assert_eq!(split("http://a:80"), ("a:80", ""));
    }
}
