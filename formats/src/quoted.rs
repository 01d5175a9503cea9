//! Texts and characters between quotes, as messages of Go programs show them.

use std::fmt;

/// Shows a text between double quotes, with the escapes of Go.
#[derive(Debug, Clone, Copy)]
pub struct Quoted<'t>(pub &'t str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for character in self.0.chars() {
            if character == '"' {
                f.write_str("\\\"")?;
            } else {
                escaped(f, character)?;
            }
        }
        f.write_str("\"")
    }
}

/// Shows a character between single quotes, with the escapes of Go.
#[derive(Debug, Clone, Copy)]
pub struct QuotedCharacter(pub char);

impl fmt::Display for QuotedCharacter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("'")?;
        if self.0 == '\'' {
            f.write_str("\\'")?;
        } else {
            escaped(f, self.0)?;
        }
        f.write_str("'")
    }
}

/// Shows a character by its number, and by its look if it has one: `U+201C '“'`.
#[derive(Debug, Clone, Copy)]
pub struct CodePoint(pub char);

impl fmt::Display for CodePoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "U+{:04X}", u32::from(self.0))?;
        if is_printable(self.0) { write!(f, " '{}'", self.0) } else { Ok(()) }
    }
}

fn escaped(f: &mut fmt::Formatter<'_>, character: char) -> fmt::Result {
    match character {
        '\\' => f.write_str("\\\\"),
        '\x07' => f.write_str("\\a"),
        '\x08' => f.write_str("\\b"),
        '\x0c' => f.write_str("\\f"),
        '\n' => f.write_str("\\n"),
        '\r' => f.write_str("\\r"),
        '\t' => f.write_str("\\t"),
        '\x0b' => f.write_str("\\v"),
        _ if is_printable(character) => write!(f, "{character}"),
        '\0'..='\x7f' => write!(f, "\\x{:02x}", u32::from(character)),
        '\u{80}'..='\u{ffff}' => write!(f, "\\u{:04x}", u32::from(character)),
        _ => write!(f, "\\U{:08x}", u32::from(character)),
    }
}

/// Whether a character leaves a mark; of the spaces only the common one does. The standard library knows about most of
/// them, and says so only by not escaping them within a text.
fn is_printable(character: char) -> bool {
    if character.is_ascii() {
        return matches!(character, ' '..='~');
    }
    let mut text = String::from("a");
    text.push(character);
    text.escape_debug().eq(text.chars())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_those_of_go() {
        for (text, shown) in [
            ("plain 'text'", r#""plain 'text'""#),
            ("a\"b\\c", r#""a\"b\\c""#),
            ("\x07\x08\x0c\n\r\t\x0b", r#""\a\b\f\n\r\t\v""#),
            ("\0\x1f\x7f", r#""\x00\x1f\x7f""#),
            ("grün 测试", r#""grün 测试""#),
            ("\u{a0}\u{85}", r#""\u00a0\u0085""#),
            ("\u{e0001}", r#""\U000e0001""#),
        ] {
            assert_eq!(Quoted(text).to_string(), shown);
        }
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
