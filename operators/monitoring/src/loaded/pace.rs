//! When the pods of a workload are touched, so that the kubelet brings what was written at once. What is remembered may
//! be lost: whoever looks finds out what is missing, and begins anew.
//!
//! - The first change goes out at once. After that a change waits until the last touch is some time ago, so that a stream
//!   of edits is no stream of reloads. The last change is never lost.
//! - A pod that does not load what it was touched for is touched again, after pauses that grow, and some times at most:
//!   its kubelet may be gone, and comes by itself when it is back.
//! - Pods that cannot be asked are touched once for a change, and pods that refuse not at all.
//! - A change that no pod tells of, such as that of a certificate, goes out once, to all of them.

use std::time::Duration;

use k8s_openapi::jiff::Timestamp;

use crate::loaded::judge::Verdict;

/// How soon after a touch to look whether it helped.
const GLANCE: Duration = Duration::from_secs(1);

/// The longest pause between two looks at pods that are not as they should be.
const LONGEST: Duration = Duration::from_mins(5);

/// The pause between two looks at pods that touching does not help.
const APART: Duration = Duration::from_secs(30);

/// So often pods are touched again for one change.
const AGAIN: u32 = 6;

/// What a user may set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// Least time between two touches for different changes.
    pub apart: Duration,
    /// How long a pod may take before it is touched again; doubled by each time.
    pub patience: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self { apart: Duration::from_secs(5), patience: Duration::from_secs(3) }
    }
}

/// What the pods of a workload show together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sight {
    /// All that there are run what was written.
    Loaded,
    /// Some cannot be asked; the others run it.
    Unknown,
    /// The operand refuses it.
    Refused,
    /// Some have not loaded it yet.
    Pending,
}

impl Sight {
    /// Of these pods.
    pub fn of<'v>(verdicts: impl IntoIterator<Item = &'v Verdict>) -> Self {
        let each = verdicts.into_iter().map(|verdict| match verdict {
            Verdict::Loaded => Self::Loaded,
            Verdict::Pending(_) => Self::Pending,
            Verdict::Refused(_) => Self::Refused,
            Verdict::Unknown(_) => Self::Unknown,
        });
        each.max().unwrap_or(Self::Loaded)
    }
}

/// What to do now.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Decision {
    /// Touch the pods that have not loaded it.
    pub touch: bool,
    /// Look again after this time, if nothing happens before.
    pub requeue_after: Option<Duration>,
}

/// What is remembered of a workload.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pace {
    /// Something was written since the last touch.
    changed: bool,
    /// Something was written since the last touch that no pod tells of.
    is_hidden: bool,
    last: Option<Touch>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Touch {
    at: Timestamp,
    /// How often it was repeated for the same change.
    again: u32,
}

impl Pace {
    /// Something that the pods mount was written.
    pub fn wrote(&mut self) {
        self.changed = true;
    }

    /// Something that the pods mount was written, and nothing that they say shows whether they have it.
    pub fn wrote_hidden(&mut self) {
        self.changed = true;
        self.is_hidden = true;
    }

    /// Whether the next touch is for all pods, whatever they say.
    pub fn is_for_all(&self) -> bool {
        self.is_hidden
    }

    /// What to do at `now`, after the pods showed this. A touch that is decided is done by the caller; if it fails, the
    /// pods stay as they are, and are touched again.
    pub fn next(&mut self, settings: &Settings, sight: Sight, now: Timestamp) -> Decision {
        if sight == Sight::Loaded && !self.is_hidden {
            self.changed = false;
            return Decision::default();
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
        match (sight, since) {
            // Nothing is remembered, so nothing is known of a touch.
            (Sight::Pending, None) => self.touch(0, now),
            (Sight::Pending, Some(since)) if since >= pause && again < AGAIN => self.touch(again + 1, now),
            (Sight::Pending, Some(since)) if since < pause => {
                let left = pause.saturating_sub(since);
                wait(if again == 0 { left.min(GLANCE) } else { left })
            }
            (Sight::Pending, Some(_)) => wait(LONGEST),
            (Sight::Loaded | Sight::Refused | Sight::Unknown, _) => wait(APART),
        }
    }

    fn touch(&mut self, again: u32, now: Timestamp) -> Decision {
        self.changed = false;
        self.is_hidden = false;
        self.last = Some(Touch { at: now, again });
        Decision { touch: true, requeue_after: Some(GLANCE) }
    }
}

fn wait(time: Duration) -> Decision {
    Decision { touch: false, requeue_after: Some(time) }
}

/// Nothing, if the clock was set back: then nothing is known.
fn elapsed(at: Timestamp, now: Timestamp) -> Option<Duration> {
    now.duration_since(at).try_into().ok()
}

#[cfg(test)]
mod tests;
