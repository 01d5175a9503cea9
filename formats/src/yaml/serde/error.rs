//! Errors of reading and writing.

use std::fmt;

use ::serde::{de, ser};

use crate::yaml::ReadError;

/// Why a text cannot be read, or a type cannot be written. Messages are those of Go's `yaml`, because users search
/// for them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The text is not YAML.
    #[error("yaml: {0}")]
    NoYaml(ReadError),
    /// A value does not have the type of its field.
    #[error("yaml: unmarshal errors:\n  line {line}: {problem}")]
    Unfit {
        /// The line, counted from 1.
        line: usize,
        /// The mismatch.
        problem: String,
    },
    /// A type rejects a value, with its own message.
    #[error("{0}")]
    Refused(String),
}

/// The type that errors name for every struct.
pub(super) const FIELDS: &str = "config.plain";

impl Error {
    /// The same error, with a line if it has none.
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
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::Refused(message.to_string())
    }

    fn unknown_field(field: &str, _: &'static [&'static str]) -> Self {
        Self::Unfit { line: 0, problem: format!("field {field} not found in type {FIELDS}") }
    }

    fn invalid_value(unexpected: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::Unfit { line: 0, problem: format!("cannot unmarshal {unexpected} into {expected}") }
    }
}

impl ser::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::Refused(message.to_string())
    }
}
