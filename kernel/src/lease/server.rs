//! The requests about the lease, and whether they are permitted.

use std::future::Future;
use std::time::Duration;

use k8s_openapi::api::coordination::v1::Lease;
use kube::api::PostParams;
use kube::{Api, Client};

use crate::clock;

/// How long a denial is assumed to come from a server that has just started: it denies everything until it has loaded its
/// roles.
const FRESH: Duration = Duration::from_secs(30);

/// The interval of retries with such a server.
const SOON: Duration = Duration::from_secs(2);

/// The interval with any other server: the permission may be granted at any time.
const LATER: Duration = Duration::from_mins(1);

/// Why a request about the lease failed. The error changes no decision: the next attempt reads the lease.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The server rejected it or could not be reached.
    #[error(transparent)]
    Request(#[from] kube::Error),
    /// It took longer than the term allows.
    #[error("no answer in time")]
    NoAnswer,
}

/// The server that keeps the lease.
pub trait LeaseServer {
    /// The present lease, if it exists.
    fn read(&self) -> impl Future<Output = Result<Option<Lease>, ServerError>> + Send;
    /// Creates it; fails if it exists.
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

    /// Whether we have the permission to read it. A failed request does not count as a denial.
    pub async fn is_allowed(&self) -> bool {
        !matches!(self.api.get_opt(&self.name).await, Err(kube::Error::Api(status)) if status.code == 403)
    }

    /// After a denial, waits until we have the permission to read it. The lease need not exist; a failed request is retried.
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

#[expect(clippy::disallowed_methods, reason = "the lease")]
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
