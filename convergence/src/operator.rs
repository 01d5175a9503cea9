//! The operator under test, in this process: started, stopped and killed like one in a pod.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::Result;
use kernel::faults::{self, Script};
use kernel::lease::Leadership;
use kernel::metrics::{Catalogue, Metrics, Observer, Occurrence};
use kernel::queue;
use kernel::stores::Namespaces;
use mainstay::process::Process;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::scenario::Subject;
use crate::world::World;

/// Plans are in a hurry: what failed is tried again at once, and never so late that a plan takes it for settled.
const QUEUE: queue::Settings = queue::Settings {
    window: Duration::from_millis(5),
    at_once: 5,
    every: Duration::from_millis(60),
    concurrency: 2,
    first_pause: Duration::from_millis(40),
    longest_pause: Duration::from_millis(200),
};

/// Counts the passes of one controller, over all lives of its process. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Passes {
    controller: &'static str,
    count: Arc<AtomicUsize>,
}

impl Passes {
    /// Of the controller of this name.
    pub fn of(controller: &'static str) -> Self {
        Self { controller, count: Arc::default() }
    }

    /// How many began.
    pub fn count(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }
}

impl Observer for Passes {
    fn sees(&self, occurrence: &Occurrence<'_>) {
        if matches!(occurrence, Occurrence::Started { controller, .. } if *controller == self.controller) {
            self.count.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// A process that runs. Dropping it kills it.
pub struct Operator {
    stop: CancellationToken,
    tasks: JoinSet<()>,
}

impl Operator {
    /// Starts with empty stores, in the script's present life.
    pub fn start(
        world: &World,
        subject: &Subject,
        namespace: &str,
        (script, passes): (&Script, &Passes),
    ) -> Result<Self> {
        let metrics = Metrics::register(&mut Catalogue::default(), "convergence", "convergence");
        let client = faults::client(world.config.clone(), script)?;
        let process = Process {
            client,
            products: Arc::new((subject.start)(world.instances.address)),
            scopes: Namespaces::Only(vec![namespace.into()]).into(),
            leadership: Leadership::always(),
            identity: "convergence".into(),
            queue: QUEUE,
            metrics: metrics.observed_by(Arc::new(passes.clone())),
            watch_states: watch::Sender::new(Vec::new()),
        };
        let (stop, mut tasks) = (CancellationToken::new(), JoinSet::new());
        let running = Box::pin(process.run(stop.clone()));
        tasks.spawn(async move {
            running.await;
        });
        Ok(Self { stop, tasks })
    }

    /// Lets it end by itself, as a pod that is deleted.
    pub async fn stop(mut self) {
        self.stop.cancel();
        while self.tasks.join_next().await.is_some() {}
    }
}
