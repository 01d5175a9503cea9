//! The resources that an error of an operand names: by the name of a job, a receiver or a rule file, by a line of the
//! configuration, or by a piece of it that only one resource has. The errors are those of Prometheus 2.42 to 3.13,
//! Alertmanager 0.25 to 0.33 and Thanos Ruler 0.42, from the response to `POST /-/reload` or from a log.
//!
//! A named resource is only a suspect: [`crate::rejections::search`] finds out whether it is a cause. Many errors name no
//! resource. A bad regular expression is quoted without its job, and Prometheus names a bad rule file only in its log.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::rejections::error_text;
use crate::rejections::parts::Parts;
use crate::rejections::resource::ResourceRef;

/// A quoted piece that more resources contain names none of them.
const MOST_CONTAINING: usize = 3;

/// The most line numbers and quoted pieces of an error that are looked up. The text comes from a pod, and each of them is
/// searched for in the whole configuration.
const MOST_SEARCHED: usize = 50;

/// The resources that an error names; none stands for the workload itself.
pub fn mentioned<'p>(error: &str, parts: &'p Parts<'_>) -> BTreeSet<Option<&'p ResourceRef>> {
    let text = error_text::unescaped(error);
    let mut mentioned = by_name(&text, parts);
    if mentioned.is_empty() {
        mentioned = by_line(&text, parts);
    }
    if mentioned.is_empty() {
        mentioned = by_content(&text, parts);
    }
    mentioned
}

/// The field of a resource whose value an error quotes, and that value. It may be shown, because everyone who can read the
/// resource can read the value.
pub fn quoted_field<'o>(resource: &'o Value, error: &str) -> Option<(String, &'o str)> {
    let text = error_text::unescaped(error);
    pieces(&text).into_iter().find_map(|piece| find_value(&resource["spec"], piece, "spec".into()))
}

fn find_value<'o>(value: &'o Value, wanted: &str, path: String) -> Option<(String, &'o str)> {
    match value {
        Value::String(text) => (text == wanted).then_some((path, text)),
        Value::Array(values) => {
            let mut each = values.iter().enumerate();
            each.find_map(|(index, value)| find_value(value, wanted, format!("{path}[{index}]")))
        }
        Value::Object(fields) => {
            fields.iter().find_map(|(name, value)| find_value(value, wanted, format!("{path}.{name}")))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

fn by_name<'p>(text: &str, parts: &'p Parts<'_>) -> BTreeSet<Option<&'p ResourceRef>> {
    let files = parts.rule_files.iter().filter(|(file, _)| text.contains(file.as_str()));
    let is_named =
        |resource: &&ResourceRef| resource.name_prefix().is_some_and(|prefix| contains_name(text, &prefix));
    let named = parts.resources.iter().filter(is_named);
    files.map(|(_, resource)| resource).chain(named).map(Some).collect()
}

/// Whether a text contains a name with this prefix that is not part of a longer name.
fn contains_name(text: &str, prefix: &str) -> bool {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '.' | '/');
    text.match_indices(prefix).any(|(at, _)| {
        let after = &text[at + prefix.len()..];
        let ends = prefix.ends_with('/') || after.starts_with('/') || !after.starts_with(is_part);
        ends && !text[..at].ends_with(is_part)
    })
}

fn by_line<'p>(text: &str, parts: &'p Parts<'_>) -> BTreeSet<Option<&'p ResourceRef>> {
    let count = parts.lines();
    let lines = error_text::lines(text).into_iter().filter(|line| *line <= count);
    lines.take(MOST_SEARCHED).map(|line| parts.at_line(line)).collect()
}

/// By what a text quotes of the configuration: the resources that have all of it.
fn by_content<'p>(text: &str, parts: &'p Parts<'_>) -> BTreeSet<Option<&'p ResourceRef>> {
    let containing = pieces(text).into_iter().map(|piece| parts.containing(piece));
    let containing = containing.filter(|some| !some.is_empty()).reduce(|one, other| &one & &other);
    containing.filter(|some| some.len() <= MOST_CONTAINING).unwrap_or_default()
}

/// Pieces of a text that may come from the configuration.
fn pieces(text: &str) -> Vec<&str> {
    let quoted = error_text::quoted(text).into_iter().take(MOST_SEARCHED);
    let mut found: Vec<&str> = quoted.map(without_anchors).collect();
    // Some errors end with the piece, without quotation marks.
    if let Some((_, end)) = text.trim_end().rsplit_once(": ") {
        found.push(end);
    }
    found.retain(|piece| !piece.is_empty());
    found
}

/// A regular expression without the anchors that operands add.
fn without_anchors(text: &str) -> &str {
    let text = text.strip_prefix("^(?s:").or_else(|| text.strip_prefix("^(?:")).unwrap_or(text);
    text.strip_suffix(")$").unwrap_or(text)
}

#[cfg(test)]
mod tests;
