//! Errors of queries.

use std::fmt;

/// Why a query cannot be parsed. Only the first error is reported, because later ones tend to follow from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// The line and the byte in it, both counted from one. None if the query is empty.
    location: Option<(usize, usize)>,
    message: String,
}

impl Error {
    /// An error at a byte of the query.
    pub(crate) fn new(query: &str, position: usize, message: impl Into<String>) -> Self {
        let before = query.get(..position).unwrap_or(query);
        let location = (!query.is_empty()).then(|| {
            let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
            let begin = before.rfind('\n').map_or(0, |line_break| line_break + 1);
            (line, position - begin + 1)
        });
        Self { location, message: message.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.location {
            Some((line, column)) => write!(f, "{line}:{column}: parse error: {}", self.message),
            None => write!(f, "unknown position: parse error: {}", self.message),
        }
    }
}

impl std::error::Error for Error {}
