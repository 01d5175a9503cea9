//! Where the lease lives: three requests, and whether we may make them.

use std::future::Future;
use std::time::Duration;

use k8s_openapi::api::coordination::v1::Lease;
use kube::api::PostParams;
use kube::{Api, Client};

use crate::clock;

/// How long the server that denied us the lease may just have begun: until it has read its roles it denies everything.
const FRESH: Duration = Duration::from_secs(30);

/// How often such a server is asked again.
const SOON: Duration = Duration::from_secs(2);

/// How often another one is: the right may be granted at any time.
const LATER: Duration = Duration::from_mins(1);

/// Why a request about the lease came to nothing. Which error it was changes no decision: the next attempt looks.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The server refused or could not be reached.
    #[error(transparent)]
    Request(#[from] kube::Error),
    /// It took longer than the term allows.
    #[error("no answer in time")]
    NoAnswer,
}

/// The server that keeps the lease.
pub trait LeaseServer {
    /// The lease as it is, if it is there.
    fn read(&self) -> impl Future<Output = Result<Option<Lease>, ServerError>> + Send;
    /// Creates it; fails if it is there.
    fn create(&self, lease: Lease) -> impl Future<Output = Result<Lease, ServerError>> + Send;
    /// Replaces exactly the version that the lease names.
    fn replace(&self, lease: Lease) -> impl Future<Output = Result<Lease, ServerError>> + Send;
}

/// A lease on a Kubernetes API server.
#[derive(Debug, Clone)]
pub struct LeaseObject {
    api: Api<Lease>,
    name: String,
}

impl LeaseObject {
    /// The lease of this name.
    pub fn new(client: Client, namespace: &str, name: &str) -> Self {
        Self { api: Api::namespaced(client, namespace), name: name.to_owned() }
    }

    /// Whether we may look at it. A server that does not answer has not said no.
    pub async fn is_allowed(&self) -> bool {
        !matches!(self.api.get_opt(&self.name).await, Err(kube::Error::Api(status)) if status.code == 403)
    }

    /// Waits until we may look at it, when we might not. Whether it is there or not is an answer; trouble on the way is
    /// none.
    pub async fn allowed(&self) {
        let denied = clock::now();
        loop {
            let now = clock::now();
            let pause = if now.duration_since(denied) < FRESH { SOON } else { LATER };
            clock::until(Some(now + pause)).await;
            if self.api.get_opt(&self.name).await.is_ok() {
                return;
            }
        }
    }
}

impl LeaseServer for LeaseObject {
    async fn read(&self) -> Result<Option<Lease>, ServerError> {
        Ok(self.api.get_opt(&self.name).await?)
    }

    async fn create(&self, mut lease: Lease) -> Result<Lease, ServerError> {
        lease.metadata.name = Some(self.name.clone());
        Ok(self.api.create(&PostParams::default(), &lease).await?)
    }

    async fn replace(&self, lease: Lease) -> Result<Lease, ServerError> {
        Ok(self.api.replace(&self.name, &PostParams::default(), &lease).await?)
    }
}
