//! Queues, passes and what they write, by controller.

use kernel::call::{Call, Verb};
use kernel::metrics::{CatalogueSection, ChangeAction, Counters, Gauges, Histograms, Occurrence};
use kernel::queue::Outcome;
use kernel::report::Reconciled;

use super::BUCKETS;
use super::state::Controller;
use crate::kinds;

/// What is counted for each controller.
#[derive(Debug, Clone, Copy)]
enum Count {
    Operations,
    Errors,
    Recreations,
    StatusUpdates,
    StatusErrors,
    Lists,
    FailedLists,
    Watches,
    FailedWatches,
}

/// The counters, in the order of [`Count`]: their names and help texts.
const COUNTERS: [(&str, &str); 9] = [
    ("reconcile_operations", "Total number of reconcile operations"),
    ("reconcile_errors", "Number of reconcile operations that failed"),
    ("reconcile_sts_delete_create", "Number of times that a StatefulSet was deleted to be recreated"),
    ("status_update_operations", "Total number of writes of a status"),
    ("status_update_errors", "Number of writes of a status that failed"),
    ("list_operations", "Total number of list operations that the controller depends on"),
    ("list_operations_failed", "Total number of list operations that failed"),
    ("watch_operations", "Total number of watch operations that the controller depends on"),
    ("watch_operations_failed", "Total number of watch operations that failed"),
];

/// The metrics of all controllers.
#[derive(Debug)]
pub(super) struct Passes {
    triggered: Counters<3>,
    depth: Gauges<2>,
    adds: Counters<2>,
    retries: Counters<2>,
    latency: Histograms<2>,
    work: Histograms<2>,
    duration: Histograms<1>,
    /// In the order of [`Count`].
    counters: [Counters<1>; COUNTERS.len()],
}

impl Passes {
    /// Registers the families.
    pub(super) fn register(section: &mut CatalogueSection<'_>) -> Self {
        let (of, queue) = (["controller"], ["controller", "name"]);
        let help = "Number of times that a change of an object triggered a reconciliation";
        let triggered = section.counters("triggered", ["controller", "triggered_by", "action"], help);
        let help = "Time that an item waits in the queue until the work on it starts";
        let latency = section.histograms("workqueue_latency_seconds", queue, help, BUCKETS);
        let help = "Time that the work on an item of the queue takes";
        let work = section.histograms("workqueue_work_duration_seconds", queue, help, BUCKETS);
        let help = "Time that reconcile operations take";
        Self {
            triggered,
            depth: section.gauges("workqueue_depth", queue, "Depth of the queue"),
            adds: section.counters("workqueue_adds", queue, "Total number of additions to the queue"),
            retries: section.counters("workqueue_retries", queue, "Total number of items that are retried"),
            latency,
            work,
            duration: section.histograms("reconcile_duration_seconds", of, help, BUCKETS),
            counters: COUNTERS.map(|(name, help)| section.counters(name, of, help)),
        }
    }

    /// Adds all series of a controller: a series that exists from the beginning shows its first failure in a rate.
    pub(super) fn add_series(&self, controller: &Controller) {
        let queue = [controller.name(), controller.queue];
        for kind in [kinds::STATEFUL_SET, controller.declaration.primary] {
            for action in [ChangeAction::Added, ChangeAction::Updated, ChangeAction::Deleted] {
                self.triggered.with([controller.name(), kind.kind, word(action)]);
            }
        }
        for family in &self.counters {
            family.with([controller.name()]);
        }
        self.duration.with([controller.name()]);
        self.adds.with(queue);
        self.retries.with(queue);
        self.latency.with(queue);
        self.work.with(queue);
        self.depth.with(queue);
    }

    fn count(&self, what: Count, controller: &Controller, times: u64) {
        self.counters[what as usize].with([controller.name()]).inc_by(times);
    }

    /// Something happened in a controller.
    pub(super) fn sees(&self, controller: &Controller, occurrence: &Occurrence<'_>) {
        let queue = [controller.name(), controller.queue];
        match occurrence {
            Occurrence::Ready { .. } => controller.is_ready(),
            Occurrence::Triggered { kind, action, .. } => {
                self.triggered.with([controller.name(), kind.kind, word(*action)]).inc();
            }
            Occurrence::Added { .. } => drop(self.adds.with(queue).inc()),
            Occurrence::Due { keys, .. } => {
                self.depth.with(queue).set(i64::try_from(*keys).unwrap_or(i64::MAX));
            }
            Occurrence::Started { at, latency, .. } => {
                controller.starts(*at);
                if let Some(latency) = latency {
                    self.latency.with(queue).observe(latency.as_secs_f64());
                }
            }
            Occurrence::Ended { at, took, outcome, .. } => {
                controller.ends(*at);
                self.work.with(queue).observe(took.as_secs_f64());
                self.duration.with([controller.name()]).observe(took.as_secs_f64());
                self.count(Count::Operations, controller, 1);
                let (failed, retried) = match outcome {
                    Outcome::Settled | Outcome::Waiting(_) => (false, false),
                    Outcome::Unreadable => (true, false),
                    Outcome::Failed => (true, true),
                };
                self.count(Count::Errors, controller, u64::from(failed));
                self.retries.with(queue).inc_by(u64::from(retried));
            }
            Occurrence::StatusWritten { failed, .. } => {
                self.count(Count::StatusUpdates, controller, 1);
                self.count(Count::StatusErrors, controller, u64::from(*failed));
            }
            Occurrence::Recreated { kind, .. } => {
                self.count(Count::Recreations, controller, u64::from(*kind == kinds::STATEFUL_SET));
            }
            Occurrence::Reconciled { reconciled, .. } => {
                // The kernel does not count an invalid workload as a failure, because only its user can correct it.
                self.count(Count::Errors, controller, u64::from(*reconciled == Reconciled::Invalid));
            }
            Occurrence::Selected { .. } | Occurrence::Changed { .. } | Occurrence::Answered { .. } => {}
        }
    }

    /// A request was answered. Watches are shared: one counts for every controller that depends on it.
    pub(super) fn answered(&self, controller: &Controller, call: &Call, code: Option<u16>) {
        let (group, plural) = (call.group.as_str(), call.resource.as_str());
        let declaration = controller.declaration;
        let kind = declaration.kinds().find(|kind| kind.group == group && kind.plural == plural);
        let Some(kind) = kind else { return };
        let is_watch = call.verb == Verb::Watch;
        // A list that is streamed is requested by a watch.
        let is_streamed = call.query.get("sendInitialEvents").is_some_and(|value| value == "true");
        let is_list = call.verb == Verb::List || (is_watch && is_streamed);
        if !is_watch && !is_list {
            return;
        }
        let may_be_absent = if kind == declaration.primary {
            controller.is_absent_if(matches!(code, Some(403 | 404)))
        } else {
            declaration.is_optional(kind)
        };
        let failed = match code {
            // The kind is optional; the log says that it is absent.
            Some(403 | 404) if may_be_absent => false,
            Some(code) => code >= 400,
            None => true,
        };
        self.count(Count::Lists, controller, u64::from(is_list));
        self.count(Count::FailedLists, controller, u64::from(is_list && failed));
        self.count(Count::Watches, controller, u64::from(is_watch));
        self.count(Count::FailedWatches, controller, u64::from(is_watch && failed));
    }
}

/// An action, as the Prometheus Operator calls it.
fn word(action: ChangeAction) -> &'static str {
    match action {
        ChangeAction::Added => "add",
        ChangeAction::Updated => "update",
        ChangeAction::Deleted => "delete",
    }
}
