//! A server for one test, with its own directory and port, and a client with its credentials.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use axum::body::Bytes;
use axum::http::{HeaderMap, Method, Request, StatusCode, header};
use base64::Engine;
use example_app::args::ServeArguments;
use example_app::clock;
use example_app::serve::Server;
use example_app::version::Version;
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;

/// The limit of every wait.
pub(crate) const LIMIT: Duration = Duration::from_secs(30);

pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}

/// Sends a request; `authorization` is `user:password`, or none.
pub(crate) async fn ask(
    address: SocketAddr,
    method: Method,
    path: &str,
    authorization: Option<&str>,
    body: &str,
) -> Result<Answer> {
    let mut request = Request::builder().method(method).uri(format!("http://{address}{path}"));
    if let Some(pair) = authorization {
        let pair = base64::engine::general_purpose::STANDARD.encode(pair);
        request = request.header(header::AUTHORIZATION, format!("Basic {pair}"));
    }
    let request = request.body(Full::new(Bytes::from(body.to_owned())))?;
    let response = Client::builder(TokioExecutor::new()).build_http().request(request).await?;
    let (parts, body) = response.into_parts();
    Ok(Answer { status: parts.status, headers: parts.headers, body: body.collect().await?.to_bytes() })
}

/// Waits until `look` returns true.
pub(crate) async fn eventually(what: &str, mut look: impl AsyncFnMut() -> bool) -> Result<()> {
    let deadline = clock::Deadline::after(LIMIT);
    while !look().await {
        anyhow::ensure!(!deadline.passed(), "{what}: not within the limit");
        tokio::task::yield_now().await;
    }
    Ok(())
}

/// The files of a replica.
pub(crate) struct ReplicaFiles {
    directory: tempfile::TempDir,
}

impl ReplicaFiles {
    pub(crate) fn new() -> Result<Self> {
        let files = Self { directory: tempfile::tempdir()? };
        std::fs::create_dir(files.auth())?;
        files.set_password("secret")?;
        Ok(files)
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.directory.path().join("data")
    }

    fn auth(&self) -> PathBuf {
        self.directory.path().join("auth")
    }

    pub(crate) fn features(&self) -> PathBuf {
        self.directory.path().join("features.json")
    }

    pub(crate) fn set_password(&self, password: &str) -> Result<()> {
        std::fs::write(self.auth().join("username"), "ann")?;
        Ok(replace(&self.auth().join("password"), password)?)
    }

    /// The arguments of a writer; a test can change them.
    pub(crate) fn arguments(&self) -> ServeArguments {
        ServeArguments {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            data: self.data(),
            auth_directory: self.auth(),
            features_file: Some(self.features()),
            host_name: "app-0".into(),
            leader_url: None,
            hold_limit: 20,
            lag_limit: 0,
            silence_limit: 60,
            shutdown_limit: 10,
        }
    }

    pub(crate) async fn start(&self, version: Version) -> Result<Running> {
        Running::start(self.arguments(), version).await
    }

    /// Starts a follower of the writer at an address.
    pub(crate) async fn start_follower(&self, version: Version, writer: SocketAddr) -> Result<Running> {
        let arguments = ServeArguments {
            host_name: "app-1".into(),
            leader_url: Some(format!("http://{writer}")),
            ..self.arguments()
        };
        Running::start(arguments, version).await
    }
}

/// Replaces a file by a rename, as the kubelet does in a mounted volume.
pub(crate) fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let draft = path.with_extension("draft");
    std::fs::write(&draft, text)?;
    std::fs::rename(draft, path)
}

pub(crate) struct Running {
    server: Server,
    pub(crate) address: SocketAddr,
}

impl Running {
    pub(crate) async fn start(arguments: ServeArguments, version: Version) -> Result<Self> {
        let server = Server::start(arguments, version).await?;
        Ok(Self { address: server.address(), server })
    }

    pub(crate) async fn stop(self) {
        self.server.stop().await;
    }

    pub(crate) async fn ask(&self, method: Method, path: &str, body: &str) -> Result<Answer> {
        ask(self.address, method, path, Some("ann:secret"), body).await
    }

    pub(crate) async fn get(&self, path: &str) -> Result<Answer> {
        self.ask(Method::GET, path, "").await
    }

    /// Writes an item, and returns its revision.
    pub(crate) async fn put(&self, key: &str, value: &str) -> Result<u64> {
        let answer = self.ask(Method::PUT, &format!("/v1/items/{key}"), value).await?;
        anyhow::ensure!(answer.status.is_success(), "{}: {:?}", answer.status, answer.body);
        answer.json()["revision"].as_u64().context("a revision")
    }

    pub(crate) async fn value(&self, key: &str) -> Result<String> {
        let answer = self.get(&format!("/v1/items/{key}")).await?;
        anyhow::ensure!(answer.status == StatusCode::OK, "{}", answer.status);
        Ok(String::from_utf8(answer.body.to_vec())?)
    }

    pub(crate) async fn ready(&self) -> Result<()> {
        eventually("ready", async || {
            self.get("/readyz").await.is_ok_and(|answer| answer.status == StatusCode::OK)
        })
        .await
    }
}
