//! Queues, passes and what they write, a controller each.

use std::sync::Arc;

use kernel::call::{Call, Verb};
use kernel::declare::Declaration;
use kernel::metrics::{Action, Counters, Occurrence, Section};
use kernel::queue::Outcome;
use kernel::report::Reconciled;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;

use super::state::{self, State};
use super::{BUCKETS, CONTROLLERS};
use crate::kinds;

/// What one controller counts.
#[derive(Debug)]
pub(super) struct Controller {
    pub(super) declaration: &'static Declaration,
    state: Arc<State>,
    triggered: Counters<3>,
    queue: Queue,
    operations: Counter,
    errors: Counter,
    duration: Histogram,
    status_updates: Counter,
    status_errors: Counter,
    recreations: Counter,
    lists: Looks,
    watches: Looks,
}

#[derive(Debug)]
struct Queue {
    depth: Gauge,
    adds: Counter,
    latency: Histogram,
    work: Histogram,
    retries: Counter,
}

/// Requests that many objects are read with.
#[derive(Debug)]
struct Looks {
    all: Counter,
    failed: Counter,
}

/// Registers the families, with all series of all controllers.
pub(super) fn register(theirs: &mut Section<'_>) -> Vec<Controller> {
    let states = state::register(theirs);
    let queues = register_queues(theirs);
    let of = ["controller"];
    let help = "Number of times a change of an object triggered the reconciliation of others";
    let triggered = theirs.counters("triggered", ["controller", "triggered_by", "action"], help);
    let operations = theirs.counters("reconcile_operations", of, "Total number of reconcile operations");
    let errors = theirs.counters("reconcile_errors", of, "Number of reconcile operations that failed");
    let help = "Time that reconcile operations take";
    let duration = theirs.histograms("reconcile_duration_seconds", of, help, BUCKETS);
    let help = "Number of times that a StatefulSet was deleted to be made anew";
    let recreations = theirs.counters("reconcile_sts_delete_create", of, help);
    let help = "Total number of writes of a status";
    let status_updates = theirs.counters("status_update_operations", of, help);
    let help = "Number of writes of a status that failed";
    let status_errors = theirs.counters("status_update_errors", of, help);
    let help = "Total number of list operations that the controller depends on";
    let lists = theirs.counters("list_operations", of, help);
    let help = "Total number of list operations that failed";
    let lists_failed = theirs.counters("list_operations_failed", of, help);
    let help = "Total number of watch operations that the controller depends on";
    let watches = theirs.counters("watch_operations", of, help);
    let help = "Total number of watch operations that failed";
    let watches_failed = theirs.counters("watch_operations_failed", of, help);
    let controller =
        |(((declaration, _), queue), state): ((&(&'static Declaration, _), Queue), Arc<State>)| {
            let name = [declaration.name];
            for kind in [kinds::STATEFUL_SET, declaration.primary] {
                for action in [Action::Added, Action::Updated, Action::Deleted] {
                    triggered.with([declaration.name, kind.kind, word(action)]);
                }
            }
            Controller {
                declaration,
                state,
                triggered: triggered.clone(),
                queue,
                operations: operations.with(name),
                errors: errors.with(name),
                duration: duration.with(name),
                status_updates: status_updates.with(name),
                status_errors: status_errors.with(name),
                recreations: recreations.with(name),
                lists: Looks { all: lists.with(name), failed: lists_failed.with(name) },
                watches: Looks { all: watches.with(name), failed: watches_failed.with(name) },
            }
        };
    CONTROLLERS.iter().zip(queues).zip(states).map(controller).collect()
}

fn register_queues(theirs: &mut Section<'_>) -> Vec<Queue> {
    let of = ["controller", "name"];
    let depth = theirs.gauges("workqueue_depth", of, "Depth of the queue");
    let adds = theirs.counters("workqueue_adds", of, "Total number of additions to the queue");
    let help = "Time from an addition to the queue to the start of the work";
    let latency = theirs.histograms("workqueue_latency_seconds", of, help, BUCKETS);
    let help = "Time that the work on an item of the queue takes";
    let work = theirs.histograms("workqueue_work_duration_seconds", of, help, BUCKETS);
    let retries = theirs.counters("workqueue_retries", of, "Total number of items that were put back");
    let queue = |(declaration, queue): &(&Declaration, &'static str)| {
        let names = [declaration.name, *queue];
        Queue {
            depth: depth.with(names),
            adds: adds.with(names),
            latency: latency.with(names),
            work: work.with(names),
            retries: retries.with(names),
        }
    };
    CONTROLLERS.iter().map(queue).collect()
}

impl Controller {
    pub(super) fn sees(&self, occurrence: &Occurrence<'_>) {
        match occurrence {
            Occurrence::Ready { .. } => self.state.is_ready(),
            Occurrence::Triggered { kind, action, .. } => {
                self.triggered.with([self.declaration.name, kind.kind, word(*action)]).inc();
            }
            Occurrence::Added { .. } => drop(self.queue.adds.inc()),
            Occurrence::Due { keys, .. } => {
                self.queue.depth.set(i64::try_from(*keys).unwrap_or(i64::MAX));
            }
            Occurrence::Started { at, latency, .. } => {
                self.state.starts(*at);
                if let Some(latency) = latency {
                    self.queue.latency.observe(latency.as_secs_f64());
                }
            }
            Occurrence::Ended { at, took, outcome, .. } => {
                self.state.ends(*at);
                self.queue.work.observe(took.as_secs_f64());
                self.duration.observe(took.as_secs_f64());
                self.operations.inc();
                match outcome {
                    Outcome::Settled | Outcome::Waiting(_) => {}
                    Outcome::Unreadable => drop(self.errors.inc()),
                    Outcome::Failed => {
                        self.errors.inc();
                        self.queue.retries.inc();
                    }
                }
            }
            Occurrence::StatusWritten { failed, .. } => {
                self.status_updates.inc();
                self.status_errors.inc_by(u64::from(*failed));
            }
            Occurrence::Recreated { kind, .. } => {
                self.recreations.inc_by(u64::from(*kind == kinds::STATEFUL_SET));
            }
            Occurrence::Reconciled { reconciled, .. } => {
                // To the kernel a workload that cannot be carried out is no failure: only its user can help.
                self.errors.inc_by(u64::from(*reconciled == Reconciled::Invalid));
            }
            Occurrence::Selected { .. } | Occurrence::Changed { .. } | Occurrence::Answered { .. } => {}
        }
    }

    /// A request was answered. The watches are shared: one counts for every controller that depends on it.
    pub(super) fn answered(&self, call: &Call, code: Option<u16>) {
        let (group, plural) = (call.group.as_str(), call.resource.as_str());
        let kind = self.declaration.kinds().find(|kind| kind.group == group && kind.plural == plural);
        let Some(kind) = kind else { return };
        // A list that is streamed is asked for by a watch.
        let streams = call.query.get("sendInitialEvents").is_some_and(|value| value == "true");
        let counted = match call.verb {
            Verb::List => vec![&self.lists],
            Verb::Watch if streams => vec![&self.lists, &self.watches],
            Verb::Watch => vec![&self.watches],
            Verb::Get
            | Verb::Create
            | Verb::Update
            | Verb::Patch
            | Verb::Delete
            | Verb::DeleteCollection
            | Verb::Other => return,
        };
        let may_be_absent = if kind == self.declaration.primary {
            self.state.is_absent_if(matches!(code, Some(403 | 404)))
        } else {
            self.declaration.is_optional(kind)
        };
        let failed = match code {
            // We can do without it, and that is told elsewhere.
            Some(403 | 404) if may_be_absent => false,
            Some(code) => code >= 400,
            None => true,
        };
        for looks in counted {
            looks.all.inc();
            looks.failed.inc_by(u64::from(failed));
        }
    }
}

/// What became of an object, in the words of the Prometheus Operator.
fn word(action: Action) -> &'static str {
    match action {
        Action::Added => "add",
        Action::Updated => "update",
        Action::Deleted => "delete",
    }
}
