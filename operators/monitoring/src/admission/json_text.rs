//! A text between quotes, read as JSON. The peer puts addresses between quotes without escaping them and reads the result
//! as JSON, so an address may have escapes of JSON, and must not have a quote.

use go_syntax::quoted::QuotedCharacter;

/// Why a text between quotes is not JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Invalid {
    /// A character stands where it must not.
    #[error("invalid character {} {place}", QuotedCharacter(*.character))]
    Character {
        /// The character, or the first byte of it.
        character: char,
        /// Where it stands.
        place: &'static str,
    },
    /// The closing quote is missing.
    #[error("unexpected end of JSON input")]
    End,
}

/// What a text says when it stands between quotes.
pub(crate) fn read(text: &str) -> Result<String, Invalid> {
    check(text)?;
    if !text.contains('\\') {
        return Ok(text.to_owned());
    }
    let mut said = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, escape)) = rest.split_once('\\') {
        said.push_str(before);
        let mut characters = escape.chars();
        match characters.next() {
            Some('u') => {
                let (character, length) = unicode(escape);
                said.push(character);
                rest = &escape[length..];
                continue;
            }
            Some('b') => said.push('\x08'),
            Some('f') => said.push('\x0c'),
            Some('n') => said.push('\n'),
            Some('r') => said.push('\r'),
            Some('t') => said.push('\t'),
            other => said.extend(other),
        }
        rest = characters.as_str();
    }
    said.push_str(rest);
    Ok(said)
}

fn check(text: &str) -> Result<(), Invalid> {
    let refuse = |byte: u8, place| Err(Invalid::Character { character: char::from(byte), place });
    // The closing quote counts: after a backslash it closes nothing.
    let mut bytes = text.bytes().chain([b'"']);
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => {
                // Space after the end does not matter.
                return match bytes.find(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | b'\n')) {
                    Some(byte) => refuse(byte, "after top-level value"),
                    None => Ok(()),
                };
            }
            b'\\' => match bytes.next() {
                Some(b'b' | b'f' | b'n' | b'r' | b't' | b'\\' | b'/' | b'"') => {}
                Some(b'u') => {
                    for _ in 0..4 {
                        match bytes.next() {
                            Some(byte) if byte.is_ascii_hexdigit() => {}
                            Some(byte) => return refuse(byte, "in \\u hexadecimal character escape"),
                            None => return Err(Invalid::End),
                        }
                    }
                }
                Some(byte) => return refuse(byte, "in string escape code"),
                None => return Err(Invalid::End),
            },
            0..b' ' => return refuse(byte, "in string literal"),
            _ => {}
        }
    }
    Err(Invalid::End)
}

/// The character of an escape that begins with `u`, and how long the escape is. Half of a pair says nothing.
fn unicode(escape: &str) -> (char, usize) {
    const LENGTH: usize = 5;
    let unit = |text: &str| text.get(1..LENGTH).and_then(|digits| u16::from_str_radix(digits, 16).ok());
    let first = unit(escape);
    let second = escape
        .get(LENGTH..)
        .and_then(|rest| rest.strip_prefix('\\'))
        .filter(|rest| rest.starts_with('u'))
        .and_then(unit);
    let units = first.into_iter().chain(second);
    match char::decode_utf16(units).next() {
        Some(Ok(character)) if character.len_utf16() == 2 => (character, 2 * LENGTH + 1),
        Some(Ok(character)) => (character, LENGTH),
        Some(Err(_)) | None => (char::REPLACEMENT_CHARACTER, LENGTH),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_read() {
        for (text, said) in [
            ("http://a/b", "http://a/b"),
            (r"a\/\n\t\r\b\f\\", "a/\n\t\r\x08\x0c\\"),
            (r#"a\"b"#, "a\"b"),
            (r"\u0041b", "Ab"),
            (r"\ud83d\ude80!", "🚀!"),
            (r"\ud83dx", "\u{fffd}x"),
            (r"\ud83d\u0041", "\u{fffd}A"),
        ] {
            assert_eq!(read(text).unwrap(), said, "{text}");
        }
    }

    #[test]
    fn what_is_no_json_is_named() {
        for (text, words) in [
            ("a\"b", "invalid character 'b' after top-level value"),
            ("a\"", "invalid character '\"' after top-level value"),
            ("a\\", "unexpected end of JSON input"),
            ("a\nb", r"invalid character '\n' in string literal"),
            (r"a\x", "invalid character 'x' in string escape code"),
            (r"a\u00", "invalid character '\"' in \\u hexadecimal character escape"),
        ] {
            assert_eq!(read(text).unwrap_err().to_string(), words, "{text}");
        }
    }
}
