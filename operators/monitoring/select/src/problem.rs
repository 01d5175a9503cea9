//! Why an object is refused, in the words that users of the peer search for, from the outermost field to the cause.

use std::borrow::Cow;
use std::fmt;

use monitoring_assets::Missing;

use crate::certificate;
use crate::duration;
use crate::field_selector;
use crate::label_selector;
use crate::relabel;
use crate::url;

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// Something is wrong in a part of the object.
    #[error("{place}: {problem}")]
    Within {
        /// The part: a field, an element, or both.
        place: String,
        /// What is wrong with it.
        problem: Box<Problem>,
    },
    /// A Secret or a ConfigMap, or a key of it, is not there.
    #[error(transparent)]
    Missing(#[from] Missing),
    /// A Secret that a user wrote a part of the configuration into, or a key of it, is not there.
    #[error("{0}")]
    NotThere(String),
    /// An object without a namespace points to a Secret or a ConfigMap.
    #[error("namespace cannot be empty")]
    NoNamespace,
    /// An address cannot be read.
    #[error(transparent)]
    Url(#[from] url::Invalid),
    /// A duration cannot be read, or two of them contradict each other.
    #[error(transparent)]
    Duration(#[from] duration::Invalid),
    /// A relabeling step is wrong.
    #[error(transparent)]
    Relabel(#[from] relabel::Invalid),
    /// A label selector is wrong.
    #[error(transparent)]
    LabelSelector(#[from] label_selector::Invalid),
    /// A field selector is wrong.
    #[error(transparent)]
    FieldSelector(#[from] field_selector::Invalid),
    /// A certificate or a key is wrong.
    #[error(transparent)]
    Certificate(#[from] certificate::Invalid),
    /// A text with a syntax that another crate knows cannot be read, in the words of that crate.
    #[error("{0}")]
    Text(String),
    /// A rule between fields is broken, or the version does not have a field.
    #[error("{0}")]
    Rule(Cow<'static, str>),
}

impl Problem {
    /// A broken rule.
    pub fn rule(words: impl Into<Cow<'static, str>>) -> Self {
        Self::Rule(words.into())
    }

    /// Whether nothing is wrong but that something is not there, yet or any more.
    pub fn is_missing(&self) -> bool {
        match self {
            Self::Within { problem, .. } => problem.is_missing(),
            Self::Missing(_) | Self::NotThere(_) => true,
            Self::NoNamespace
            | Self::Url(_)
            | Self::Duration(_)
            | Self::Relabel(_)
            | Self::LabelSelector(_)
            | Self::FieldSelector(_)
            | Self::Certificate(_)
            | Self::Text(_)
            | Self::Rule(_) => false,
        }
    }
}

/// A broken rule, as the end of a check.
pub fn broken<T>(words: impl Into<Cow<'static, str>>) -> Result<T, Problem> {
    Err(Problem::rule(words))
}

/// Says where a problem is.
pub trait Within<T> {
    /// Says in which part of the object the problem is.
    fn within(self, place: impl fmt::Display) -> Result<T, Problem>;
}

impl<T, E: Into<Problem>> Within<T> for Result<T, E> {
    fn within(self, place: impl fmt::Display) -> Result<T, Problem> {
        self.map_err(|problem| Problem::Within {
            place: place.to_string(),
            problem: Box::new(problem.into()),
        })
    }
}
