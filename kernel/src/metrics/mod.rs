//! Metrics of the kernel. The binary creates one [`Catalogue`], registers these families and those of its operators in it,
//! and gives each component the metrics that it updates; `admin` serves the page. An [`Observer`] counts the same work under
//! other names.

mod catalogue;
mod family;
mod faults;
mod measured;
mod occurrence;
mod permissions;
pub mod process;
mod requests;
mod section;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::{Duration, Instant};

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;

pub use catalogue::{CONTENT_TYPE, Catalogue, FamilyDescription, MetricKind};
pub use family::{Buckets, Counters, Gauges, Histograms, LabelledFamily};
pub use measured::Samples;
pub use occurrence::{ChangeAction, Observer, Occurrence};
use permissions::Missing;
pub(crate) use permissions::denied_permission;
pub use requests::{RequestLayer, Requests};
pub use section::CatalogueSection;

use crate::call::Verb;
use crate::queue::Outcome;

/// From a coalescing window to a long wait.
const WAITING: &[f64] = &[0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0];
/// From a pass that finds nothing to do to one that asks an outside system.
const WORKING: &[f64] = &[0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];

/// The families of the kernel.
#[derive(Debug, Clone)]
pub struct Metrics {
    depth: Gauges<1>,
    adds: Counters<1>,
    latency: Histograms<1>,
    work_time: Histograms<1>,
    retries: Counters<1>,
    passes: Counters<2>,
    requests: Counters<3>,
    request_time: Histograms<2>,
    objects: Gauges<1>,
    events: Counters<1>,
    restarts: Counters<1>,
    unreadable: Counters<1>,
    leader: Gauge,
    missing: Missing,
    observers: Vec<Arc<dyn Observer>>,
}

/// The metrics of one controller.
#[derive(Debug, Clone)]
pub struct ControllerMetrics {
    name: &'static str,
    all: Metrics,
}

/// The metrics of one watch.
#[derive(Debug, Clone)]
pub struct WatchMetrics {
    objects: Gauge,
    /// Events that arrived.
    pub events: Counter,
    /// How often it failed and was restarted.
    pub restarts: Counter,
    /// Objects that could not be read.
    pub unreadable: Counter,
}

impl Metrics {
    /// Registers the families, with `mainstay_build_info` for the program of this version and revision.
    pub fn register(catalogue: &mut Catalogue, version: &'static str, revision: &'static str) -> Self {
        let (mut ours, missing) = (catalogue.ours(), Missing::default());
        let help = "Always 1, with the version and the source revision of the program";
        ours.gauges("build_info", ["version", "revision"], help).with([version, revision]).set(1);
        let help = "Permissions that the API server denies (1): what needs them is off, or fails";
        let known = missing.clone();
        // Read at each scrape, so that the series disappears when the permission is granted.
        ours.measured_gauges("missing_permissions", ["resource", "verb"], help, move || known.samples());
        let help = "Whether this process holds the lease and may write (1) or not (0)";
        let leader = ours.gauges("leader", [], help).with([]);
        let help = "Requests to the API server, by class of status code; none when there was no answer";
        let requests = ours.counters("api_requests", ["verb", "resource", "code"], help);
        let (help, labels) = ("Time until the API server answered a request", ["verb", "resource"]);
        let request_time = ours.histograms("api_request_duration_seconds", labels, help, WORKING);
        let (controller, kind) = (["controller"], ["kind"]);
        let help = "Time from the oldest event to the start of the pass that handles it";
        let latency = ours.histograms("queue_latency_seconds", controller, help, WAITING);
        let work_time = ours.histograms("queue_work_seconds", controller, "Duration of passes", WORKING);
        let help = "Objects that exist and cannot be decoded, each time that one arrives";
        let unreadable = ours.counters("watch_unreadable_objects", kind, help);
        let help = "Times that the watch failed and was started again";
        let restarts = ours.counters("watch_restarts", kind, help);
        Self {
            depth: ours.gauges("queue_depth", controller, "Keys that have a pass due, now or later"),
            adds: ours.counters("queue_adds", controller, "Events that were added to the queue"),
            latency,
            work_time,
            retries: ours.counters("queue_retries", controller, "Passes that failed and are retried"),
            passes: ours.counters("passes", ["controller", "outcome"], "Passes that ended, by outcome"),
            requests,
            request_time,
            objects: ours.gauges("watch_objects", kind, "Objects in the store"),
            events: ours.counters("watch_events", kind, "Events that the watch delivered"),
            restarts,
            unreadable,
            leader,
            missing,
            observers: Vec::new(),
        }
    }

