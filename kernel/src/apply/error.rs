//! Why a write failed, and what follows from the answer of the server.

use kube::core::Status;

use crate::metrics::denied_permission;
use crate::object::Key;

/// The outcome of a write.
pub type Result<T, E = WriteError> = std::result::Result<T, E>;

/// Why a write failed.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// Another process is the leader.
    #[error("this process is no longer the leader and writes nothing")]
    Fenced,
    /// The write was based on an outdated version; the watch delivers the new one.
    #[error("{kind} {key} was changed by another writer meanwhile")]
    Outdated {
        /// Its kind.
        kind: &'static str,
        /// Its name.
        key: Key,
    },
    /// The write is not possible.
    #[error("{0}")]
    Impossible(String),
    /// The server rejected it, or did not answer.
    #[error("cannot {verb} {kind} {key}")]
    Server {
        /// What was being done.
        verb: &'static str,
        /// Its kind.
        kind: &'static str,
        /// Its name.
        key: Key,
        /// Its answer.
        source: Box<kube::Error>,
    },
}

impl WriteError {
    /// What the server answered, if it did.
    fn status(&self) -> Option<&Status> {
        let Self::Server { source, .. } = self else { return None };
        let kube::Error::Api(status) = &**source else { return None };
        Some(status)
    }

    /// The status code of the server's answer, if there was one.
    pub fn code(&self) -> Option<u16> {
        self.status().map(|status| status.code)
    }

    /// Whether the server finds the object invalid.
    pub(super) fn is_invalid(&self) -> bool {
        self.code() == Some(422)
    }

    /// Whether the object may have been written nevertheless: the server failed, or did not answer.
    pub(super) fn may_be_done(&self) -> bool {
        matches!(self, Self::Server { .. }) && self.code().is_none_or(|code| code >= 500)
    }

    /// The message with which the server rejects a valid request: an immediate retry would be rejected again. Only the first
    /// line: the others repeat it in more detail, and not always with the same text.
    pub(super) fn refusal(&self) -> Option<&str> {
        let status = self.status()?;
        // A webhook that sets no code answers 400.
        matches!(status.code, 400 | 403 | 413 | 422)
            .then(|| status.message.lines().next().unwrap_or_default().trim())
    }

    pub(super) fn is_missing_permission(&self) -> bool {
        self.status().is_some_and(|status| status.code == 403 && denied_permission(&status.message).is_some())
    }
}
