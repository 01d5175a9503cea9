//! The field that a problem is about, as it stands in the object. Problems name fields in the peer's words, which are
//! not always those that users wrote.

use std::fmt::Write as _;

use monitoring_select::Problem;
use serde_json::Value;

/// A problem, and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found<'p> {
    /// The field, as far down as the problem says.
    pub(super) field: String,
    /// What is wrong there.
    pub(super) problem: &'p Problem,
}

/// What the peer calls a field, and what it is called in the object.
const OTHER_NAMES: [(&str, &str); 5] = [
    ("endpoint", "podMetricsEndpoints"),
    ("scrapeClassName", "scrapeClass"),
    ("relabelConfigs", "relabelings"),
    ("relabelConfigs", "relabelingConfigs"),
    ("metricRelabelConfigs", "metricRelabelings"),
];

/// Follows a problem into the object, as far as the object has what the problem names.
pub(super) fn find<'p>(problem: &'p Problem, object: &Value) -> Found<'p> {
    let (mut field, mut value, mut problem) = ("spec".to_owned(), &object["spec"], problem);
    while let Problem::Within { place, problem: inner } = problem
        && let Some((more, next)) = enter(place, value)
    {
        field.push_str(&more);
        (value, problem) = (next, inner);
    }
    Found { field, problem }
}

/// Goes into a place such as `a.b[0]` or `[0]`; nothing, if it is not there.
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

/// A field by its name or by what the peer calls it. Capital letters are as good as small ones.
fn named<'v>(name: &str, value: &'v Value) -> Option<(&'v str, &'v Value)> {
    let is_called = |field: &str| {
        field.eq_ignore_ascii_case(name)
            || OTHER_NAMES.iter().any(|(other, known)| *other == name && *known == field)
    };
    let mut fields = value.as_object()?.iter();
    fields.find(|(field, _)| is_called(field)).map(|(field, value)| (field.as_str(), value))
}
