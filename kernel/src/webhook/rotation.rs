//! Keeps what the server shows in time: from the Secret that replicas share.

use std::time::Duration;

use k8s_openapi::jiff::Timestamp;
use kube::Client;
use tokio_util::sync::CancellationToken;

use super::certificate_store::{CertificateStore, CertificateStoreError};
use super::inject::{InjectError, Injection, Target};
use crate::clock;
use crate::web::{Identity, IdentityError, Pair, Presented};

/// What a rotation has to tell.
#[derive(Debug)]
pub enum Notice {
    /// Another certificate is shown from now on.
    Presented,
    /// A target learned whom to trust.
    Injected(Target),
    /// A target is not there, or calls no webhook of ours. Told at every look.
    Absent(Target),
    /// Something failed and is tried again; what was shown is still shown.
    Trouble(RotationError),
}

/// Why certificates could not be refreshed.
#[derive(Debug, thiserror::Error)]
pub enum RotationError {
    /// The Secret.
    #[error(transparent)]
    CertificateStore(#[from] CertificateStoreError),
    /// A target.
    #[error(transparent)]
    Inject(#[from] InjectError),
    /// The certificate.
    #[error(transparent)]
    Identity(#[from] IdentityError),
}

/// Certificates of our own making.
pub struct Rotation {
    /// Where they are kept.
    pub store: CertificateStore,
    /// Who has to trust them.
    pub targets: Vec<Target>,
    /// For the targets.
    pub client: Client,
    /// What the server shows.
    pub presented: Presented,
    /// How often to look at least: another replica may have renewed, or a target may have been installed anew.
    pub every: Duration,
    shown: Option<Pair>,
}

impl Rotation {
    /// Looks once a minute.
    pub fn new(client: Client, store: CertificateStore, targets: Vec<Target>, presented: Presented) -> Self {
        Self { store, targets, client, presented, every: Duration::from_mins(1), shown: None }
    }

    /// Once: makes what is due, tells the targets, and only then shows it. Gives the moment of the next look.
    pub async fn refresh(
        &mut self,
        now: Timestamp,
        tell: &mut (impl FnMut(Notice) + Send),
    ) -> Result<Timestamp, RotationError> {
        let (bundle, until) = self.store.settle(now).await?;
        let trusted = bundle.trusted();
        let mut failed = None;
        for target in &self.targets {
            match target.inject(&self.client, &trusted, &self.store.wanted.names).await {
                Ok(Injection::Unchanged) => {}
                Ok(Injection::Written) => tell(Notice::Injected(target.clone())),
                Ok(Injection::Absent) => tell(Notice::Absent(target.clone())),
                // One that cannot be told must not keep the others from being served.
                Err(error) => failed = Some(error),
            }
        }
        if self.shown.as_ref() != Some(&bundle.serving) {
            self.presented.present(Identity::of(&bundle.serving)?);
            self.shown = Some(bundle.serving);
            tell(Notice::Presented);
        }
        failed.map_or(Ok(until), |error| Err(error.into()))
    }

    /// Again and again, until `stop`.
    pub async fn follow(mut self, mut tell: impl FnMut(Notice) + Send, stop: CancellationToken) {
        loop {
            let now = clock::timestamp();
            let pause = match self.refresh(now, &mut tell).await {
                Ok(until) => until.duration_since(now).unsigned_abs().min(self.every),
                Err(error) => {
                    tell(Notice::Trouble(error));
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
