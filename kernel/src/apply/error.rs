//! Why something was not written, and what follows from the server's words.

use crate::metrics::denied_permission;
use crate::object::Key;

/// Why something was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// Another one leads.
    #[error("this process does not lead any more and writes nothing")]
    Fenced,
    /// Our knowledge is old; the watch brings the new state.
    #[error("{kind} {key} was changed by somebody else meanwhile")]
    Outdated {
        /// Its kind.
        kind: &'static str,
        /// Its name.
        key: Key,
    },
    /// It cannot be done at all.
    #[error("{0}")]
    Impossible(String),
    /// The server said no, or nothing.
    #[error("cannot {verb} {kind} {key}")]
    Server {
        /// What was being done.
        verb: &'static str,
        /// Its kind.
        kind: &'static str,
        /// Its name.
        key: Key,
        /// What it said.
        source: Box<kube::Error>,
    },
}

impl WriteError {
    /// Whether the server finds the object invalid.
    pub(super) fn is_invalid(&self) -> bool {
        let Self::Server { source, .. } = self else { return false };
        matches!(&**source, kube::Error::Api(status) if status.code == 422)
    }

    /// Whether it may have been written all the same: the server broke down over it, or did not answer.
    pub(super) fn may_be_done(&self) -> bool {
        let Self::Server { source, .. } = self else { return false };
        !matches!(&**source, kube::Error::Api(status) if status.code < 500)
    }

    /// The words with which the server refuses what it has understood, if that is what happened: asked again at once, it
    /// would say the same. Of many lines it is the first: what follows tells the same at length, and not always alike.
    pub(super) fn refusal(&self) -> Option<&str> {
        let Self::Server { source, .. } = self else { return None };
        let kube::Error::Api(status) = &**source else { return None };
        // A webhook that says nothing about the code says 400.
        matches!(status.code, 400 | 403 | 413 | 422)
            .then(|| status.message.lines().next().unwrap_or_default().trim())
    }

    pub(super) fn is_missing_permission(&self) -> bool {
        let Self::Server { source, .. } = self else { return false };
        matches!(&**source, kube::Error::Api(status) if status.code == 403 && denied_permission(&status.message).is_some())
    }
}
