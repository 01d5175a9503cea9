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

use crate::cluster::TestCluster;
use crate::scenario::Subject;

/// Retries are fast, and never so late that a plan takes the operator for settled.
const QUEUE: queue::QueueSettings = queue::QueueSettings {
    window: Duration::from_millis(5),
    at_once: 5,
    every: Duration::from_millis(60),
    concurrency: 2,
    first_pause: Duration::from_millis(40),
    longest_pause: Duration::from_millis(200),
};

/// Counts the passes of one controller, across restarts of its process. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Passes {
    controller: &'static str,
    count: Arc<AtomicUsize>,
}

impl Passes {
    /// Counts the passes of the controller with this name.
    pub fn of(controller: &'static str) -> Self {
        Self { controller, count: Arc::default() }
    }

    /// The number of passes that started.
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

/// A running process. Dropping it kills it.
pub struct Operator {
    stop: CancellationToken,
    tasks: JoinSet<()>,
}

impl Operator {
    /// Starts a process with empty caches. The script counts it as a new process.
    pub fn start(
        cluster: &TestCluster,
        subject: &Subject,
        namespace: &str,
        script: &Script,
        passes: &Passes,
    ) -> Result<Self> {
        let metrics = Metrics::register(&mut Catalogue::default(), "convergence", "convergence");
        let client = faults::client(cluster.config.clone(), script)?;
        let process = Process {
            client,
            products: Arc::new((subject.start)(cluster.instances.address)),
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

    /// Stops it gracefully, as when a pod is deleted.
    pub async fn stop(mut self) {
        self.stop.cancel();
        while self.tasks.join_next().await.is_some() {}
    }
}
