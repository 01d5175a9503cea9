//! Quoted strings and characters as in messages of Go programs: what is not printable is escaped.

use std::fmt::{self, Write};

use crate::unicode::is_printable;

/// Displays a string in double quotes.
#[derive(Debug, Clone, Copy)]
pub struct Quoted<'t>(pub &'t str);

/// Displays bytes in double quotes. Invalid UTF-8 is escaped.
#[derive(Debug, Clone, Copy)]
pub struct QuotedBytes<'t>(pub &'t [u8]);

/// Displays a character in single quotes.
#[derive(Debug, Clone, Copy)]
pub struct QuotedCharacter(pub char);

/// Displays a character as its code point and, if it is printable, itself: `U+201C '“'`.
#[derive(Debug, Clone, Copy)]
pub struct CodePoint(pub char);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(f, self.0.as_bytes())
    }
}

impl fmt::Display for QuotedBytes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(f, self.0)
    }
}

impl fmt::Display for QuotedCharacter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('\'')?;
        escape(f, self.0, '\'')?;
        f.write_char('\'')
    }
}

impl fmt::Display for CodePoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "U+{:04X}", u32::from(self.0))?;
        if is_printable(self.0) { write!(f, " '{}'", self.0) } else { Ok(()) }
    }
}

/// Appends a string in double quotes.
pub fn push(out: &mut String, text: &[u8]) {
    // Writing to memory does not fail.
    let _ = write(out, text);
}

fn write(out: &mut impl Write, text: &[u8]) -> fmt::Result {
    out.write_char('"')?;
    for chunk in text.utf8_chunks() {
        let mut plain = chunk.valid();
        while let Some(special) = plain.find(|character: char| !is_plain(character)) {
            let (before, after) = plain.split_at(special);
            out.write_str(before)?;
            let mut characters = after.chars();
            if let Some(character) = characters.next() {
                escape(out, character, '"')?;
            }
            plain = characters.as_str();
        }
        out.write_str(plain)?;
        for byte in chunk.invalid() {
            write!(out, "\\x{byte:02x}")?;
        }
    }
    out.write_char('"')
}

/// Whether a character needs no escape in double quotes.
fn is_plain(character: char) -> bool {
    character != '"' && character != '\\' && is_printable(character)
}

fn escape(out: &mut impl Write, character: char, quote: char) -> fmt::Result {
    match character {
        '\\' => out.write_str("\\\\"),
        _ if character == quote => write!(out, "\\{quote}"),
        _ if is_printable(character) => out.write_char(character),
        '\x07' => out.write_str("\\a"),
        '\x08' => out.write_str("\\b"),
        '\x0c' => out.write_str("\\f"),
        '\n' => out.write_str("\\n"),
        '\r' => out.write_str("\\r"),
        '\t' => out.write_str("\\t"),
        '\x0b' => out.write_str("\\v"),
        '\0'..'\x20' | '\x7f' => write!(out, "\\x{:02x}", u32::from(character)),
        ..'\u{10000}' => write!(out, "\\u{:04x}", u32::from(character)),
        _ => write!(out, "\\U{:08x}", u32::from(character)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_printable_is_escaped() {
        for (text, shown) in [
            ("", r#""""#),
            ("plain 'text' öß 測試", r#""plain 'text' öß 測試""#),
            ("a\"b\\c'", r#""a\"b\\c'""#),
            ("\x07\x08\x0c\n\r\t\x0b", r#""\a\b\f\n\r\t\v""#),
            ("\0\x1f\x7f", r#""\x00\x1f\x7f""#),
            ("\u{a0}\u{85}\u{ad}\u{200b}\u{fffd}", r#""\u00a0\u0085\u00ad\u200b�""#),
            ("\u{1f600}\u{e0001}", r#""😀\U000e0001""#),
        ] {
            assert_eq!(Quoted(text).to_string(), shown);
        }
        assert_eq!(QuotedBytes(b"a\xffb\xc3").to_string(), r#""a\xffb\xc3""#);
    }

    #[test]
    fn characters_have_single_quotes() {
        for (character, shown) in [('a', "'a'"), ('\'', r"'\''"), ('"', "'\"'"), ('\n', r"'\n'")] {
            assert_eq!(QuotedCharacter(character).to_string(), shown);
        }
    }

    #[test]
    fn code_points_show_printable_characters() {
        assert_eq!(CodePoint('“').to_string(), "U+201C '“'");
        assert_eq!(CodePoint('\x07').to_string(), "U+0007");
    }
}
