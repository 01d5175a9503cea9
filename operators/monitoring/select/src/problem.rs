//! Why a resource is rejected, in the words of the Prometheus Operator, from the outermost field to the cause.

use std::borrow::Cow;
use std::fmt;

use go_syntax::url;
use monitoring_assets::Missing;

use crate::certificate::InvalidCertificate;
use crate::duration::InvalidDuration;
use crate::field_selector::InvalidFieldSelector;
use crate::label_selector::InvalidSelector;
use crate::relabel::InvalidRelabeling;

/// Why a resource is rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// A part of the resource is invalid.
    #[error("{place}: {problem}")]
    Within {
        /// The part: a field, an element, or both.
        place: String,
        /// The problem.
        problem: Box<Problem>,
    },
    /// A Secret or a ConfigMap, or a key of it, is missing.
    #[error(transparent)]
    Missing(#[from] Missing),
    /// A Secret with additional configuration, or a key of it, is missing.
    #[error("{0}")]
    NoAdditional(String),
    /// A resource without a namespace references a Secret or a ConfigMap.
    #[error("namespace cannot be empty")]
    NoNamespace,
    /// A URL is invalid.
    #[error(transparent)]
    Url(#[from] url::InvalidUrl),
    /// A duration is invalid, or two of them contradict each other.
    #[error(transparent)]
    Duration(#[from] InvalidDuration),
    /// A relabeling step is invalid.
    #[error(transparent)]
    Relabel(#[from] InvalidRelabeling),
    /// A label selector is invalid.
    #[error(transparent)]
    LabelSelector(#[from] InvalidSelector),
    /// A field selector is invalid.
    #[error(transparent)]
    FieldSelector(#[from] InvalidFieldSelector),
    /// A certificate or a key is invalid.
    #[error(transparent)]
    Certificate(#[from] InvalidCertificate),
    /// A text cannot be parsed, in the words of the crate that parses it.
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

    /// Whether the only problem is that a referenced object or key is missing.
    pub fn is_missing(&self) -> bool {
        if let Self::Within { problem, .. } = self {
            return problem.is_missing();
        }
        matches!(self, Self::Missing(_) | Self::NoAdditional(_))
    }
}

/// The result of a check that found a broken rule.
pub fn broken<T>(words: impl Into<Cow<'static, str>>) -> Result<T, Problem> {
    Err(Problem::rule(words))
}

/// Adds the place of a problem.
pub trait Within<T> {
    /// Adds the part of the resource with the problem.
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
