//! Decides when the next pass or reload is due. Pure: times are durations since the start, and are arguments.
//!
//! - The first change causes a pass and a reload at once.
//! - Two reloads are at least the delay apart, and the last change is never lost.
//! - A failed pass or reload is retried after the retry interval, or earlier if the files change.
//! - Without any change there is a pass every watch interval.
//! - Events without a change of the content cause passes less and less often, down to one each delay.

use std::time::Duration;

/// A point in time, as the duration since the start.
pub type Moment = Duration;

/// How long to wait after a first pass that found no change; doubled by each further one.
const QUIET: Duration = Duration::from_millis(50);

/// The intervals of the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Intervals {
    /// The time between two passes without a change.
    pub watch: Duration,
    /// The minimum time between two reloads.
    pub delay: Duration,
    /// The time until a failed pass or reload is retried.
    pub retry: Duration,
}

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// The kernel reported a change.
    Change,
    /// A pass ended.
    Passed {
        /// Whether the server has to be reloaded.
        reload: bool,
    },
    /// A pass failed.
    PassFailed,
    /// The server was reloaded after the last pass.
    Reloaded,
    /// A reload failed.
    ReloadFailed,
}

/// What to do now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Start a pass over the files.
    Pass,
    /// Reload the server.
    Reload,
    /// Wait for a change, at most this long.
    Wait(Duration),
}

/// The times of the next pass and the next reload.
#[derive(Debug, Clone)]
pub struct Schedule {
    intervals: Intervals,
    changed: bool,
    /// Whether the last pass was caused by a change.
    after_change: bool,
    pass_from: Moment,
    pass_by: Moment,
    reload_from: Option<Moment>,
    next_reload: Moment,
    quiet: u32,
}

impl Schedule {
    /// A pass is due at once.
    pub fn new(intervals: Intervals) -> Self {
        Self {
            intervals,
            changed: true,
            after_change: false,
            pass_from: Moment::ZERO,
            pass_by: Moment::ZERO,
            reload_from: None,
            next_reload: Moment::ZERO,
            quiet: 0,
        }
    }

    /// What to do at `now`. The caller does it and reports the result before the next call.
    pub fn next(&mut self, now: Moment) -> Action {
        // The reload after a pass comes before the next pass, however short the intervals are.
        if self.reload_from.is_some_and(|moment| now >= moment) {
            self.next_reload = now + self.intervals.delay;
            self.pass_from = self.next_reload;
            return Action::Reload;
        }
        let after_change = self.changed && now >= self.pass_from;
        if after_change || now >= self.pass_by {
            self.after_change = after_change;
            self.changed = false;
            self.pass_by = now + self.intervals.watch;
            return Action::Pass;
        }
        let pass_from = self.changed.then_some(self.pass_from);
        let due = pass_from.into_iter().chain(self.reload_from).fold(self.pass_by, Moment::min);
        Action::Wait(due.saturating_sub(now))
    }

    /// Reports what happened at `now`.
    pub fn happened(&mut self, event: Event, now: Moment) {
        match event {
            Event::Change => self.changed = true,
            Event::Passed { reload: true } => {
                self.quiet = 0;
                self.reload_from = Some(self.next_reload.max(now));
            }
            Event::Passed { reload: false } => self.delay_pass(now),
            Event::PassFailed => {
                self.delay_pass(now);
                self.pass_by = self.pass_by.min(now + self.intervals.retry);
            }
            Event::Reloaded => self.reload_from = None,
            Event::ReloadFailed => self.reload_from = Some(now + self.intervals.retry),
        }
    }

    fn delay_pass(&mut self, now: Moment) {
        if !self.after_change {
            return;
        }
        let pause = QUIET.saturating_mul(2_u32.saturating_pow(self.quiet)).min(self.intervals.delay);
        self.pass_from = self.pass_from.max(now + pause);
        self.quiet = self.quiet.saturating_add(1);
    }
}

#[cfg(test)]
mod tests;
