//! How the conversion through JSON, which the Prometheus Operator uses for rule files, changes a text. Most texts stay the
//! same, a few change, and a few are rejected.

use std::borrow::Cow;

use thiserror::Error;

/// A text that cannot be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum NotWritable {
    /// It has control characters that YAML does not allow.
    #[error("yaml: control characters are not allowed")]
    ControlCharacter,
    /// It is a key that is too long or has a line break.
    #[error("yaml: did not find expected ',' or '}}'")]
    Key,
}

/// A line break of mainframes. YAML 1.1 readers fold it even between quotes.
const NEXT_LINE: char = '\u{85}';

/// The maximum length of a key with its quotes.
const LONGEST_KEY: usize = 1024;

/// The text after the conversion.
pub(crate) fn passed(text: &str) -> Result<Cow<'_, str>, NotWritable> {
    // Nearly all texts have none of these.
    if !text.bytes().any(|byte| byte == 0x7f || byte == 0xc2 || byte == 0xef) {
        return Ok(Cow::Borrowed(text));
    }
    if text.contains(
        |letter| matches!(letter, '\x7f'..='\u{84}' | '\u{86}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}'),
    ) {
        return Err(NotWritable::ControlCharacter);
    }
    Ok(if text.contains(NEXT_LINE) { Cow::Owned(folded(text)) } else { Cow::Borrowed(text) })
}

/// A key, which is rejected if the conversion would change it.
pub(crate) fn passed_key(key: &str) -> Result<&str, NotWritable> {
    passed(key)?;
    if key.contains(NEXT_LINE) || key.len() + 2 > LONGEST_KEY && key.chars().count() + 2 > LONGEST_KEY {
        return Err(NotWritable::Key);
    }
    Ok(key)
}

/// One line break becomes a space, and several become one less. Spaces around them are removed.
fn folded(text: &str) -> String {
    let mut parts = text.split(NEXT_LINE).peekable();
    let mut folded = parts.next().unwrap_or_default().trim_end_matches(' ').to_owned();
    let mut breaks = 0;
    while let Some(part) = parts.next() {
        breaks += 1;
        let is_last = parts.peek().is_none();
        let part = part.trim_start_matches(' ');
        if part.is_empty() && !is_last {
            continue;
        }
        if breaks == 1 {
            folded.push(' ');
        }
        folded.extend(std::iter::repeat_n('\n', breaks - 1));
        folded.push_str(if is_last { part } else { part.trim_end_matches(' ') });
        breaks = 0;
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_texts_stay_the_same() {
        for text in ["", "a b", "ä\u{feff}", "a\nb\t", "\u{2028}", "\0"] {
            assert_eq!(passed(text), Ok(Cow::Borrowed(text)));
        }
    }

    #[test]
    fn mainframe_line_breaks_are_folded() {
        for (text, folded) in [
            ("a\u{85}b", "a b"),
            ("a \u{85} \u{85} b", "a\nb"),
            ("\u{85}a", " a"),
            ("a\u{85}", "a "),
            ("a\u{85}\u{85}\u{85} b ", "a\n\nb "),
        ] {
            assert_eq!(passed(text), Ok(Cow::Borrowed(folded)));
        }
    }

    #[test]
    fn some_are_rejected() {
        for text in ["\x7f", "\u{80}", "\u{9f}", "\u{ffff}"] {
            assert_eq!(passed(text), Err(NotWritable::ControlCharacter));
        }
        assert_eq!(passed_key("a\u{85}"), Err(NotWritable::Key));
        assert_eq!(passed_key(&"k".repeat(1023)), Err(NotWritable::Key));
        let longest = "k".repeat(1022);
        assert_eq!(passed_key(&longest), Ok(&*longest));
    }
}
