//! Where the lease lives: three requests, and nothing decided here.

use std::future::Future;

use k8s_openapi::api::coordination::v1::Lease;
use kube::api::PostParams;
use kube::{Api, Client};

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
