//! What is wrong with a text, or with a type that cannot be written.

use std::fmt;

use ::serde::{de, ser};

use crate::yaml::ReadError;

/// What is wrong. Words are those of the program that users come from, because that is what they search for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The text is no YAML.
    #[error("yaml: {0}")]
    NoYaml(ReadError),
    /// A value does not fit where it stands.
    #[error("yaml: unmarshal errors:\n  line {line}: {problem}")]
    Unfit {
        /// Where, counted from 1.
        line: usize,
        /// What does not fit.
        problem: String,
    },
    /// A type refuses a value, in its own words.
    #[error("{0}")]
    Refused(String),
}

/// The type that is named where there is a map of fields.
pub(super) const FIELDS: &str = "config.plain";

impl Error {
    /// The same, at a line if it has none.
    pub(super) fn at(self, here: usize) -> Self {
        match self {
            Self::Unfit { line: 0, problem } => Self::Unfit { line: here, problem },
            other @ (Self::NoYaml(_) | Self::Unfit { .. } | Self::Refused(_)) => other,
        }
    }
}

impl From<ReadError> for Error {
    fn from(error: ReadError) -> Self {
        if error.problem.ends_with("already set") {
            return Self::Unfit { line: error.line, problem: format!("{} in type {FIELDS}", error.problem) };
        }
        Self::NoYaml(error)
    }
}

impl de::Error for Error {
    fn custom<T: fmt::Display>(words: T) -> Self {
        Self::Refused(words.to_string())
    }

    fn unknown_field(field: &str, _: &'static [&'static str]) -> Self {
        Self::Unfit { line: 0, problem: format!("field {field} not found in type {FIELDS}") }
    }

    fn invalid_value(unexpected: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::Unfit { line: 0, problem: format!("cannot unmarshal {unexpected} into {expected}") }
    }
}

impl ser::Error for Error {
    fn custom<T: fmt::Display>(words: T) -> Self {
        Self::Refused(words.to_string())
    }
}
