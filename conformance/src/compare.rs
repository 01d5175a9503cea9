//! Compares a result with the expected one.

use serde_json::{Map, Value};

use crate::case::{Case, Expected};

/// The result of a case.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// The name of the case.
    pub(crate) name: String,
    /// How close the result is to the expected one.
    pub(crate) comparison: Comparison,
    /// Our output, if it is not an error.
    pub(crate) output: Option<Value>,
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
        /// The output of the Prometheus Operator.
        expected: String,
        /// Our output.
        found: String,
    },
}

/// The prefix of an error in a comparison.
const ERROR_PREFIX: &str = "error: ";

/// Our result: an output or an error message.
pub(crate) type Found = Result<Value, String>;

/// Compares files byte by byte.
pub(crate) fn text(case: &Case, found: Found) -> Outcome {
    compare(case, found, |expected, found| expected == found)
}

/// Compares objects without empty values, because either side may omit them.
pub(crate) fn data(case: &Case, found: Found) -> Outcome {
    compare(case, found, |expected, found| pruned(expected.clone()) == pruned(found.clone()))
}

fn compare(case: &Case, found: Found, same: impl Fn(&Value, &Value) -> bool) -> Outcome {
    let comparison = match (&case.expected, &found) {
        (Expected::Output(expected), Ok(found)) if same(expected, found) => Comparison::Same,
        (Expected::Error(expected), Err(found)) if expected == found => Comparison::Same,
        (Expected::Error(_), Err(_)) => Comparison::Alike,
        (expected, found) => {
            Comparison::Different { expected: shown_expected(expected), found: shown_found(found) }
        }
    };
    Outcome { name: case.name.clone(), comparison, output: found.ok() }
}

fn shown_expected(expected: &Expected) -> String {
    match expected {
        Expected::Output(value) => shown(value),
        Expected::Error(error) => format!("{ERROR_PREFIX}{error}\n"),
    }
}

fn shown_found(found: &Found) -> String {
    match found {
        Ok(value) => shown(value),
        Err(error) => format!("{ERROR_PREFIX}{error}\n"),
    }
}

/// A value as lines, for a diff.
pub(crate) fn shown(value: &Value) -> String {
    if let Value::String(text) = value {
        return text.clone();
    }
    let mut text = serde_json::to_string_pretty(&pruned(value.clone())).unwrap_or_default();
    text.push('\n');
    text
}

/// The value without empty values.
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
