//! Why a query cannot be read.

use std::fmt;

/// Why a query cannot be read, and where. It is the first reason: what follows a mistake says little.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    place: Option<(usize, usize)>,
    message: String,
}

impl Error {
    /// At a byte of the query.
    pub(crate) fn new(query: &str, position: usize, message: impl Into<String>) -> Self {
        let before = query.get(..position).unwrap_or(query);
        let place = (!query.is_empty()).then(|| {
            let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
            let begin = before.rfind('\n').map_or(0, |line_break| line_break + 1);
            (line, position - begin + 1)
        });
        Self { place, message: message.into() }
    }

    /// The reason without the place.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The line and the byte within it, both from one; nothing, if the query is empty.
    pub fn place(&self) -> Option<(usize, usize)> {
        self.place
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Some((line, column)) => write!(f, "{line}:{column}: parse error: {}", self.message),
            None => write!(f, "unknown position: parse error: {}", self.message),
        }
    }
}

impl std::error::Error for Error {}
