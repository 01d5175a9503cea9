//! Rotates the certificate that the server presents, from the Secret that replicas share.

use std::time::Duration;

use k8s_openapi::jiff::Timestamp;
use kube::Client;
use tokio_util::sync::CancellationToken;

use super::certificate_store::{CertificateStore, CertificateStoreError};
use super::inject::{InjectError, Injection, Target};
use crate::clock;
use crate::web::{Identity, IdentityError, Pair, Presented};

/// What a rotation reports.
#[derive(Debug)]
pub enum Notice {
    /// A new certificate is presented.
    Presented,
    /// The bundle was written into a registration.
    Injected(Target),
    /// A registration does not exist, or registers no webhook of ours. Reported at every check.
    Absent(Target),
    /// Something failed and is retried; the previous certificate stays in use.
    Trouble(RotationError),
}

/// Why certificates could not be refreshed.
#[derive(Debug, thiserror::Error)]
pub enum RotationError {
    /// The Secret.
    #[error(transparent)]
    CertificateStore(#[from] CertificateStoreError),
    /// A registration.
    #[error(transparent)]
    Inject(#[from] InjectError),
    /// The certificate.
    #[error(transparent)]
    Identity(#[from] IdentityError),
}

/// Self-managed certificates.
pub struct Rotation {
    /// Their Secret.
    pub store: CertificateStore,
    /// The registrations that have to trust them.
    pub targets: Vec<Target>,
    /// The client for the registrations.
    pub client: Client,
    /// What the server presents.
    pub presented: Presented,
    /// The longest interval between checks: another replica may have renewed, or a registration may be new.
    pub every: Duration,
    shown: Option<Pair>,
}

impl Rotation {
    /// Checks once a minute.
    pub fn new(client: Client, store: CertificateStore, targets: Vec<Target>, presented: Presented) -> Self {
        Self { store, targets, client, presented, every: Duration::from_mins(1), shown: None }
    }

    /// Once: generates what is due, writes the registrations, and only then presents it. Returns when to check again.
    pub async fn refresh(
        &mut self,
        now: Timestamp,
        notify: &mut (impl FnMut(Notice) + Send),
    ) -> Result<Timestamp, RotationError> {
        let (bundle, until) = self.store.settle(now).await?;
        let trusted = bundle.trusted();
        let mut failed = None;
        for target in &self.targets {
            match target.inject(&self.client, &trusted, &self.store.wanted.names).await {
                Ok(Injection::Unchanged) => {}
                Ok(Injection::Written) => notify(Notice::Injected(target.clone())),
                Ok(Injection::Absent) => notify(Notice::Absent(target.clone())),
                // A failed registration must not affect the others.
                Err(error) => failed = Some(error),
            }
        }
        if self.shown.as_ref() != Some(&bundle.serving) {
            self.presented.present(Identity::of(&bundle.serving)?);
            self.shown = Some(bundle.serving);
            notify(Notice::Presented);
        }
        failed.map_or(Ok(until), |error| Err(error.into()))
    }

    /// Periodically, until `stop`.
    pub async fn follow(mut self, mut notify: impl FnMut(Notice) + Send, stop: CancellationToken) {
        loop {
            let now = clock::timestamp();
            let pause = match self.refresh(now, &mut notify).await {
                Ok(until) => until.duration_since(now).unsigned_abs().min(self.every),
                Err(error) => {
                    notify(Notice::Trouble(error));
                    RETRY
                }
            };
            tokio::select! {
                () = stop.cancelled() => return,
                () = clock::until(Some(clock::now() + pause)) => {}
            }
        }
    }
}

const RETRY: Duration = Duration::from_secs(5);
