//! What was tried for each object: how often it failed in a row, and the last event. Called by the performer. Only back-off
//! and the number of events depend on it, so losing it with the process is harmless.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

const LONGEST_PAUSE: Duration = Duration::from_mins(1);

#[derive(Debug, Default)]
struct Attempt {
    failures: u32,
    said: Option<String>,
}

/// One entry an object that is in trouble, by its uid.
#[derive(Debug, Default)]
pub(super) struct Attempts(Mutex<BTreeMap<String, Attempt>>);

impl Attempts {
    fn entries(&self) -> MutexGuard<'_, BTreeMap<String, Attempt>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a failure and says how long to pause before the next attempt.
    pub(super) fn failed(&self, uid: &str) -> Duration {
        let mut entries = self.entries();
        let attempt = entries.entry(uid.to_owned()).or_default();
        attempt.failures = attempt.failures.saturating_add(1);
        pause_after(attempt.failures)
    }

    /// Whether `words` are new for this object; from now on they are not.
    pub(super) fn is_news(&self, uid: &str, words: &str) -> bool {
        let mut entries = self.entries();
        let attempt = entries.entry(uid.to_owned()).or_default();
        let news = attempt.said.as_deref() != Some(words);
        attempt.said = Some(words.to_owned());
        news
    }

    /// An attempt went well. What was said stays said: the same attempt may come again while its own effects are
    /// still on their way back to us.
    pub(super) fn succeeded(&self, uid: &str) {
        if let Some(attempt) = self.entries().get_mut(uid) {
            attempt.failures = 0;
        }
    }

    /// The object is well, or gone.
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
    fn the_same_words_are_said_once() {
        let attempts = Attempts::default();
        let news = [("7", "no"), ("7", "no"), ("8", "no"), ("7", "still no"), ("7", "no")];
        let said: Vec<bool> = news.into_iter().map(|(uid, words)| attempts.is_news(uid, words)).collect();
        assert_eq!(said, [true, false, true, true, true]);
    }
}
