//! What this process knows about itself, as plain data: the loop writes it, the server shows it.
//!
//! It holds no text of the neighbour: an error message may quote the configuration, and a secret in it must reach
//! neither a metric nor a status. Errors have a reason from a closed set, and a message of this program.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::content::Fingerprint;

/// What failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The configuration cannot be read.
    Read,
    /// The expanded configuration cannot be written.
    Write,
    /// A watched directory cannot be read.
    Watched,
    /// The neighbour cannot be reached.
    Unreachable,
    /// The neighbour did not answer in time.
    Timeout,
    /// The neighbour does not take the configuration.
    Rejected,
    /// There is no process to send the signal to.
    NoProcess,
    /// It cannot be found out whether the reload worked.
    Unconfirmed,
}

impl Reason {
    /// As a label.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Watched => "watched",
            Self::Unreachable => "unreachable",
            Self::Timeout => "timeout",
            Self::Rejected => "rejected",
            Self::NoProcess => "no_process",
            Self::Unconfirmed => "unconfirmed",
        }
    }
}

/// The last failure, until something succeeds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What failed.
    pub reason: Reason,
    /// In words of this program.
    pub message: String,
}

/// Counters and states.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Reloads that were tried.
    pub reloads: u64,
    /// Those that failed.
    pub reloads_failed: u64,
    /// Passes.
    pub passes: u64,
    /// Those that failed.
    pub passes_failed: u64,
    /// Times that the output file was written.
    pub writes: u64,
    /// Directories that are watched.
    pub watches: u64,
    /// Events of the kernel.
    pub watch_events: u64,
    /// Directories that could not be watched, and other failures of watching.
    pub watch_errors: u64,
    /// References to variables that are not set, in the last pass.
    pub unset_variables: u64,
    /// Whether the last reload worked; nothing before the first.
    pub last_reload_successful: Option<bool>,
    /// When one last worked.
    pub last_success: Option<Timestamp>,
    /// What the last pass found.
    pub seen: Fingerprint,
    /// What the neighbour loaded last.
    pub loaded: Option<Fingerprint>,
    /// What is wrong now.
    pub failure: Option<Failure>,
}

impl Report {
    /// A pass found this; `sent` is the content of the last reload.
    pub fn found(&mut self, found: Fingerprint, sent: Option<Fingerprint>) {
        self.seen = found;
        // A failed reload stays a failure until one works. It says nothing about what is new: beside that it would be
        // taken for a refusal of it.
        if self.last_reload_successful != Some(false) || sent != Some(found) {
            self.failure = None;
        }
    }

    /// The answer of `/status`.
    pub fn status(&self) -> Value {
        let loaded = self.loaded.unwrap_or_default();
        json!({
            "configHash": loaded.config.map(|digest| digest.to_string()),
            "watchedHash": loaded.watched.map(|digest| digest.to_string()),
            "seenConfigHash": self.seen.config.map(|digest| digest.to_string()),
            "seenWatchedHash": self.seen.watched.map(|digest| digest.to_string()),
            "lastReloadSuccessful": self.last_reload_successful,
            "lastReloadTime": self.last_success.map(|time| format!("{time:.3}")),
            "lastErrorReason": self.failure.as_ref().map(|failure| failure.reason.name()),
            "lastError": self.failure.as_ref().map(|failure| failure.message.clone()),
        })
    }
}

/// A report that the loop and the server share.
#[derive(Debug, Clone, Default)]
pub struct Board(Arc<Mutex<Report>>);

impl Board {
    /// Changes the report.
    pub fn update(&self, change: impl FnOnce(&mut Report)) {
        change(&mut self.lock());
    }

    /// A copy of it.
    pub fn read(&self) -> Report {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Report> {
        // Plain data: a panic leaves it complete.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::Digest;

    #[test]
    fn a_failure_is_told_as_long_as_what_failed_is_there() {
        let fingerprint = |text: &[u8]| Fingerprint { config: Some(Digest::of(text)), watched: None };
        let (bad, mended) = (fingerprint(b"bad"), fingerprint(b"mended"));
        let failure = Failure { reason: Reason::Rejected, message: "answered 500".into() };
        let failed = Report {
            seen: bad,
            last_reload_successful: Some(false),
            failure: Some(failure.clone()),
            ..Report::default()
        };
        let mut same = failed.clone();
        same.found(bad, Some(bad));
        assert_eq!(same.failure, Some(failure));
        let mut other = failed;
        other.found(mended, Some(bad));
        assert_eq!((other.seen, other.failure, other.last_reload_successful), (mended, None, Some(false)));
    }

    #[test]
    fn a_status_tells_what_is_loaded_and_what_is_wrong() {
        let empty = json!({
            "configHash": null, "watchedHash": null, "seenConfigHash": null, "seenWatchedHash": null,
            "lastReloadSuccessful": null, "lastReloadTime": null, "lastErrorReason": null, "lastError": null,
        });
        assert_eq!(Report::default().status(), empty);
        let fingerprint =
            |text: &[u8]| Fingerprint { config: Some(Digest::of(text)), watched: Some(Digest::of(b"rules")) };
        let board = Board::default();
        board.update(|report| {
            report.seen = fingerprint(b"new");
            report.loaded = Some(fingerprint(b"old"));
            report.last_reload_successful = Some(false);
            report.last_success = Some(Timestamp::UNIX_EPOCH);
            report.failure = Some(Failure { reason: Reason::Rejected, message: "answered 500".into() });
        });
        let full = json!({
            "configHash": Digest::of(b"old").to_string(), "watchedHash": Digest::of(b"rules").to_string(),
            "seenConfigHash": Digest::of(b"new").to_string(), "seenWatchedHash": Digest::of(b"rules").to_string(),
            "lastReloadSuccessful": false, "lastReloadTime": "1970-01-01T00:00:00.000Z",
            "lastErrorReason": "rejected", "lastError": "answered 500",
        });
        assert_eq!(board.read().status(), full);
    }
}
