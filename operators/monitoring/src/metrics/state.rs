//! Metrics that are computed when they are read: how long passes have been running, and whether a controller is ready.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use kernel::clock;
use kernel::declare::Declaration;
use kernel::metrics::CatalogueSection;
use parking_lot::Mutex;

/// A controller, and what it is doing.
#[derive(Debug)]
pub(super) struct Controller {
    pub(super) declaration: &'static Declaration,
    /// The name of its queue.
    pub(super) queue: &'static str,
    /// Whether everything that it needs is listed.
    ready: AtomicBool,
    /// Whether the kind of its workloads is missing from the cluster, or forbidden: then it is not expected to get ready.
    absent: AtomicBool,
    /// When the running passes started, and how many at that time.
    running: Mutex<BTreeMap<Instant, usize>>,
}

impl Controller {
    /// A controller that is not ready.
    pub(super) fn new((declaration, queue): (&'static Declaration, &'static str)) -> Arc<Self> {
        let (ready, absent) = (AtomicBool::new(false), AtomicBool::new(false));
        Arc::new(Self { declaration, queue, ready, absent, running: Mutex::default() })
    }

    pub(super) fn name(&self) -> &'static str {
        self.declaration.name
    }

    /// Everything that it needs is listed.
    pub(super) fn is_ready(&self) {
        self.ready.store(true, Ordering::Relaxed);
    }

    /// Sets whether the kind of its workloads is missing. Returns whether that is no failure, because the controller was
    /// never ready.
    pub(super) fn is_absent_if(&self, absent: bool) -> bool {
        self.absent.store(absent, Ordering::Relaxed);
        !self.ready.load(Ordering::Relaxed)
    }

    /// A pass starts.
    pub(super) fn starts(&self, at: Instant) {
        *self.running.lock().entry(at).or_default() += 1;
    }

    /// The pass that started at this time has ended.
    pub(super) fn ends(&self, at: Instant) {
        let mut running = self.running.lock();
        if let Some(count) = running.get_mut(&at) {
            *count -= 1;
        }
        running.retain(|_, count| *count > 0);
    }

    /// For how many seconds each pass has been running.
    fn ages(&self) -> Vec<f64> {
        let now = clock::now();
        let age = |at: &Instant| now.saturating_duration_since(*at).as_secs_f64();
        self.running.lock().iter().flat_map(|(at, count)| vec![age(at); *count]).collect()
    }

    /// Whether it is ready; none, if it is not expected to be.
    fn readiness(&self) -> Option<f64> {
        match (self.ready.load(Ordering::Relaxed), self.absent.load(Ordering::Relaxed)) {
            (true, _) => Some(1.0),
            (false, false) => Some(0.0),
            (false, true) => None,
        }
    }
}

/// Registers the families.
pub(super) fn register(section: &mut CatalogueSection<'_>, controllers: &[Arc<Controller>]) {
    let known = controllers.to_vec();
    let readiness =
        move || known.iter().filter_map(|one| Some(([one.name().to_owned()], one.readiness()?))).collect();
    let help = "Whether the controller is ready to reconcile (1) or not (0)";
    section.measured_gauges("ready", ["controller"], help, readiness);
    let mut queues = |name, help, measure: fn(Vec<f64>) -> f64| {
        let known = controllers.to_vec();
        let labels = |one: &Controller| [one.name().to_owned(), one.queue.to_owned()];
        let look = move || known.iter().map(|one| (labels(one), measure(one.ages()))).collect();
        section.measured_gauges(name, ["controller", "name"], help, look);
    };
    let help = "Seconds of work that is not finished; a growing value indicates work that is stuck";
    queues("workqueue_unfinished_work_seconds", help, |ages| {
        ages.into_iter().fold(0.0, |sum, age| sum + age)
    });
    let help = "Seconds that the longest unfinished work has taken";
    queues("workqueue_longest_running_processor_seconds", help, |ages| ages.into_iter().fold(0.0, f64::max));
}
