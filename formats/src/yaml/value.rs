//! The values that can be written.

use std::borrow::Cow;

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Null.
    Null,
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// An integer that does not fit into `i64`.
    Uint(u64),
    /// A floating point number.
    Float(f64),
    /// A string.
    Text(Cow<'static, str>),
    /// Bytes that are not UTF-8.
    Binary(Vec<u8>),
    /// A list with one item on each line.
    List(Vec<Value>),
    /// A list of strings in one line, between brackets.
    Row(Vec<String>),
    /// A map.
    Map(Map),
}

/// Keys and values in the order in which they are written. Duplicate keys are kept.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Map(pub Vec<(Value, Value)>);

impl Map {
    /// An empty map.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends an entry.
    pub fn push(&mut self, key: impl Into<Value>, value: impl Into<Value>) {
        self.0.push((key.into(), value.into()));
    }

    /// The map with another entry at its end.
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

/// A string if the bytes are UTF-8.
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
