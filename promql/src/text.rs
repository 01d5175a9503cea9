//! Strings of a query. Most are slices of the query. Only those with escape sequences are allocated.

use std::ops::Deref;

/// A string of a query. With escape sequences it need not be UTF-8.
#[derive(Debug, Clone)]
pub(crate) enum Text<'q> {
    /// A slice of the query.
    Borrowed(&'q [u8]),
    /// A string with escape sequences. It is boxed, so that all other strings are small.
    Owned(Box<OwnedText>),
}

/// An allocated string.
#[derive(Debug, Clone)]
pub(crate) struct OwnedText(Vec<u8>);

impl Text<'_> {
    pub(crate) fn owned(bytes: Vec<u8>) -> Self {
        Self::Owned(Box::new(OwnedText(bytes)))
    }
}

impl<'q> From<&'q str> for Text<'q> {
    fn from(text: &'q str) -> Self {
        Self::Borrowed(text.as_bytes())
    }
}

impl Deref for Text<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Borrowed(bytes) => bytes,
            Self::Owned(text) => &text.0,
        }
    }
}

impl PartialEq for Text<'_> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Text<'_> {}