    /// The same, with one more observer of all that happens.
    #[must_use]
    pub fn observed_by(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observers.push(observer);
        self
    }

    /// Notifies all observers.
    pub fn observe(&self, occurrence: &Occurrence<'_>) {
        for observer in &self.observers {
            observer.sees(occurrence);
        }
    }

    /// The metrics of a controller. All its series exist from now on, so that a rate never misses the first failure.
    pub fn controller(&self, name: &'static str) -> ControllerMetrics {
        self.depth.with([name]);
        self.adds.with([name]);
        self.latency.with([name]);
        self.work_time.with([name]);
        self.retries.with([name]);
        for outcome in ["settled", "waiting", "failed", "unreadable"] {
            self.passes.with([name, outcome]);
        }
        ControllerMetrics { name, all: self.clone() }
    }

    /// The metrics of the watch of a kind.
    pub fn watch(&self, kind: &'static str) -> WatchMetrics {
        WatchMetrics {
            objects: self.objects.with([kind]),
            events: self.events.with([kind]),
            restarts: self.restarts.with([kind]),
            unreadable: self.unreadable.with([kind]),
        }
    }

    /// A request to the API server was answered with a status code, or not at all.
    pub fn request(&self, verb: Verb, resource: &'static str, code: Option<u16>, took: Duration) {
        self.requests.with([verb.as_str(), resource, class(code)]).inc();
        self.request_time.with([verb.as_str(), resource]).observe(took.as_secs_f64());
    }

    /// This process became the leader, or no longer is.
    pub fn leads(&self, leads: bool) {
        self.leader.set(i64::from(leads));
    }
}

impl WatchMetrics {
    /// Sets the number of stored objects.
    pub fn holds(&self, objects: usize) {
        self.objects.set(i64::try_from(objects).unwrap_or(i64::MAX));
    }
}

impl ControllerMetrics {
    /// An event was added.
    pub fn added(&self) {
        self.all.adds.with([self.name]).inc();
        self.all.observe(&Occurrence::Added { controller: self.name });
    }

    /// Sets the number of keys that have a pass due, now or later.
    pub fn holds(&self, keys: usize) {
        let keys_before = self.all.depth.with([self.name]).set(i64::try_from(keys).unwrap_or(i64::MAX));
        if usize::try_from(keys_before) != Ok(keys) {
            self.all.observe(&Occurrence::Due { controller: self.name, keys });
        }
    }

    /// A pass starts. `latency` is how long the oldest event has waited for it, if an event caused it.
    pub fn started(&self, at: Instant, latency: Option<Duration>) {
        if let Some(latency) = latency {
            self.all.latency.with([self.name]).observe(latency.as_secs_f64());
        }
        self.all.observe(&Occurrence::Started { controller: self.name, at, latency });
    }

    /// A pass that started at this moment has ended.
    pub fn ended(&self, outcome: Outcome, at: Instant, took: Duration) {
        let label = match outcome {
            Outcome::Settled => "settled",
            Outcome::Waiting(_) => "waiting",
            Outcome::Unreadable => "unreadable",
            Outcome::Failed => "failed",
        };
        self.all.work_time.with([self.name]).observe(took.as_secs_f64());
        self.all.passes.with([self.name, label]).inc();
        self.all.retries.with([self.name]).inc_by(u64::from(outcome == Outcome::Failed));
        self.all.observe(&Occurrence::Ended { controller: self.name, at, took, outcome });
    }
}

/// The class of a status code.
fn class(code: Option<u16>) -> &'static str {
    match code.map(|code| code / 100) {
        None => "none",
        Some(1) => "1xx",
        Some(2) => "2xx",
        Some(3) => "3xx",
        Some(4) => "4xx",
        Some(_) => "5xx",
    }
}

/// The families of the kernel and of the process as a table for the documents.
pub fn reference() -> String {
    let mut catalogue = Catalogue::default();
    Metrics::register(&mut catalogue, "", "");
    process::register(&mut catalogue);
    catalogue.reference()
}
