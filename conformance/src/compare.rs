//! When two results are the same.

use serde_json::{Map, Value};

use crate::case::{Case, Expected};

/// What a case came to.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// The name of the case.
    pub(crate) name: String,
    /// How near the result is.
    pub(crate) verdict: Comparison,
    /// What we made, where it was a case and no refusal.
    pub(crate) made: Option<Value>,
}

/// How close a result is to the expected one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Comparison {
    /// The same bytes, or, for a rejection, the same message.
    Same,
    /// The same data, or a rejection with another message.
    Alike,
    /// Something else.
    Different {
        /// What the peer gave.
        expected: String,
        /// What we gave.
        found: String,
    },
}

/// How a refusal begins when it is shown.
pub(crate) const REFUSED: &str = "error: ";

/// What we gave: a result, or a refusal in words.
pub(crate) type Found = Result<Value, String>;

/// Compares files byte by byte.
pub(crate) fn text(case: &Case, found: Found) -> Outcome {
    compare(case, found, |expected, found| expected == found)
}

/// Compares objects, after leaving out what is empty: a server fills in nothing there, and neither side says so always.
pub(crate) fn data(case: &Case, found: Found) -> Outcome {
    compare(case, found, |expected, found| pruned(expected.clone()) == pruned(found.clone()))
}

fn compare(case: &Case, found: Found, same: impl Fn(&Value, &Value) -> bool) -> Outcome {
    let verdict = match (&case.expected, &found) {
        (Expected::Output(expected), Ok(found)) if same(expected, found) => Comparison::Same,
        (Expected::Error(expected), Err(found)) if expected == found => Comparison::Same,
        (Expected::Error(_), Err(_)) => Comparison::Alike,
        (expected, found) => {
            Comparison::Different { expected: shown_expected(expected), found: shown_found(found) }
        }
    };
    Outcome { name: case.name.clone(), verdict, made: found.ok() }
}

fn shown_expected(expected: &Expected) -> String {
    match expected {
        Expected::Output(value) => shown(value),
        Expected::Error(error) => format!("{REFUSED}{error}\n"),
    }
}

fn shown_found(found: &Found) -> String {
    match found {
        Ok(value) => shown(value),
        Err(error) => format!("{REFUSED}{error}\n"),
    }
}

/// A value as lines that can be compared by eye.
pub(crate) fn shown(value: &Value) -> String {
    if let Value::String(text) = value {
        return text.clone();
    }
    let mut text = serde_json::to_string_pretty(&pruned(value.clone())).unwrap_or_default();
    text.push('\n');
    text
}

/// The same without what is empty.
pub(crate) fn pruned(value: Value) -> Value {
    match value {
        Value::Object(values) => values
            .into_iter()
            .map(|(key, value)| (key, pruned(value)))
            .filter(|(_, value)| !is_empty(value))
            .collect::<Map<_, _>>()
            .into(),
        Value::Array(values) => values.into_iter().map(pruned).collect::<Vec<_>>().into(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value,
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(values) => values.is_empty(),
        Value::Array(values) => values.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}
