//! Texts and letters as messages of Go programs show them: between quotes, and what cannot be printed as a number.

use std::fmt::{self, Write};

use crate::unicode::is_printable;

/// Shows a text between double quotes.
#[derive(Debug, Clone, Copy)]
pub struct Quoted<'t>(pub &'t str);

/// Shows bytes between double quotes. Those that are no letters are shown as numbers.
#[derive(Debug, Clone, Copy)]
pub struct QuotedBytes<'t>(pub &'t [u8]);

/// Shows a letter between single quotes.
#[derive(Debug, Clone, Copy)]
pub struct QuotedCharacter(pub char);

/// Shows a letter by its number, and by its look if it has one: `U+201C '“'`.
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

/// Adds a text between double quotes to another.
pub fn push(out: &mut String, text: &[u8]) {
    // Writing to memory does not fail.
    let _ = write(out, text);
}

fn write(out: &mut impl Write, text: &[u8]) -> fmt::Result {
    out.write_char('"')?;
    for chunk in text.utf8_chunks() {
        let mut plain = chunk.valid();
        while let Some(special) = plain.find(|letter: char| !is_plain(letter)) {
            let (before, after) = plain.split_at(special);
            out.write_str(before)?;
            let mut letters = after.chars();
            if let Some(letter) = letters.next() {
                escape(out, letter, '"')?;
            }
            plain = letters.as_str();
        }
        out.write_str(plain)?;
        for byte in chunk.invalid() {
            write!(out, "\\x{byte:02x}")?;
        }
    }
    out.write_char('"')
}

/// Whether a letter is written as it is between double quotes.
fn is_plain(letter: char) -> bool {
    letter != '"' && letter != '\\' && is_printable(letter)
}

fn escape(out: &mut impl Write, letter: char, quote: char) -> fmt::Result {
    match letter {
        '\\' => out.write_str("\\\\"),
        _ if letter == quote => write!(out, "\\{quote}"),
        _ if is_printable(letter) => out.write_char(letter),
        '\x07' => out.write_str("\\a"),
        '\x08' => out.write_str("\\b"),
        '\x0c' => out.write_str("\\f"),
        '\n' => out.write_str("\\n"),
        '\r' => out.write_str("\\r"),
        '\t' => out.write_str("\\t"),
        '\x0b' => out.write_str("\\v"),
        '\0'..'\x20' | '\x7f' => write!(out, "\\x{:02x}", u32::from(letter)),
        ..'\u{10000}' => write!(out, "\\u{:04x}", u32::from(letter)),
        _ => write!(out, "\\U{:08x}", u32::from(letter)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_shows_stays_and_the_rest_is_a_number() {
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
    fn code_points_show_what_can_be_seen() {
        assert_eq!(CodePoint('“').to_string(), "U+201C '“'");
        assert_eq!(CodePoint('\x07').to_string(), "U+0007");
    }
}
