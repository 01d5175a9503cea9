//! Whom an error text of an operand names: by the name of a job, a receiver or a rule file, by a line of the
//! configuration, or by a piece of it that only one object has. The texts are those of Prometheus 2.42 to 3.13,
//! Alertmanager 0.25 to 0.33 and Thanos Ruler 0.42: the answer to `POST /-/reload`, or a log.
//!
//! Whoever is named is a suspect: [`crate::loaded::bisect`] finds out whether it was him. Many texts name nobody: a bad regular
//! expression is quoted without its job, and of rules Prometheus says the file in its log only.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::loaded::parts::Parts;
use crate::loaded::subject::Subject;
use crate::loaded::words;

/// More than so many objects with the same piece of text are no suspects but a coincidence.
const SAME: usize = 3;

/// What operands say when they do not take a configuration.
const REFUSALS: [&str; 7] = [
    "failed to reload config",
    "error loading config",
    "error loading configuration file",
    "loading configuration file failed",
    "error loading rule file patterns",
    "loading groups failed",
    "reloading rules failed",
];

/// Whom a text names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Named {
    /// These objects.
    pub objects: BTreeSet<Subject>,
    /// The workload itself: something of its own is where the text points to.
    pub itself: bool,
}

/// Whether a text, such as the end of a log, says that a configuration was not taken.
pub fn is_refusal(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    REFUSALS.iter().any(|refusal| text.contains(refusal))
}

/// Finds out whom a text names.
pub fn find(text: &str, parts: &Parts<'_>) -> Named {
    let text = words::plain(text);
    let objects = by_name(&text, parts);
    if !objects.is_empty() {
        return Named { objects, itself: false };
    }
    let by_line = by_line(&text, parts);
    if by_line == Named::default() { by_content(&text, parts) } else { by_line }
}

/// The field of an object that a text quotes, and what it says. It stands in the object for everybody to read, so it may be
/// repeated.
pub fn field<'o>(object: &'o Value, text: &str) -> Option<(String, &'o str)> {
    let text = words::plain(text);
    needles(&text).into_iter().find_map(|needle| place(&object["spec"], needle, "spec".into()))
}

fn place<'o>(value: &'o Value, needle: &str, path: String) -> Option<(String, &'o str)> {
    match value {
        Value::String(text) => (text == needle).then_some((path, text)),
        Value::Array(values) => {
            let mut each = values.iter().enumerate();
            each.find_map(|(index, value)| place(value, needle, format!("{path}[{index}]")))
        }
        Value::Object(fields) => {
            fields.iter().find_map(|(name, value)| place(value, needle, format!("{path}.{name}")))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

fn by_name(text: &str, parts: &Parts<'_>) -> BTreeSet<Subject> {
    let files = parts.files.iter().filter(|(file, _)| text.contains(file.as_str()));
    let mut found: BTreeSet<Subject> = files.map(|(_, subject)| subject.clone()).collect();
    for subject in &parts.objects {
        if subject.marker().is_some_and(|marker| has_name(text, &marker)) {
            found.insert(subject.clone());
        }
    }
    found
}

/// Whether a name stands in a text that begins with `marker` and is not part of a longer one.
fn has_name(text: &str, marker: &str) -> bool {
    let belongs = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '.' | '/');
    text.match_indices(marker).any(|(at, _)| {
        let after = &text[at + marker.len()..];
        let ends = marker.ends_with('/') || after.starts_with('/') || !after.starts_with(belongs);
        ends && !text[..at].ends_with(belongs)
    })
}

fn by_line(text: &str, parts: &Parts<'_>) -> Named {
    let mut named = Named::default();
    let count = parts.lines();
    for line in words::lines(text).into_iter().filter(|line| *line <= count) {
        match parts.at_line(line) {
            Some(subject) => {
                named.objects.insert(subject.clone());
            }
            None => named.itself = true,
        }
    }
    named
}

/// By what a text quotes of the configuration: those who have all of it.
fn by_content(text: &str, parts: &Parts<'_>) -> Named {
    let mut having: Option<BTreeSet<Option<&Subject>>> = None;
    for needle in needles(text) {
        let here = parts.holding(needle);
        if here.is_empty() {
            continue;
        }
        having = Some(match having {
            Some(before) => before.intersection(&here).copied().collect(),
            None => here,
        });
    }
    let having = having.unwrap_or_default();
    if having.len() > SAME {
        return Named::default();
    }
    Named { itself: having.contains(&None), objects: having.into_iter().flatten().cloned().collect() }
}

/// Pieces of a text that may stand in the configuration.
fn needles(text: &str) -> Vec<&str> {
    let mut found: Vec<&str> = words::quoted(text).into_iter().map(bare).collect();
    // Some texts end with what they are about, without marks.
    if let Some((_, end)) = text.trim_end().rsplit_once(": ") {
        found.push(end);
    }
    found.retain(|needle| !needle.is_empty());
    found
}

/// A regular expression without what operands put around it.
fn bare(text: &str) -> &str {
    let text = text.strip_prefix("^(?s:").or_else(|| text.strip_prefix("^(?:")).unwrap_or(text);
    text.strip_suffix(")$").unwrap_or(text)
}

#[cfg(test)]
mod tests;
