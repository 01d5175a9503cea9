//! What nobody can count, because it depends on when somebody looks: how long passes have been running, and whether a
//! controller is ready.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use kernel::clock;
use kernel::declare::Declaration;
use kernel::metrics::Section;

use super::CONTROLLERS;

/// What one controller is doing.
#[derive(Debug, Default)]
pub(super) struct State {
    /// It knows all that it needs.
    ready: AtomicBool,
    /// The cluster does not have the kind of its workloads, or not for us: nobody waits for it.
    absent: AtomicBool,
    /// When the passes that run began, and how many at that moment.
    running: Mutex<BTreeMap<Instant, usize>>,
}

impl State {
    /// It knows all that it needs.
    pub(super) fn is_ready(&self) {
        self.ready.store(true, Ordering::Relaxed);
    }

    /// Whether the kind of its workloads is there. Gives back whether its absence is no failure: it has never begun.
    pub(super) fn is_absent_if(&self, absent: bool) -> bool {
        self.absent.store(absent, Ordering::Relaxed);
        !self.ready.load(Ordering::Relaxed)
    }

    /// A pass begins.
    pub(super) fn starts(&self, at: Instant) {
        *self.running.lock().unwrap_or_else(PoisonError::into_inner).entry(at).or_default() += 1;
    }

    /// The pass that began then has ended.
    pub(super) fn ends(&self, at: Instant) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = running.get_mut(&at) {
            *count -= 1;
            if *count == 0 {
                running.remove(&at);
            }
        }
    }

    /// For how many seconds each pass has been running.
    fn ages(&self, now: Instant) -> Vec<f64> {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let age = |at: &Instant| now.saturating_duration_since(*at).as_secs_f64();
        running.iter().flat_map(|(at, count)| vec![age(at); *count]).collect()
    }

    /// Whether it is ready; nothing where nobody waits for it.
    fn readiness(&self) -> Option<f64> {
        match (self.ready.load(Ordering::Relaxed), self.absent.load(Ordering::Relaxed)) {
            (true, _) => Some(1.0),
            (false, false) => Some(0.0),
            (false, true) => None,
        }
    }
}

/// Registers the families; the states of all controllers, in their order.
pub(super) fn register(theirs: &mut Section<'_>) -> Vec<Arc<State>> {
    let states: Vec<Arc<State>> = CONTROLLERS.iter().map(|_| Arc::default()).collect();
    let known = states.clone();
    let look = move || {
        let sample = |((declaration, _), state): (&(&Declaration, &str), &Arc<State>)| {
            Some(([declaration.name.to_owned()], state.readiness()?))
        };
        CONTROLLERS.iter().zip(&known).filter_map(sample).collect()
    };
    let help = "Whether the controller is ready to reconcile (1) or not (0)";
    theirs.measured_gauges("ready", ["controller"], help, look);
    let measure = |measure: fn(Vec<f64>) -> f64| {
        let known = states.clone();
        move || {
            let sample = |((declaration, queue), state): (&(&Declaration, &str), &Arc<State>)| {
                ([declaration.name.to_owned(), (*queue).to_owned()], measure(state.ages(clock::now())))
            };
            CONTROLLERS.iter().zip(&known).map(sample).collect()
        }
    };
    let of = ["controller", "name"];
    let help = "Seconds that went into work that is not finished; one that grows shows work that is stuck";
    let all = measure(|ages| ages.into_iter().fold(0.0, |sum, age| sum + age));
    theirs.measured_gauges("workqueue_unfinished_work_seconds", of, help, all);
    let help = "Seconds that the longest of all unfinished work has taken";
    let longest = measure(|ages| ages.into_iter().fold(0.0, f64::max));
    theirs.measured_gauges("workqueue_longest_running_processor_seconds", of, help, longest);
    states
}
