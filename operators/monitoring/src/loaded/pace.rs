//! When the pods of a workload are touched: the kubelet then syncs their volumes at once. The memory may be lost: the state
//! of the pods shows what they have not loaded.
//!
//! - For the first change pods are touched at once. A later change waits until some time after the last touch, so that many
//!   edits do not cause as many reloads. The last change is never lost.
//! - A pod that does not load the change is touched again a few times, after pauses that grow: its kubelet may be down, and
//!   syncs the pod when it is up again.
//! - Pods that cannot be asked are touched once for a change. Pods that reject the change are not touched again.
//! - For a change that no pod reports, such as a new certificate, all pods are touched once.

use std::time::Duration;

use k8s_openapi::jiff::Timestamp;

use crate::loaded::load_state::LoadState;

/// How soon after a touch pods are asked again.
const FIRST_LOOK: Duration = Duration::from_secs(1);

/// The longest pause before pods that have not loaded the change are asked again.
const LONGEST: Duration = Duration::from_mins(5);

/// The pause before pods are asked again if a touch would have no effect.
const INTERVAL: Duration = Duration::from_secs(30);

/// How often pods are touched again for one change.
const RETRIES: u32 = 6;

/// The settings that follow from flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PaceSettings {
    /// The least time between two touches for different changes.
    pub apart: Duration,
    /// How long a pod may take before it is touched again; doubled after each touch.
    pub patience: Duration,
}

impl Default for PaceSettings {
    fn default() -> Self {
        Self { apart: Duration::from_secs(5), patience: Duration::from_secs(3) }
    }
}

/// What the pods of a workload show together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LoadSummary {
    /// All pods run the written content.
    Loaded,
    /// Some cannot be asked; the others run it.
    Unknown,
    /// The operand rejects it.
    Rejected,
    /// Some have not loaded it yet.
    Pending,
}

impl LoadSummary {
    /// Of these pods.
    pub fn of<'v>(states: impl IntoIterator<Item = &'v LoadState>) -> Self {
        let each = states.into_iter().map(|state| match state {
            LoadState::Loaded => Self::Loaded,
            LoadState::Pending(_) => Self::Pending,
            LoadState::Rejected(_) => Self::Rejected,
            LoadState::Unknown(_) => Self::Unknown,
        });
        each.max().unwrap_or(Self::Loaded)
    }
}

/// What to do now.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TouchDecision {
    /// Touch the pods that have not loaded it.
    pub touch: bool,
    /// When to reconcile again, if no event comes before.
    pub requeue_after: Option<Duration>,
}

/// What is remembered of a workload.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pace {
    /// Something was written since the last touch.
    changed: bool,
    /// Something was written since the last touch that no pod reports.
    is_hidden: bool,
    last: Option<LastTouch>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct LastTouch {
    at: Timestamp,
    /// How often it was repeated for the same change.
    again: u32,
}

impl Pace {
    /// Something that the pods mount was written.
    pub fn wrote(&mut self) {
        self.changed = true;
    }

    /// Something that the pods mount was written, and they do not report whether they have it.
    pub fn wrote_hidden(&mut self) {
        self.changed = true;
        self.is_hidden = true;
    }

    /// Whether the next touch is for all pods, regardless of what they report.
    pub fn is_for_all(&self) -> bool {
        self.is_hidden
    }

    /// What to do at `now`, when the pods show this. The caller touches the pods; if that fails, they are touched again.
    pub fn next(&mut self, settings: &PaceSettings, summary: LoadSummary, now: Timestamp) -> TouchDecision {
        if summary == LoadSummary::Loaded && !self.is_hidden {
            self.changed = false;
            return TouchDecision::default();
        }
        let since = self.last.as_ref().and_then(|last| elapsed(last.at, now));
        if self.changed {
            return match since {
                Some(since) if since < settings.apart => wait(settings.apart.saturating_sub(since)),
                Some(_) | None => self.touch(0, now),
            };
        }
        let again = self.last.as_ref().map_or(0, |last| last.again);
        let pause = settings.patience.saturating_mul(2_u32.saturating_pow(again)).min(LONGEST);
        match (summary, since) {
            // The memory was lost: it is not known whether the pods were touched.
            (LoadSummary::Pending, None) => self.touch(0, now),
            (LoadSummary::Pending, Some(since)) if since >= pause && again < RETRIES => {
                self.touch(again + 1, now)
            }
            (LoadSummary::Pending, Some(since)) if since < pause => {
                let left = pause.saturating_sub(since);
                wait(if again == 0 { left.min(FIRST_LOOK) } else { left })
            }
            (LoadSummary::Pending, Some(_)) => wait(LONGEST),
            (LoadSummary::Loaded | LoadSummary::Rejected | LoadSummary::Unknown, _) => wait(INTERVAL),
        }
    }

    fn touch(&mut self, again: u32, now: Timestamp) -> TouchDecision {
        self.changed = false;
        self.is_hidden = false;
        self.last = Some(LastTouch { at: now, again });
        TouchDecision { touch: true, requeue_after: Some(FIRST_LOOK) }
    }
}

fn wait(time: Duration) -> TouchDecision {
    TouchDecision { touch: false, requeue_after: Some(time) }
}

/// The time since; none, if the clock was set back.
fn elapsed(at: Timestamp, now: Timestamp) -> Option<Duration> {
    now.duration_since(at).try_into().ok()
}

#[cfg(test)]
mod tests;
