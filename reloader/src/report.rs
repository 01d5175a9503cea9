//! The state of this program as plain data: the main loop writes it, the HTTP server shows it.
//!
//! It contains no text of the reloaded server, which could quote a secret of the configuration: a secret must not reach
//! a metric or the status. Errors have a reason from a closed set, and a message of this program.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::content::Fingerprint;

/// Why something failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The configuration cannot be read.
    Read,
    /// The expanded configuration cannot be written.
    Write,
    /// A watched directory cannot be read.
    Watched,
    /// The server cannot be reached.
    Unreachable,
    /// The server did not answer in time.
    Timeout,
    /// The server rejected the configuration.
    Rejected,
    /// There is no process to send the signal to.
    NoProcess,
    /// It is not known whether the reload succeeded.
    Unconfirmed,
}

impl Reason {
    /// The value of the label.
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

/// The last failure, until a success.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The reason.
    pub reason: Reason,
    /// A message of this program.
    pub message: String,
}

/// The counters and the state of the program.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Number of reloads.
    pub reloads: u64,
    /// Number of reloads that failed.
    pub reloads_failed: u64,
    /// Number of passes.
    pub passes: u64,
    /// Number of passes that failed.
    pub passes_failed: u64,
    /// Number of times that the output file was written.
    pub writes: u64,
    /// Number of watched directories.
    pub watches: u64,
    /// Number of inotify events.
    pub watch_events: u64,
    /// Number of inotify errors, including directories that cannot be watched.
    pub watch_errors: u64,
    /// Number of references to variables that are not set, in the last pass.
    pub unset_variables: u64,
    /// Whether the last reload succeeded; `None` before the first.
    pub last_reload_successful: Option<bool>,
    /// The time of the last successful reload.
    pub last_success: Option<Timestamp>,
    /// The hashes of the last pass.
    pub seen: Fingerprint,
    /// The hashes of the configuration that the server loaded.
    pub loaded: Option<Fingerprint>,
    /// The current failure.
    pub failure: Option<Failure>,
}

impl Report {
    /// Records the hashes of a pass; `sent` are those of the last reload.
    pub fn found(&mut self, found: Fingerprint, sent: Option<Fingerprint>) {
        self.seen = found;
        // A failed reload stays a failure until one succeeds, but not for changed files: it would look as if the server
        // had rejected these.
        if self.last_reload_successful != Some(false) || sent != Some(found) {
            self.failure = None;
        }
    }

    /// The content of `/status`.
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

/// The report that the main loop and the HTTP server share.
#[derive(Debug, Clone, Default)]
pub struct SharedReport(Arc<Mutex<Report>>);

impl SharedReport {
    /// Changes the report.
    pub fn update(&self, change: impl FnOnce(&mut Report)) {
        change(&mut self.lock());
    }

    /// Returns a copy of the report.
    pub fn read(&self) -> Report {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Report> {
        // Plain data stays valid after a panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::Digest;

    #[test]
    fn a_failure_is_shown_until_the_files_change() {
        let fingerprint = |text: &[u8]| Fingerprint { config: Some(Digest::of(text)), watched: None };
        let (bad, fixed) = (fingerprint(b"bad"), fingerprint(b"fixed"));
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
        other.found(fixed, Some(bad));
        assert_eq!((other.seen, other.failure, other.last_reload_successful), (fixed, None, Some(false)));
    }

    #[test]
    fn the_status_shows_the_loaded_configuration_and_the_failure() {
        let empty = json!({
            "configHash": null, "watchedHash": null, "seenConfigHash": null, "seenWatchedHash": null,
            "lastReloadSuccessful": null, "lastReloadTime": null, "lastErrorReason": null, "lastError": null,
        });
        assert_eq!(Report::default().status(), empty);
        let fingerprint =
            |text: &[u8]| Fingerprint { config: Some(Digest::of(text)), watched: Some(Digest::of(b"rules")) };
        let shared = SharedReport::default();
        shared.update(|report| {
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
        assert_eq!(shared.read().status(), full);
    }
}
