//! A placeholder for the texts of a user in a generated file. Included by the property tests of several crates: a file that
//! is generated with any text must equal the file with the placeholder, once the text replaces the placeholder.

use formats::yaml::{self, Map, Value};

/// The placeholder. It occurs nowhere else in a file.
pub(crate) const PLACEHOLDER: &str = "word-of-the-user";

/// The values of a file.
pub(crate) fn read(file: &str) -> Value {
    yaml::read(file).unwrap_or_else(|error| panic!("{error}: {file}")).value
}

/// The same values, with the placeholder replaced.
pub(crate) fn replaced(value: Value, text: &str) -> Value {
    match value {
        Value::Text(word) if word == PLACEHOLDER => text.to_owned().into(),
        Value::List(list) => Value::List(list.into_iter().map(|item| replaced(item, text)).collect()),
        Value::Map(map) => {
            Value::Map(Map(map.0.into_iter().map(|(key, value)| (key, replaced(value, text))).collect()))
        }
        other @ (Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Uint(_)
        | Value::Float(_)
        | Value::Text(_)
        | Value::Binary(_)
        | Value::Row(_)) => other,
    }
}
