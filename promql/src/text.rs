//! Texts of a query. Nearly all of them stand in the query as they are; the others were made from signs.

use std::ops::Deref;

/// A text of a query. Signs may make it bytes that are no letters.
#[derive(Debug, Clone)]
pub(crate) enum Text<'q> {
    /// It stands in the query.
    Plain(&'q [u8]),
    /// It was made. The few that were lie elsewhere, so that all the others are small.
    Made(Box<Made>),
}

/// A text that was made.
#[derive(Debug, Clone)]
pub(crate) struct Made(Vec<u8>);

impl Text<'_> {
    pub(crate) fn made(bytes: Vec<u8>) -> Self {
        Self::Made(Box::new(Made(bytes)))
    }
}

impl<'q> From<&'q str> for Text<'q> {
    fn from(text: &'q str) -> Self {
        Self::Plain(text.as_bytes())
    }
}

impl Deref for Text<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Plain(bytes) => bytes,
            Self::Made(made) => &made.0,
        }
    }
}

impl AsRef<[u8]> for Text<'_> {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl PartialEq for Text<'_> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Text<'_> {}
