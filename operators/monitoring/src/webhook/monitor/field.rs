//! The field that a problem is about, as the user wrote it. Problems name fields like the Prometheus Operator, which
//! does not always use the names of the schema.

use std::fmt::Write as _;

use monitoring_select::Problem;
use serde_json::Value;

/// A problem and its field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FieldProblem<'p> {
    /// The path of the field.
    pub(super) field: String,
    /// The problem, without its field.
    pub(super) problem: &'p Problem,
}

/// Names of the Prometheus Operator, with those of the schema.
const OTHER_NAMES: [(&str, &str); 5] = [
    ("endpoint", "podMetricsEndpoints"),
    ("scrapeClassName", "scrapeClass"),
    ("relabelConfigs", "relabelings"),
    ("relabelConfigs", "relabelingConfigs"),
    ("metricRelabelConfigs", "metricRelabelings"),
];

/// Follows the path of a problem as far as the object has it.
pub(super) fn find<'p>(problem: &'p Problem, object: &Value) -> FieldProblem<'p> {
    let (mut field, mut value, mut problem) = ("spec".to_owned(), &object["spec"], problem);
    while let Problem::Within { place, problem: inner } = problem
        && let Some((more, next)) = enter(place, value)
    {
        field.push_str(&more);
        (value, problem) = (next, inner);
    }
    FieldProblem { field, problem }
}

/// The value at a path such as `a.b[0]` or `[0]`, and the path with the names of the schema. None if it does not exist.
fn enter<'v>(place: &str, mut value: &'v Value) -> Option<(String, &'v Value)> {
    let mut field = String::new();
    for part in place.split('.') {
        let (name, index) = match part.split_once('[') {
            Some((name, index)) => (name, Some(index.strip_suffix(']')?.parse::<usize>().ok()?)),
            None => (part, None),
        };
        if !name.is_empty() {
            let (known, next) = named(name, value)?;
            field.push('.');
            field.push_str(known);
            value = next;
        }
        if let Some(index) = index {
            value = value.get(index)?;
            // Writing into a string cannot fail.
            let _ = write!(field, "[{index}]");
        }
    }
    Some((field, value))
}

/// A field by its name in the schema or by that of the Prometheus Operator. Case is ignored.
fn named<'v>(name: &str, value: &'v Value) -> Option<(&'v str, &'v Value)> {
    let is_called = |field: &str| {
        field.eq_ignore_ascii_case(name)
            || OTHER_NAMES.iter().any(|(other, known)| *other == name && *known == field)
    };
    let mut fields = value.as_object()?.iter();
    fields.find(|(field, _)| is_called(field)).map(|(field, value)| (field.as_str(), value))
}
