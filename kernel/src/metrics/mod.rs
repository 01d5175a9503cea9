//! What the kernel counts about its own work. The binary makes one [`Catalogue`], registers these families and those of
//! its operators in it, and hands each part what it counts with; `admin` serves the page. Whoever counts the same work
//! under other names is an [`Observer`].

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
use prometheus_client::metrics::histogram::Histogram;

use catalogue::PREFIX;
pub use catalogue::{CONTENT_TYPE, Catalogue, Entry, Kind};
pub use family::{Buckets, Counters, Gauges, Histograms, Labelled};
pub use measured::Samples;
pub use occurrence::{Action, Observer, Occurrence};
use permissions::Missing;
pub(crate) use permissions::denied_permission;
pub use requests::{RequestLayer, Requests};
pub use section::Section;

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
    witnesses: Vec<Arc<dyn Observer>>,
}

/// What one controller counts.
#[derive(Debug, Clone)]
pub struct ControllerMetrics {
    name: &'static str,
    all: Metrics,
    depth: Gauge,
    adds: Counter,
    /// From the oldest event to the start of the pass that answers it.
    latency: Histogram,
    work_time: Histogram,
    retries: Counter,
    settled: Counter,
    waiting: Counter,
    failed: Counter,
    unreadable: Counter,
}

/// What one watch counts.
#[derive(Debug, Clone)]
pub struct WatchMetrics {
    objects: Gauge,
    /// Events that arrived.
    pub events: Counter,
    /// Times that it failed and began anew.
    pub restarts: Counter,
    /// Objects that could not be read.
    pub unreadable: Counter,
}

impl Metrics {
    /// Registers the families, with `mainstay_build_info` for the program of this version and revision.
    pub fn register(catalogue: &mut Catalogue, version: &'static str, revision: &'static str) -> Self {
        let help = "Always 1, with the version and the source revision of the program";
        catalogue.gauges("build_info", ["version", "revision"], help).with([version, revision]).set(1);
        let help = "Whether this process holds the lease and may write (1) or not (0)";
        let leader = catalogue.gauges("leader", [], help).with([]);
        let help = "Requests to the API server, by class of status code; none when there was no answer";
        let requests = catalogue.counters("api_requests", ["verb", "resource", "code"], help);
        let help = "Time until the API server answered a request";
        let request_time =
            catalogue.histograms("api_request_duration_seconds", ["verb", "resource"], help, WORKING);
        let controller = ["controller"];
        let help = "Time from the oldest event to the start of the pass that answers it";
        let latency = catalogue.histograms("queue_latency_seconds", controller, help, WAITING);
        let help = "Time that passes take";
        let work_time = catalogue.histograms("queue_work_seconds", controller, help, WORKING);
        let kind = ["kind"];
        let help = "Objects that are there and cannot be read, each time that one arrives";
        let unreadable = catalogue.counters("watch_unreadable_objects", kind, help);
        Self {
            depth: catalogue.gauges("queue_depth", controller, "Keys that have a pass due, now or later"),
            adds: catalogue.counters("queue_adds", controller, "Events that were added to the queue"),
            latency,
            work_time,
            retries: catalogue.counters(
                "queue_retries",
                controller,
                "Passes that failed and are tried again",
            ),
            passes: catalogue.counters("passes", ["controller", "outcome"], "Passes that ended, by outcome"),
            requests,
            request_time,
            objects: catalogue.gauges("watch_objects", kind, "Objects in the store"),
            events: catalogue.counters("watch_events", kind, "Events that the watch delivered"),
            restarts: catalogue.counters(
                "watch_restarts",
                kind,
                "Times that the watch failed and began anew",
            ),
            unreadable,
            leader,
            missing: missing_permissions(catalogue),
            witnesses: Vec::new(),
        }
    }

    /// The same, and somebody else hears of all that happens.
    #[must_use]
    pub fn observed_by(mut self, observer: Arc<dyn Observer>) -> Self {
        self.witnesses.push(observer);
        self
    }

    /// Tells everybody who wants to know.
    pub fn observe(&self, occurrence: &Occurrence<'_>) {
        for observer in &self.witnesses {
            observer.sees(occurrence);
        }
    }

    /// What a controller counts. All its series are there from now on, so that a rate never misses a first failure.
    pub fn controller(&self, name: &'static str) -> ControllerMetrics {
        ControllerMetrics {
            name,
            all: self.clone(),
            depth: self.depth.with([name]),
            adds: self.adds.with([name]),
            latency: self.latency.with([name]),
            work_time: self.work_time.with([name]),
            retries: self.retries.with([name]),
            settled: self.passes.with([name, "settled"]),
            waiting: self.passes.with([name, "waiting"]),
            failed: self.passes.with([name, "failed"]),
            unreadable: self.passes.with([name, "unreadable"]),
        }
    }

    /// What the watch of a kind counts.
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

    /// This process became leader, or is not any more.
    pub fn leads(&self, leads: bool) {
        self.leader.set(i64::from(leads));
    }
}

impl WatchMetrics {
    /// So many objects are known now.
    pub fn holds(&self, objects: usize) {
        self.objects.set(i64::try_from(objects).unwrap_or(i64::MAX));
    }
}

impl ControllerMetrics {
    /// An event was added.
    pub fn added(&self) {
        self.adds.inc();
        self.all.observe(&Occurrence::Added { controller: self.name });
    }

    /// So many keys have a pass due, now or later.
    pub fn holds(&self, keys: usize) {
        let keys_before = self.depth.set(i64::try_from(keys).unwrap_or(i64::MAX));
        if usize::try_from(keys_before) != Ok(keys) {
            self.all.observe(&Occurrence::Due { controller: self.name, keys });
        }
    }

    /// A pass begins. `latency` is how long the oldest event has waited for it, if one caused it.
    pub fn started(&self, at: Instant, latency: Option<Duration>) {
        if let Some(latency) = latency {
            self.latency.observe(latency.as_secs_f64());
        }
        self.all.observe(&Occurrence::Started { controller: self.name, at, latency });
    }

    /// A pass that began then has ended.
    pub fn ended(&self, outcome: Outcome, at: Instant, took: Duration) {
        self.work_time.observe(took.as_secs_f64());
        match outcome {
            Outcome::Settled => self.settled.inc(),
            Outcome::Waiting(_) => self.waiting.inc(),
            Outcome::Unreadable => self.unreadable.inc(),
            Outcome::Failed => {
                self.retries.inc();
                self.failed.inc()
            }
        };
        self.all.observe(&Occurrence::Ended { controller: self.name, at, took, outcome });
    }
}

/// Looked at, so that the series of a right is gone when the right is there.
fn missing_permissions(catalogue: &mut Catalogue) -> Missing {
    let missing = Missing::default();
    let known = missing.clone();
    let help = "Rights that the server denies us (1): what needs them is off, or fails";
    catalogue
        .under(PREFIX)
        .measured_gauges("missing_permissions", ["resource", "verb"], help, move || known.samples());
    missing
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
