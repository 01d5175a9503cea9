//! What the handlers and the tasks of a server share. Every call of the store leaves the threads that answer requests:
//! a write waits for the disk.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::spawn_blocking;

use crate::auth::Keyring;
use crate::clock::Deadline;
use crate::features::Features;
use crate::gate::Gate;
use crate::leader::Leader;
use crate::metrics::{Figures, Metrics};
use crate::store::{Store, StoreError};
use crate::version::Version;

/// How far a follower is.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// Revisions behind the writer.
    pub lag: u64,
    /// Until when that is believed without a new word from the writer.
    pub good_until: Deadline,
}

/// How patient a server is.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// How long a held write waits.
    pub patience: Duration,
    /// How many revisions a follower may be behind and still be ready.
    pub lag: u64,
    /// How long a follower stays ready without a word from the writer.
    pub silence: Duration,
}

/// A server's parts.
pub struct App {
    /// What it is.
    pub version: Version,
    /// Its patience.
    pub limits: Limits,
    /// Its data.
    pub store: Arc<Store>,
    /// The gate before every write.
    pub gate: Gate,
    /// Who may come in.
    pub keys: watch::Sender<Keyring>,
    /// What is switched on.
    pub features: watch::Sender<Features>,
    /// What is counted.
    pub metrics: Metrics,
    /// The way to the writer; `None` for the writer itself.
    pub leader: Option<Leader>,
    /// How far it is, if it follows and has heard from the writer.
    pub progress: watch::Sender<Option<Progress>>,
    /// Whether it stops.
    pub stopping: watch::Sender<bool>,
}

impl App {
    /// Asks the store.
    pub async fn look<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let store = self.store.clone();
        // A task that was not run belongs to a runtime that stops.
        spawn_blocking(move || look(&store)).await.unwrap_or(Err(StoreError::Held))
    }

    /// Why this replica is not ready; `None` when it is.
    pub fn not_ready(&self) -> Option<String> {
        if !self.version.gets_ready() {
            return Some(format!("version {} never gets ready", self.version));
        }
        if *self.stopping.borrow() {
            return Some("the server stops".into());
        }
        self.leader.as_ref()?;
        match *self.progress.borrow() {
            None => Some("nothing was heard from the writer yet".into()),
            Some(progress) if progress.lag > self.limits.lag => {
                Some(format!("{} revisions behind the writer", progress.lag))
            }
            Some(progress) if progress.good_until.passed() => {
                Some("the writer is silent for too long".into())
            }
            Some(_) => None,
        }
    }

    /// The figures for the metrics.
    pub async fn figures(&self) -> Result<Figures, StoreError> {
        let facts = self.look(Store::facts).await?;
        Ok(Figures {
            items: facts.items,
            revision: facts.revision,
            lag: self.progress.borrow().map_or(0, |progress| progress.lag),
            held: self.gate.waiting(),
            ready: self.not_ready().is_none(),
        })
    }

    /// Waits until the store has reached a revision; says whether it has.
    pub async fn reach(&self, revision: u64, limit: Duration) -> bool {
        let mut now = self.store.revision();
        let reached = now.wait_for(|now| *now >= revision);
        matches!(tokio::time::timeout(limit, reached).await, Ok(Ok(_)))
    }

    /// Waits until the server stops.
    pub async fn stopped(&self) {
        let mut stopping = self.stopping.subscribe();
        // The sender lives as long as `self`.
        let _ = stopping.wait_for(|stopping| *stopping).await;
    }
}
