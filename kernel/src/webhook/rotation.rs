//! Rotates the certificate that the server presents, from the Secret that replicas share.

use std::time::Duration;

use k8s_openapi::jiff::Timestamp;
use kube::Client;
use tokio_util::sync::CancellationToken;

use super::certificate_store::{CertificateStore, CertificateStoreError};
use super::inject::{InjectError, Injection, InjectionTarget};
use crate::clock;
use crate::web::{Pair, Presented, TlsIdentity, TlsIdentityError};

/// What a rotation reports.
#[derive(Debug)]
pub enum RotationNotice {
    /// A new certificate is presented.
    Presented,
    /// The bundle was written into a registration.
    Injected(InjectionTarget),
    /// A registration does not exist, or registers no webhook of ours. Reported at every check.
    Absent(InjectionTarget),
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
    Identity(#[from] TlsIdentityError),
}

/// Self-managed certificates.
pub struct Rotation {
    /// Their Secret.
    pub store: CertificateStore,
    /// The registrations that contain the trusted authorities.
    pub targets: Vec<InjectionTarget>,
    /// The client for the registrations.
    pub client: Client,
    /// The certificate that the server presents.
    pub presented: Presented,
    /// The longest interval between checks: another replica may have renewed, or a registration may be new.
    pub every: Duration,
    last: Option<Pair>,
}

impl Rotation {
    /// Checks once a minute.
    pub fn new(
        client: Client,
        store: CertificateStore,
        targets: Vec<InjectionTarget>,
        presented: Presented,
    ) -> Self {
        Self { store, targets, client, presented, every: Duration::from_mins(1), last: None }
    }

    /// One check: generates what is due, updates the registrations, and only then presents it. Returns when to check again.
    pub async fn refresh(
        &mut self,
        now: Timestamp,
        notify: &mut (impl FnMut(RotationNotice) + Send),
    ) -> Result<Timestamp, RotationError> {
        let (bundle, until) = self.store.settle(now).await?;
        let trusted = bundle.trusted();
        let mut failed = None;
        for target in &self.targets {
            match target.inject(&self.client, &trusted, &self.store.wanted.names).await {
                Ok(Injection::Unchanged) => {}
                Ok(Injection::Written) => notify(RotationNotice::Injected(target.clone())),
                Ok(Injection::Absent) => notify(RotationNotice::Absent(target.clone())),
                // A failed registration must not affect the others.
                Err(error) => failed = Some(error),
            }
        }
        if self.last.as_ref() != Some(&bundle.serving) {
            self.presented.present(TlsIdentity::of(&bundle.serving)?);
            self.last = Some(bundle.serving);
            notify(RotationNotice::Presented);
        }
        failed.map_or(Ok(until), |error| Err(error.into()))
    }

    /// Checks periodically, until `stop`.
    pub async fn follow(mut self, mut notify: impl FnMut(RotationNotice) + Send, stop: CancellationToken) {
        loop {
            let now = clock::timestamp();
            let pause = match self.refresh(now, &mut notify).await {
                Ok(until) => until.duration_since(now).unsigned_abs().min(self.every),
                Err(error) => {
                    notify(RotationNotice::Trouble(error));
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
