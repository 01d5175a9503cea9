//! A process with controllers that record their passes.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, ensure};
use e2e::wait;
use futures::future::BoxFuture;
use kernel::apply::{Way, Work, Writer};
use kernel::declare::{Declaration, Kind};
use kernel::hub::{Controller, Hub, Progress, Registration, WatchState};
use kernel::metrics::{Catalogue, Metrics};
use kernel::object::Key;
use kernel::queue::{Outcome, QueueSettings};
use kernel::stores::{Namespaces, Scopes, Stores};
use kube::Client;
use serde_json::json;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::apply::fixture::{CONFIG_MAP, LEASE, MANAGER, owned_by, tools};

/// Records its passes as `name namespace/name`, and reconciles leases.
struct Worker {
    declaration: &'static Declaration,
    writer: Writer,
    passes: watch::Sender<Vec<String>>,
}

impl Controller for Worker {
    fn pass(self: Arc<Self>, key: Key) -> BoxFuture<'static, Outcome> {
        Box::pin(async move {
            self.passes.send_modify(|passes| passes.push(format!("{} {key}", self.declaration.name)));
            let Some(owner) = self.writer.stores().get(LEASE, &key) else { return Outcome::Settled };
            let round = owner.value()["metadata"]["labels"]["round"].clone();
            let object = json!({"metadata": {"name": *key.name}, "data": {"round": round}});
            let wanted = owned_by(&owner, CONFIG_MAP, &object, Way::Apply);
            let work = Work { waves: vec![vec![wanted]], ..Work::default() };
            match self.writer.carry_out(&work, &owner).await {
                Ok(_) => Outcome::Settled,
                Err(error) => {
                    self.passes.send_modify(|passes| passes.push(format!("{key}: {error}")));
                    Outcome::Failed
                }
            }
        })
    }
}

/// A running process. Dropping it stops it.
pub(super) struct Process {
    passes: watch::Receiver<Vec<String>>,
    watch_states: watch::Receiver<Vec<WatchState>>,
    pub(super) stores: Stores,
    stop: CancellationToken,
    tasks: JoinSet<()>,
}

impl Process {
    pub(super) fn start(
        client: &Client,
        namespaces: Namespaces,
        declarations: &[&'static Declaration],
    ) -> Self {
        let (passes, watch_states) = (watch::channel(Vec::new()), watch::channel(Vec::new()));
        let scopes = Scopes::from(namespaces);
        let stores = Stores::new(declarations, MANAGER, &scopes);
        let registration = |declaration: &'static Declaration| {
            let passes = passes.0.clone();
            let make = Box::new(move |writer, _| -> Arc<dyn Controller> {
                Arc::new(Worker { declaration, writer, passes })
            });
            Registration { declaration, make, interests: None }
        };
        let registrations: Vec<Registration> = declarations.iter().map(|one| registration(one)).collect();
        let hub = Hub {
            tools: tools(client, stores.clone(), Arc::new(|| true)),
            scopes,
            queue: QueueSettings::default(),
            grace: Duration::from_secs(5),
            metrics: Metrics::register(&mut Catalogue::default(), "", ""),
            watch_states: watch_states.0,
        };
        let (stop, mut tasks) = (CancellationToken::new(), JoinSet::new());
        let token = stop.clone();
        tasks.spawn(async move {
            hub.run(registrations, std::future::ready(()), token).await;
        });
        Self { passes: passes.1, watch_states: watch_states.1, stores, stop, tasks }
    }

    /// Waits until a pass was recorded this number of times.
    pub(super) async fn passes(&mut self, entry: &str, at_least: usize) -> Result<()> {
        let enough = |passes: &Vec<String>| passes.iter().filter(|other| *other == entry).count() >= at_least;
        let waited = tokio::time::timeout(wait::LIMIT, self.passes.wait_for(enough)).await;
        let seen = waited.is_ok();
        drop(waited);
        ensure!(seen, "no {entry} in {:?}", self.read());
        Ok(())
    }

    fn read(&self) -> Vec<String> {
        self.passes.borrow().clone()
    }

    /// Waits until all watches of a kind have this progress.
    pub(super) async fn watch_is(&mut self, kind: Kind, progress: Progress, troubled: bool) -> Result<()> {
        let fits = |watch_states: &Vec<WatchState>| {
            let mut of_kind = watch_states.iter().filter(|state| state.kind == kind).peekable();
            of_kind.peek().is_some()
                && of_kind.all(|one| one.progress == progress && one.trouble.is_some() == troubled)
        };
        let waited = tokio::time::timeout(wait::LIMIT, self.watch_states.wait_for(fits)).await;
        let seen = waited.is_ok();
        drop(waited);
        ensure!(seen, "{} is not {progress:?}: {:?}", kind.kind, *self.watch_states.borrow());
        Ok(())
    }

    pub(super) async fn end(mut self) -> Vec<String> {
        self.stop.cancel();
        while self.tasks.join_next().await.is_some() {}
        self.read()
    }
}
