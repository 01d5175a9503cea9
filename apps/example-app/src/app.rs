//! What the handlers and the tasks of a server share. Calls of the store run on the threads for blocking work, because
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

/// How far a follower has replicated the writer.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// Revisions behind the writer.
    pub lag: u64,
    /// The follower is no longer ready after this time, unless the writer answers before.
    pub good_until: Deadline,
}

/// The limits from the command line.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// How long a held write waits before it is refused.
    pub hold: Duration,
    /// How many revisions a follower may be behind and still be ready.
    pub lag: u64,
    /// How long a follower stays ready without an answer from the writer.
    pub silence: Duration,
}

/// The state of a server.
pub struct App {
    /// The version of the application.
    pub version: Version,
    /// The limits of this server.
    pub limits: Limits,
    /// The data.
    pub store: Arc<Store>,
    /// Decides when a write may start.
    pub gate: Gate,
    /// The credentials that requests need.
    pub keys: watch::Sender<Keyring>,
    /// The feature flags.
    pub features: watch::Sender<Features>,
    /// The counters.
    pub metrics: Metrics,
    /// The client for the writer; `None` on the writer itself.
    pub leader: Option<Leader>,
    /// The progress of a follower, once the writer has answered.
    pub progress: watch::Sender<Option<Progress>>,
    /// Whether the server is stopping.
    pub stopping: watch::Sender<bool>,
}

impl App {
    /// Calls the store on a thread for blocking work.
    pub async fn with_store<T: Send + 'static>(
        &self,
        call: impl FnOnce(&Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let store = self.store.clone();
        // A task is dropped only when the runtime shuts down.
        spawn_blocking(move || call(&store)).await.unwrap_or(Err(StoreError::Held))
    }

    /// Why this replica is not ready; `None` when it is.
    pub fn not_ready(&self) -> Option<String> {
        if !self.version.becomes_ready() {
            return Some(format!("version {} never becomes ready", self.version));
        }
        if *self.stopping.borrow() {
            return Some("the server is stopping".into());
        }
        self.leader.as_ref()?;
        match *self.progress.borrow() {
            None => Some("the writer has not answered yet".into()),
            Some(progress) if progress.lag > self.limits.lag => {
                Some(format!("{} revisions behind the writer", progress.lag))
            }
            Some(progress) if progress.good_until.passed() => {
                Some("the writer has not answered for too long".into())
            }
            Some(_) => None,
        }
    }

    /// The values of the gauges.
    pub async fn figures(&self) -> Result<Figures, StoreError> {
        let facts = self.with_store(Store::facts).await?;
        Ok(Figures {
            items: facts.items,
            revision: facts.revision,
            lag: self.progress.borrow().map_or(0, |progress| progress.lag),
            held: self.gate.waiting(),
            ready: self.not_ready().is_none(),
        })
    }

    /// Waits until the store has reached a revision; returns whether it has.
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
