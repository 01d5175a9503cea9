//! When what is done. Pure: moments are durations since the start, and come in as values.
//!
//! - The first change is looked at, and sent, at once.
//! - Two reloads are at least the delay apart, and the last change is never lost.
//! - What failed is tried again after the retry interval, sooner if the files change.
//! - Without any change there is a pass every watch interval.
//! - Changes that turn out to be none are looked at less and less often, up to the delay.

use std::time::Duration;

/// A moment, as the time since the start.
pub type Moment = Duration;

/// How long to wait after a first look that found nothing; doubled by each further one.
const QUIET: Duration = Duration::from_millis(50);

/// The intervals of the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Intervals {
    /// Between two passes without a change.
    pub watch: Duration,
    /// Between two reloads.
    pub delay: Duration,
    /// Until what failed is tried again.
    pub retry: Duration,
}

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// The kernel reported a change.
    Change,
    /// A pass ended; whether the neighbour has to load what it found.
    Passed {
        /// It has to.
        reload: bool,
    },
    /// A pass could not be completed.
    PassFailed,
    /// The neighbour loaded what the last pass found.
    Reloaded,
    /// It did not.
    ReloadFailed,
}

/// What to do now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Look at the files.
    Pass,
    /// Have the neighbour load them.
    Reload,
    /// Wait for a change, so long at most.
    Wait(Duration),
}

/// What is due, and when.
#[derive(Debug, Clone)]
pub struct Schedule {
    intervals: Intervals,
    changed: bool,
    /// Whether a change is the cause of the last pass.
    told: bool,
    look_from: Moment,
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
            told: false,
            look_from: Moment::ZERO,
            pass_by: Moment::ZERO,
            reload_from: None,
            next_reload: Moment::ZERO,
            quiet: 0,
        }
    }

    /// What to do at `now`. The caller does it and says how it went, before it asks again.
    pub fn next(&mut self, now: Moment) -> Action {
        // What a pass found goes out before the next one, however short the intervals are.
        if self.reload_from.is_some_and(|moment| now >= moment) {
            self.next_reload = now + self.intervals.delay;
            self.look_from = self.next_reload;
            return Action::Reload;
        }
        let told = self.changed && now >= self.look_from;
        if told || now >= self.pass_by {
            self.told = told;
            self.changed = false;
            self.pass_by = now + self.intervals.watch;
            return Action::Pass;
        }
        let look = self.changed.then_some(self.look_from);
        let due = look.into_iter().chain(self.reload_from).fold(self.pass_by, Moment::min);
        Action::Wait(due.saturating_sub(now))
    }

    /// What happened, and when.
    pub fn happened(&mut self, event: Event, now: Moment) {
        match event {
            Event::Change => self.changed = true,
            Event::Passed { reload: true } => {
                self.quiet = 0;
                self.reload_from = Some(self.next_reload.max(now));
            }
            Event::Passed { reload: false } => self.look_later(now),
            Event::PassFailed => {
                self.look_later(now);
                self.pass_by = self.pass_by.min(now + self.intervals.retry);
            }
            Event::Reloaded => self.reload_from = None,
            Event::ReloadFailed => self.reload_from = Some(now + self.intervals.retry),
        }
    }

    fn look_later(&mut self, now: Moment) {
        if !self.told {
            return;
        }
        let pause = QUIET.saturating_mul(2_u32.saturating_pow(self.quiet)).min(self.intervals.delay);
        self.look_from = self.look_from.max(now + pause);
        self.quiet = self.quiet.saturating_add(1);
    }
}

#[cfg(test)]
mod tests;
