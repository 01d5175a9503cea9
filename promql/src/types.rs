//! The types of expressions.

use std::fmt;

/// The type of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueType {
    /// A number.
    Scalar,
    /// A string.
    Text,
    /// An instant vector: one value for each series.
    Vector,
    /// A range vector: many values for each series.
    Matrix,
}

impl ValueType {
    /// The short name, which is used only in errors about subqueries.
    pub(crate) fn short(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Text => "string",
            Self::Vector => "vector",
            Self::Matrix => "matrix",
        }
    }
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Scalar | Self::Text => self.short(),
            Self::Vector => "instant vector",
            Self::Matrix => "range vector",
        })
    }
}
