//! What can be written.

use std::borrow::Cow;

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Nothing.
    Null,
    /// Yes or no.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A whole number that is too large for the other kind.
    Uint(u64),
    /// Any other number.
    Float(f64),
    /// A text.
    Text(Cow<'static, str>),
    /// Bytes that are no text.
    Binary(Vec<u8>),
    /// Values in order, a line each.
    List(Vec<Value>),
    /// Texts in order, in one line between brackets.
    Row(Vec<String>),
    /// Values by key, in the order in which they are written.
    Map(Map),
}

/// Values by key, in the order in which they are written. It keeps what it is given: also a key that comes twice.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Map(pub Vec<(Value, Value)>);

impl Map {
    /// Nothing in it yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an entry at the end.
    pub fn push(&mut self, key: impl Into<Value>, value: impl Into<Value>) {
        self.0.push((key.into(), value.into()));
    }

    /// The same with an entry more.
    #[must_use]
    pub fn with(mut self, key: impl Into<Value>, value: impl Into<Value>) -> Self {
        self.push(key, value);
        self
    }
}

impl From<&'static str> for Value {
    fn from(text: &'static str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

/// A text, if it is one.
impl From<&[u8]> for Value {
    fn from(bytes: &[u8]) -> Self {
        std::str::from_utf8(bytes)
            .map_or_else(|_| Self::Binary(bytes.to_owned()), |text| text.to_owned().into())
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Self {
        Self::Bool(truth)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<i32> for Value {
    fn from(number: i32) -> Self {
        Self::Int(number.into())
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        i64::try_from(number).map_or(Self::Uint(number), Self::Int)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Float(number)
    }
}

impl From<Map> for Value {
    fn from(map: Map) -> Self {
        Self::Map(map)
    }
}

impl<V: Into<Value>> From<Vec<V>> for Value {
    fn from(list: Vec<V>) -> Self {
        Self::List(list.into_iter().map(Into::into).collect())
    }
}
