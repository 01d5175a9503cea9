//! Which parts of an error of an operand may be shown. Such a text quotes pieces of the configuration, which may be secrets.
//! So quoted text and the users of URLs are left out, and the rest is truncated. A value is unescaped only after it was read
//! to its end, because a quotation mark that loses its escape would turn quoted text into text that is shown. If quoted text
//! cannot be recognized, because marks do not match or a log begins in the middle of a line, nothing is shown.

mod log;

use std::borrow::Cow;

use log::{Line, without_escapes};

/// The maximum number of characters that are shown.
const LONGEST: usize = 300;

/// The message in place of a text that must not be shown.
const NOT_SHOWN: &str = "its log says why";

/// The replacement of text that is not shown.
const LEFT_OUT: &str = "\"…\"";

/// What operands write before the actual error.
const PREFIXES: [&str; 3] =
    ["failed to reload config: ", "couldn't load configuration ", "parsing YAML file "];

/// What operands write when they reject a configuration.
const REJECTIONS: [&str; 7] = [
    "failed to reload config",
    "error loading config",
    "error loading configuration file",
    "loading configuration file failed",
    "error loading rule file patterns",
    "loading groups failed",
    "reloading rules failed",
];

/// Whether a text, such as the end of a log, reports that a configuration was rejected.
pub fn is_rejection(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    REJECTIONS.iter().any(|rejection| text.contains(rejection))
}

/// A text without the escapes that a log adds. It may contain secrets.
pub(crate) fn unescaped(text: &str) -> String {
    let lines = text.split_inclusive('\n').map(|line| {
        let read = Line::of_json(line).and_then(Line::error_text);
        read.map_or_else(|| without_escapes(line), |read| Cow::Owned(format!("{read}\n")))
    });
    lines.collect()
}

/// The actual error in a text, on one line, without what it quotes.
pub fn redacted(text: &str) -> String {
    let error = log::error(text);
    let shown = masked(error.as_deref().unwrap_or(text)).unwrap_or_default();
    let mut error = shown.as_str();
    for prefix in PREFIXES {
        if let Some(rest) = error.strip_prefix(prefix) {
            // Before the colon is the name of a file of the pod.
            error = match prefix {
                "failed to reload config: " => rest,
                _ => rest.split_once(": ").map_or(rest, |(_, rest)| rest),
            };
        }
    }
    match error {
        "" => NOT_SHOWN.into(),
        error if error.chars().count() > LONGEST => error.chars().take(LONGEST).chain(['…']).collect(),
        error => error.into(),
    }
}

/// A text on one line, without what it quotes; none, if quoted text cannot be recognized.
fn masked(text: &str) -> Option<String> {
    let mut shown = String::new();
    let mut before = ' ';
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        rest = &rest[letter.len_utf8()..];
        let after = match letter {
            // The whole text was quoted, and its beginning is missing.
            '\\' if rest.starts_with('"') => return None,
            '"' => Some(after_quotation(rest)?),
            mark if opens(before, mark) => Some(after_last(mark, rest)?),
            _ => None,
        };
        if let Some(after) = after {
            shown.push_str(LEFT_OUT);
            rest = after;
        } else if !(letter.is_whitespace() || letter.is_control()) {
            shown.push(letter);
        } else if !shown.ends_with(' ') {
            shown.push(' ');
        }
        before = letter;
    }
    let words: Vec<Cow<'_, str>> = shown.trim().split(' ').map(without_user).collect();
    Some(words.join(" "))
}

/// The text after the closing mark. Operands escape what they quote, so the mark is in the same line.
fn after_quotation(text: &str) -> Option<&str> {
    let mut is_escaped = false;
    for (at, letter) in text.char_indices() {
        match letter {
            '\n' => return None,
            '"' if !is_escaped => return Some(&text[at + 1..]),
            _ => is_escaped = letter == '\\' && !is_escaped,
        }
    }
    None
}

/// The text after the last mark of this kind in a line. Text between unescaped marks may contain more of them.
fn after_last(mark: char, text: &str) -> Option<&str> {
    let line = &text[..text.find('\n').unwrap_or(text.len())];
    let end = line.rfind(mark)?;
    // A quotation that another mark opens in between may end after it.
    let letters = line[..end].chars();
    let mut each = std::iter::once(mark).chain(letters.clone()).zip(letters);
    let opens_another = each.any(|(before, letter)| letter != mark && opens(before, letter));
    (!opens_another).then_some(&text[end + 1..])
}

/// Whether a letter opens a quotation. The apostrophe in `couldn't` does not.
fn opens(before: char, letter: char) -> bool {
    matches!(letter, '"' | '`') || (letter == '\'' && !before.is_alphanumeric())
}

/// A word without the user and the password of a URL.
fn without_user(word: &str) -> Cow<'_, str> {
    let Some((user, host)) = word.rsplit_once('@') else { return word.into() };
    match user.split_once("://") {
        Some((scheme, _)) => format!("{scheme}://…@{host}").into(),
        None if user.contains(':') => format!("…@{host}").into(),
        None => word.into(),
    }
}

/// The texts in quotation marks and the paths of files in a text.
pub(crate) fn quoted(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['"', '`']) {
        let mark = &rest[at..=at];
        let inside = &rest[at + 1..];
        let Some(end) = inside.find(mark) else { break };
        found.push(&inside[..end]);
        rest = &inside[end + 1..];
    }
    let words = text.split(|letter: char| letter.is_whitespace() || letter == '"');
    found.extend(
        words.map(|word| word.trim_end_matches([':', ',', ')'])).filter(|word| word.starts_with('/')),
    );
    found.retain(|text| !text.is_empty());
    found
}

/// The line numbers in a text: `line 12`, or as our reloader writes them `(line 12, 16)`.
pub(crate) fn lines(text: &str) -> Vec<usize> {
    let mut lines = Vec::new();
    for rest in text.split("line ").skip(1) {
        let end = rest.find(|letter: char| !(letter.is_ascii_digit() || ", ".contains(letter)));
        let (list, after) = rest.split_at(end.unwrap_or(rest.len()));
        let several = if after.starts_with(')') { usize::MAX } else { 1 };
        lines.extend(list.split(", ").take(several).filter_map(|number| number.trim().parse::<usize>().ok()));
    }
    lines
}

#[cfg(test)]
mod tests;
