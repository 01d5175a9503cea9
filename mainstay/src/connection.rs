//! The connection to the API server: its address, credentials and timeouts.

use std::path::PathBuf;
use std::task::{Context as Waker, Poll};
use std::time::Duration;

use anyhow::{Context, Result};
use futures::FutureExt;
use futures::future::BoxFuture;
use kube::Config;
use kube::config::{KubeConfigOptions, Kubeconfig};
use operator_monitoring::flags::cluster::ClusterFlags;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use tokio::time::timeout;
use tower::{BoxError, Layer, Service};

use crate::args::RunArguments;

/// A connection without any data for so long is closed. Watches receive data more often.
const READ_TIMEOUT: Duration = Duration::from_secs(295);

/// How long a response may take to start. The API server itself gives up after a minute. The response to a watch or to a
/// long list starts as soon as any other; only its body takes longer.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(65);

/// The address of the API server, and how requests are sent.
pub async fn config(arguments: &RunArguments, cluster: &ClusterFlags) -> Result<Config> {
    let mut config = match (cluster.server.as_str(), &arguments.kubeconfig) {
        ("", Some(path)) => {
            let file =
                Kubeconfig::read_from(path).with_context(|| format!("cannot read {}", path.display()))?;
            Config::from_custom_kubeconfig(file, &KubeConfigOptions::default())
                .await
                .context("--kubeconfig")?
        }
        ("", None) => Config::infer().await.context("no cluster found: use --kubeconfig")?,
        (server, _) => Config::new(server.parse().with_context(|| format!("--apiserver {server}"))?),
    };
    if let Some(path) = &cluster.authority {
        let read = || -> Result<Vec<Vec<u8>>> {
            let certificates = CertificateDer::pem_file_iter(path)?.collect::<Result<Vec<_>, _>>()?;
            Ok(certificates.iter().map(|certificate| certificate.to_vec()).collect())
        };
        config.root_cert = Some(read().with_context(|| format!("--ca-file {}", path.display()))?);
    }
    let text = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
    let auth = &mut config.auth_info;
    auth.client_certificate = text(&cluster.certificate).or(auth.client_certificate.take());
    auth.client_key = text(&cluster.key).or(auth.client_key.take());
    if !cluster.user.is_empty() {
        auth.impersonate = Some(cluster.user.clone());
    }
    config.accept_invalid_certs |= cluster.insecure;
    // Only the queue retries, so that retries are counted.
    config.default_retry = false;
    // A connection that died silently must not block a pass.
    config.read_timeout = Some(READ_TIMEOUT);
    config.reset_reader_on_write = true;
    Ok(config)
}

/// Fails requests whose response does not start in time. A layer around the service of the client.
#[derive(Debug, Clone, Copy)]
pub struct ResponseTimeout;

impl<S> Layer<S> for ResponseTimeout {
    type Service = TimedService<S>;

    fn layer(&self, service: S) -> TimedService<S> {
        TimedService(service)
    }
}

/// A service whose responses have to start in time.
#[derive(Debug, Clone)]
pub struct TimedService<S>(S);

/// A response that did not start in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the API server did not start to respond within {RESPONSE_TIMEOUT:?}")]
pub struct NoResponse;

impl<S, Q> Service<Q> for TimedService<S>
where
    S: Service<Q>,
    S::Future: Send + 'static,
    S::Error: Into<BoxError>,
{
    type Response = S::Response;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<S::Response, BoxError>>;

    fn poll_ready(&mut self, waker: &mut Waker<'_>) -> Poll<Result<(), BoxError>> {
        self.0.poll_ready(waker).map_err(Into::into)
    }

    fn call(&mut self, request: Q) -> Self::Future {
        let response = timeout(RESPONSE_TIMEOUT, self.0.call(request));
        async move { response.await.map_err(|_| NoResponse)?.map_err(Into::into) }.boxed()
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body as Pieces;
    use futures::{StreamExt, stream};
    use http::{Request, Response};
    use kernel::clock;
    use kube::Client;
    use kube::client::{Body, ClientBuilder};

    use super::*;

    /// A server whose response starts after so many seconds and then continues with one chunk a minute.
    fn server(begins: u64) -> Client {
        let service = tower::service_fn(move |_: Request<Body>| async move {
            clock::until(Some(clock::now() + Duration::from_secs(begins))).await;
            let pieces = stream::iter(["a", "b", "c"]).then(async |piece| {
                clock::until(Some(clock::now() + Duration::from_mins(1))).await;
                Ok::<_, BoxError>(piece)
            });
            Ok::<_, BoxError>(Response::new(Pieces::from_stream(pieces)))
        });
        ClientBuilder::new(service, "default").with_layer(&ResponseTimeout).build()
    }

    /// The response or the error, and how many seconds it took.
    #[expect(clippy::disallowed_methods, reason = "a test plays the caller")]
    async fn answer(begins: u64) -> (Result<String, NoResponse>, u64) {
        let start = clock::now();
        let answer = server(begins).request_text(Request::get("/").body(Vec::new()).unwrap()).await;
        let answer = answer.map_err(|error| {
            let kube::Error::Service(error) = error else { panic!("{error}") };
            *error.downcast::<NoResponse>().unwrap()
        });
        (answer, (clock::now() - start).as_secs())
    }

    #[tokio::test(start_paused = true)]
    async fn only_the_start_of_a_response_has_to_be_in_time() {
        assert_eq!(answer(64).await, (Ok("abc".into()), 64 + 3 * 60));
        assert_eq!(answer(66).await, (Err(NoResponse), 65));
    }
}
