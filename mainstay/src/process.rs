//! A process that runs operators: it starts watches immediately, reconciles once the first lists are complete and it is the
//! leader, and stops cleanly.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use kernel::apply::Tools;
use kernel::driver::Ending;
use kernel::hub::{Hub, Once, Registration, WatchState};
use kernel::lease::Leadership;
use kernel::metrics::Metrics;
use kernel::queue::QueueSettings;
use kernel::stores::{Scopes, Stores};
use kube::Client;
use product::Setup;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::products::RunningProducts;

/// The field manager, also the name in events and in labels.
pub const MANAGER: &str = "mainstay";

/// How long passes may take to finish when the process stops.
const GRACE: Duration = Duration::from_secs(20);

/// Everything that a process runs.
pub struct Process {
    /// The client of the API server.
    pub client: Client,
    /// The operators.
    pub products: Arc<RunningProducts>,
    /// The namespaces that it watches.
    pub scopes: Scopes,
    /// Whether it may write.
    pub leadership: Leadership,
    /// Its name in events.
    pub identity: String,
    /// The settings of its queues.
    pub queue: QueueSettings,
    /// Its metrics.
    pub metrics: Metrics,
    /// The states of its watches.
    pub watch_states: watch::Sender<Vec<WatchState>>,
}

impl Process {
    /// Runs until `stop`.
    pub async fn run(self, stop: CancellationToken) -> Vec<Ending> {
        let leadership = self.leadership.clone();
        let lead = async move {
            if !leadership.granted().await {
                // This process will never lead: only `stop` ends the wait.
                std::future::pending::<()>().await;
            }
        };
        let (hub, registrations) = self.assemble();
        hub.run(registrations, lead, stop).await
    }

    /// Reconciles every resource once: for a client whose writes are dry runs.
    pub async fn once(self) -> Once {
        let (hub, registrations) = self.assemble();
        hub.once(registrations).await
    }

    fn assemble(self) -> (Hub, Vec<Registration>) {
        let stores = Stores::new(&self.products.declarations(), MANAGER, &self.scopes);
        let setup = Setup { client: self.client.clone(), manager: MANAGER, identity: self.identity };
        let registrations = self.products.controllers(&setup);
        let leadership = self.leadership;
        let fence = Arc::new(move || leadership.may_write());
        let hub = Hub {
            tools: Tools { client: self.client, stores, manager: MANAGER, fence },
            scopes: self.scopes,
            queue: self.queue,
            grace: GRACE,
            metrics: self.metrics,
            watch_states: self.watch_states,
        };
        (hub, registrations)
    }
}

/// Waits for SIGTERM or SIGINT, from now on.
pub fn termination() -> Result<impl Future<Output = ()>> {
    let mut terminate = signal(SignalKind::terminate()).context("cannot wait for signals")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("cannot wait for signals")?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}
