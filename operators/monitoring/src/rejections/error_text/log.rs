//! The lines of the log of an operand, as logfmt and as JSON. A value is read to its actual end, so that quoted text is
//! separated from the text around it.

use std::borrow::Cow;

use serde_json::{Map, Value};

/// Errors that only accompany the actual error.
const SECONDARY: [&str; 2] = ["one or more errors occurred", "previous rule set restored"];

/// A line of a log.
#[derive(Debug, Default)]
pub(super) struct Line<'t> {
    level: Option<Cow<'t, str>>,
    message: Option<Cow<'t, str>>,
    error: Option<Cow<'t, str>>,
}

impl<'t> Line<'t> {
    /// Reads a line; none, if it is incomplete or not a line of a log.
    fn read(text: &'t str) -> Option<Self> {
        Self::of_json(text).or_else(|| Self::of_logfmt(text))
    }

    pub(super) fn of_json(text: &str) -> Option<Self> {
        let fields: Map<String, Value> = serde_json::from_str(text.trim()).ok()?;
        let field = |name| Some(Cow::Owned(fields.get(name)?.as_str()?.to_owned()));
        Some(Self { level: field("level"), message: field("msg"), error: field("err") })
    }

    fn of_logfmt(text: &'t str) -> Option<Self> {
        let mut line = Self::default();
        let mut rest = text.trim();
        while !rest.is_empty() {
            let (name, after) = rest.split_once('=')?;
            let (value, after) = value(after).filter(|_| is_name(name))?;
            match name {
                "level" => line.level = Some(value),
                "msg" => line.message = Some(value),
                "err" => line.error = Some(value),
                _ => {}
            }
            rest = after.trim_start();
        }
        line.level.is_some().then_some(line)
    }

    fn is_error(&self) -> bool {
        self.level.as_ref().is_some_and(|level| level.eq_ignore_ascii_case("error"))
    }

    /// Its message and its error.
    pub(super) fn error_text(self) -> Option<Cow<'t, str>> {
        match (self.message, self.error) {
            (Some(message), Some(error)) => Some(Cow::Owned(format!("{message}: {error}"))),
            (message, error) => error.or(message),
        }
    }
}

/// The most specific error in a log. It is empty, if no line has one; none, if the text contains no line of a log.
pub(super) fn error(text: &str) -> Option<Cow<'_, str>> {
    let lines: Vec<Line<'_>> = text.lines().filter_map(Line::read).collect();
    if lines.is_empty() {
        return None;
    }
    let mut errors = Vec::new();
    let mut messages = Vec::new();
    for line in lines.into_iter().rev().filter(Line::is_error) {
        errors.extend(line.error);
        messages.extend(line.message);
    }
    let is_specific = |error: &Cow<'_, str>| !SECONDARY.iter().any(|secondary| error.contains(secondary));
    let best = errors.iter().position(is_specific).unwrap_or(0);
    let error = errors.into_iter().nth(best);
    Some(error.or_else(|| messages.into_iter().next()).unwrap_or_default())
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && !text.contains(|letter: char| letter == '"' || letter.is_whitespace())
}

/// A value of logfmt and the text after it; none, if the value does not end.
fn value(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find(char::is_whitespace).unwrap_or(text.len());
        let (value, after) = text.split_at(end);
        return (!value.contains('"')).then_some((Cow::Borrowed(value), after));
    };
    let mut is_escaped = false;
    let end = quoted.find(|letter| {
        let ends = letter == '"' && !is_escaped;
        is_escaped = letter == '\\' && !is_escaped;
        ends
    })?;
    let after = &quoted[end + 1..];
    let is_end = after.is_empty() || after.starts_with(char::is_whitespace);
    is_end.then(|| (without_escapes(&quoted[..end]), after))
}

/// A quoted text without its escapes.
pub(super) fn without_escapes(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            plain.push(letter);
            continue;
        }
        match letters.next() {
            Some('n') => plain.push('\n'),
            Some('t') => plain.push('\t'),
            Some('r') => plain.push('\r'),
            Some(mark @ ('"' | '\\')) => plain.push(mark),
            // The number of a character. It is not a quotation mark: these have their own escapes.
            Some(other) => plain.extend(['\\', other]),
            None => plain.push('\\'),
        }
    }
    Cow::Owned(plain)
}
