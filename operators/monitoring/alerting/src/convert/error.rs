//! Why something cannot be written. Words are those that users search for.

use formats::alertmanager::duration::BadDuration;
use monitoring_assets::Missing;
use monitoring_select::problem::Problem;

/// Why a resource cannot be converted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Something that it points to is not there.
    #[error(transparent)]
    Missing(#[from] Missing),
    /// The same, with what it was needed for.
    #[error("failed to get {what}: {missing}")]
    Needed {
        /// What it was needed for.
        what: &'static str,
        /// What is not there.
        missing: Missing,
    },
    /// Something that it points to is there and cannot be used.
    #[error(transparent)]
    Unusable(#[from] Problem),
    /// A span of time that is none.
    #[error(transparent)]
    Duration(#[from] BadDuration),
    /// A rule of its kind is broken.
    #[error("{0}")]
    Rule(String),
    /// Something is wrong at a place.
    #[error("{place}: {error}")]
    At {
        /// Where.
        place: String,
        /// What.
        error: Box<Error>,
    },
}

impl Error {
    /// The same, with what was being read.
    pub(crate) fn reading(self, what: &'static str) -> Self {
        match self {
            Self::Missing(missing) => Self::Needed { what, missing },
            other @ (Self::Needed { .. }
            | Self::Unusable(_)
            | Self::Duration(_)
            | Self::Rule(_)
            | Self::At { .. }) => other,
        }
    }

    /// The same, with where it is.
    pub(crate) fn at(self, place: impl Into<String>) -> Self {
        Self::At { place: place.into(), error: Box::new(self) }
    }

    /// A rule that is broken.
    pub(crate) fn rule(words: impl Into<String>) -> Self {
        Self::Rule(words.into())
    }
}
