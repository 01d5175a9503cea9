//! The way to the API server: where it is, and how long it may be silent.

use std::path::Path;
use std::task::{Context as Waker, Poll};
use std::time::Duration;

use anyhow::{Context, Result};
use futures::FutureExt;
use futures::future::BoxFuture;
use kube::Config;
use kube::config::{KubeConfigOptions, Kubeconfig};
use operator_monitoring::flags::cluster::Cluster;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use tokio::time::timeout;
use tower::{BoxError, Layer, Service};

use crate::args::RunArguments;

/// A server that says nothing for so long on a connection is not there.
const SILENCE: Duration = Duration::from_secs(295);

/// An answer has begun by then, or none comes: the server itself gives up after a minute. That of a watch or of a long list
/// begins as soon as any: what takes its time is what follows.
const BEGINNING: Duration = Duration::from_secs(65);

/// Where the cluster is, and how it is spoken to.
pub async fn config(arguments: &RunArguments, cluster: &Cluster) -> Result<Config> {
    let mut config = match (&cluster.server, &arguments.kubeconfig) {
        (Some(server), _) => Config::new(server.parse().with_context(|| format!("--apiserver {server}"))?),
        (None, Some(path)) => {
            let file =
                Kubeconfig::read_from(path).with_context(|| format!("cannot read {}", path.display()))?;
            Config::from_custom_kubeconfig(file, &KubeConfigOptions::default())
                .await
                .context("--kubeconfig")?
        }
        (None, None) => Config::infer().await.context("found no cluster: give --kubeconfig")?,
    };
    if let Some(path) = &cluster.authority {
        let read = || -> Result<Vec<Vec<u8>>> {
            let certificates = CertificateDer::pem_file_iter(path)?.collect::<Result<Vec<_>, _>>()?;
            Ok(certificates.iter().map(|certificate| certificate.to_vec()).collect())
        };
        config.root_cert = Some(read().with_context(|| format!("--ca-file {}", path.display()))?);
    }
    let text = |path: &Path| path.display().to_string();
    if let Some(path) = &cluster.certificate {
        config.auth_info.client_certificate = Some(text(path));
    }
    if let Some(path) = &cluster.key {
        config.auth_info.client_key = Some(text(path));
    }
    config.accept_invalid_certs |= cluster.insecure;
    if let Some(user) = &cluster.user {
        config.auth_info.impersonate = Some(user.clone());
    }
    // The queue decides when something is tried again, and says so.
    config.default_retry = false;
    // A connection that died without a word must not keep a pass for ever. Watches say something more often than this.
    config.read_timeout = Some(SILENCE);
    config.reset_reader_on_write = true;
    Ok(config)
}

/// Gives up requests whose answer does not begin: a server that died without a word holds nobody up. A layer around the
/// client's service.
#[derive(Debug, Clone, Copy)]
pub struct Patience;

impl<S> Layer<S> for Patience {
    type Service = Patient<S>;

    fn layer(&self, server: S) -> Patient<S> {
        Patient(server)
    }
}

/// A server that is not waited for without end.
#[derive(Debug, Clone)]
pub struct Patient<S>(S);

/// An answer that has not begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the API server did not begin to answer within {BEGINNING:?}")]
pub struct NoAnswer;

impl<S, Q> Service<Q> for Patient<S>
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
        let answer = timeout(BEGINNING, self.0.call(request));
        async move { answer.await.map_err(|_| NoAnswer)?.map_err(Into::into) }.boxed()
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

    /// An answer that begins after so many seconds, and then comes in pieces, one a minute.
    fn server(begins: u64) -> Client {
        let service = tower::service_fn(move |_: Request<Body>| async move {
            clock::until(Some(clock::now() + Duration::from_secs(begins))).await;
            let pieces = stream::iter(["a", "b", "c"]).then(async |piece| {
                clock::until(Some(clock::now() + Duration::from_mins(1))).await;
                Ok::<_, BoxError>(piece)
            });
            Ok::<_, BoxError>(Response::new(Pieces::from_stream(pieces)))
        });
        ClientBuilder::new(service, "default").with_layer(&Patience).build()
    }

    /// What is answered, or why nothing is, and how many seconds that took.
    #[expect(clippy::disallowed_methods, reason = "a test plays the caller")]
    async fn answer(begins: u64) -> (Result<String, NoAnswer>, u64) {
        let start = clock::now();
        let answer = server(begins).request_text(Request::get("/").body(Vec::new()).unwrap()).await;
        let answer = answer.map_err(|error| {
            let kube::Error::Service(error) = error else { panic!("{error}") };
            *error.downcast::<NoAnswer>().unwrap()
        });
        (answer, (clock::now() - start).as_secs())
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_begins_in_time_or_is_given_up_and_may_then_take_its_time() {
        assert_eq!(answer(64).await, (Ok("abc".into()), 64 + 3 * 60));
        assert_eq!(answer(66).await, (Err(NoAnswer), 65));
    }
}
