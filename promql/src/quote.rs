//! Texts between double quotes, as the Go language writes them: what cannot be printed is written as a number.

mod printable;

use std::fmt::Write;

/// Between quotes.
pub fn quoted(text: impl AsRef<[u8]>) -> String {
    let text = text.as_ref();
    let mut out = String::with_capacity(text.len() + 2);
    write(&mut out, text);
    out
}

/// Adds a text between quotes. Bytes that are no letters are written as numbers.
pub fn write(out: &mut String, text: &[u8]) {
    out.push('"');
    for chunk in text.utf8_chunks() {
        let mut plain = chunk.valid();
        while let Some(special) = plain.find(|letter: char| !is_plain(letter)) {
            let (before, after) = plain.split_at(special);
            out.push_str(before);
            let mut letters = after.chars();
            if let Some(letter) = letters.next() {
                escape(out, letter, '"');
            }
            plain = letters.as_str();
        }
        out.push_str(plain);
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
    out.push('"');
}

/// A letter between single quotes.
pub(crate) fn quoted_char(letter: char) -> String {
    let mut out = String::from('\'');
    escape(&mut out, letter, '\'');
    out.push('\'');
    out
}

/// A letter by its number, and as it looks.
pub fn code_point(letter: char) -> String {
    let number = format!("U+{:04X}", u32::from(letter));
    if is_printable(letter) { format!("{number} '{letter}'") } else { number }
}

/// Whether a letter shows on paper.
fn is_printable(letter: char) -> bool {
    if letter.is_ascii() { matches!(letter, ' '..='~') } else { printable::contains(letter) }
}

/// Whether a letter is written as it is between double quotes.
fn is_plain(letter: char) -> bool {
    letter != '"' && letter != '\\' && is_printable(letter)
}

fn escape(out: &mut String, letter: char, quote: char) {
    let _ = match letter {
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
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_shows_stays_and_the_rest_is_a_number() {
        for (text, quoted_text) in [
            ("", r#""""#),
            ("plain öß 測試", r#""plain öß 測試""#),
            ("a\"b\\c'", r#""a\"b\\c'""#),
            ("\x07\x08\x0c\n\r\t\x0b", r#""\a\b\f\n\r\t\v""#),
            ("\0\x1f\x7f", r#""\x00\x1f\x7f""#),
            ("\u{a0}\u{ad}\u{200b}\u{fffd}", r#""\u00a0\u00ad\u200b�""#),
            ("\u{1f600}\u{e0001}", r#""😀\U000e0001""#),
        ] {
            assert_eq!(quoted(text), quoted_text);
        }
        assert_eq!(quoted(b"a\xffb\xc3".as_slice()), r#""a\xffb\xc3""#);
        assert_eq!(quoted_char('\''), r"'\''");
        assert_eq!(quoted_char('"'), "'\"'");
    }
}
