//! A process that runs operators: watches at once, works when everything is known and it leads, ends cleanly.

use std::sync::Arc;
use std::time::Duration;

use kernel::apply::Tools;
use kernel::driver::Ending;
use kernel::hub::{Hub, Once, Registration, WatchState};
use kernel::lease::Leadership;
use kernel::metrics::Metrics;
use kernel::queue;
use kernel::stores::{Scopes, Stores};
use kube::Client;
use product::Setup;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::products::Running;

/// Our name among the owners of fields, in events and in labels.
pub const MANAGER: &str = "mainstay";

/// How long passes may take to finish once the process was asked to stop.
const GRACE: Duration = Duration::from_secs(20);

/// What a process is made of.
pub struct Process {
    /// The way to the server.
    pub client: Client,
    /// What runs in it.
    pub products: Arc<Running>,
    /// Where it looks.
    pub scopes: Scopes,
    /// Whether it may write.
    pub leadership: Leadership,
    /// Its name in events.
    pub identity: String,
    /// How its queues behave.
    pub queue: queue::Settings,
    /// What it counts.
    pub metrics: Metrics,
    /// Where its watches stand.
    pub watch_states: watch::Sender<Vec<WatchState>>,
}

impl Process {
    /// Runs until `stop`.
    pub async fn run(self, stop: CancellationToken) -> Vec<Ending> {
        let leadership = self.leadership.clone();
        let lead = async move {
            if !leadership.granted().await {
                // It will never be ours: only `stop` ends the wait.
                std::future::pending::<()>().await;
            }
        };
        let (hub, registrations) = self.assemble();
        hub.run(registrations, lead, stop).await
    }

    /// One pass of everything that is there: for a client whose writes are not kept.
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
