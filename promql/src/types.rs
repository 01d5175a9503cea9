//! What an expression gives.

use std::fmt;

/// Kinds of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Type {
    /// A number.
    Scalar,
    /// A text.
    Text,
    /// One value a series.
    Vector,
    /// Many values a series.
    Matrix,
}

impl Type {
    /// The short name, which only subqueries use.
    pub(crate) fn short(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Text => "string",
            Self::Vector => "vector",
            Self::Matrix => "matrix",
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Scalar | Self::Text => self.short(),
            Self::Vector => "instant vector",
            Self::Matrix => "range vector",
        })
    }
}
