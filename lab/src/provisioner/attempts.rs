//! The attempts for each object: how often it failed in a row, and the last note. Called by `perform`. Only back-off
//! and the number of events depend on it, so it may be lost in a restart.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

const LONGEST_PAUSE: Duration = Duration::from_mins(1);

#[derive(Debug, Default)]
struct Attempt {
    failures: u32,
    last_note: Option<String>,
}

/// One entry for each object with a problem, by UID.
#[derive(Debug, Default)]
pub(super) struct Attempts(Mutex<BTreeMap<String, Attempt>>);

impl Attempts {
    fn entries(&self) -> MutexGuard<'_, BTreeMap<String, Attempt>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a failure and returns how long to wait before the next attempt.
    pub(super) fn failed(&self, uid: &str) -> Duration {
        let mut entries = self.entries();
        let attempt = entries.entry(uid.to_owned()).or_default();
        attempt.failures = attempt.failures.saturating_add(1);
        pause_after(attempt.failures)
    }

    /// Whether `note` differs from the last note of this object. Records it as the last one.
    pub(super) fn is_new(&self, uid: &str, note: &str) -> bool {
        let mut entries = self.entries();
        let attempt = entries.entry(uid.to_owned()).or_default();
        let is_new = attempt.last_note.as_deref() != Some(note);
        attempt.last_note = Some(note.to_owned());
        is_new
    }

    /// Resets the failures after a successful attempt. The last note stays, because the same attempt can be repeated
    /// before its changes are visible.
    pub(super) fn succeeded(&self, uid: &str) {
        if let Some(attempt) = self.entries().get_mut(uid) {
            attempt.failures = 0;
        }
    }

    /// Removes the entry of an object that has no problem or was deleted.
    pub(super) fn forget(&self, uid: &str) {
        self.entries().remove(uid);
    }
}

/// One second, then twice as long each time, up to a minute.
fn pause_after(failures: u32) -> Duration {
    let doublings = failures.saturating_sub(1).min(6);
    Duration::from_secs(1 << doublings).min(LONGEST_PAUSE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_minute_and_start_over() {
        let attempts = Attempts::default();
        let seconds: Vec<u64> = (0..9).map(|_| attempts.failed("7").as_secs()).collect();
        assert_eq!(seconds, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
        attempts.forget("7");
        assert_eq!(attempts.failed("7").as_secs(), 1);
        attempts.succeeded("7");
        assert_eq!(attempts.failed("7").as_secs(), 1);
        assert_eq!(attempts.failed("8").as_secs(), 1);
    }

    #[test]
    fn the_same_note_is_new_once() {
        let attempts = Attempts::default();
        let notes = [("7", "no"), ("7", "no"), ("8", "no"), ("7", "still no"), ("7", "no")];
        let new: Vec<bool> = notes.into_iter().map(|(uid, note)| attempts.is_new(uid, note)).collect();
        assert_eq!(new, [true, false, true, true, true]);
    }
}
