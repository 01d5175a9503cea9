//! A text between quotes, read as a JSON string. The Prometheus Operator puts URLs between quotes without escaping them and
//! reads the result as JSON, so a URL may contain JSON escapes, and must not contain a quote.

use go_syntax::quoted::QuotedCharacter;

/// Go's error for a text that ends too early.
pub(super) const END: &str = "unexpected end of JSON input";

/// The value of a text between quotes.
pub(super) fn read(text: &str) -> Result<String, String> {
    let mut units: Vec<u16> = Vec::with_capacity(text.len());
    // The closing quote is part of the input: after a backslash it does not close the string.
    let mut characters = text.chars().chain(['"']);
    while let Some(character) = characters.next() {
        let character = match character {
            '"' => {
                return match characters.find(|character| !matches!(character, ' ' | '\t' | '\r' | '\n')) {
                    Some(next) => Err(unexpected(next, "after top-level value")),
                    None => Ok(String::from_utf16_lossy(&units)),
                };
            }
            '\\' => match characters.next().ok_or(END)? {
                'b' => '\x08',
                'f' => '\x0c',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                escaped @ ('\\' | '/' | '"') => escaped,
                'u' => {
                    units.push(code_unit(&mut characters)?);
                    continue;
                }
                other => return Err(unexpected(other, "in string escape code")),
            },
            '\0'..' ' => return Err(unexpected(character, "in string literal")),
            other => other,
        };
        units.extend_from_slice(character.encode_utf16(&mut [0; 2]));
    }
    Err(END.to_owned())
}

/// The four hexadecimal digits after `\u`.
fn code_unit(characters: &mut impl Iterator<Item = char>) -> Result<u16, String> {
    let mut unit = 0;
    for _ in 0..4 {
        let character = characters.next().ok_or(END)?;
        let digit = character.to_digit(16).and_then(|digit| u16::try_from(digit).ok());
        unit =
            unit * 16 + digit.ok_or_else(|| unexpected(character, "in \\u hexadecimal character escape"))?;
    }
    Ok(unit)
}

/// Go's error for a character, of which it names the first byte.
fn unexpected(character: char, position: &str) -> String {
    let first = character.encode_utf8(&mut [0; 4]).bytes().next().map_or(character, char::from);
    format!("invalid character {} {position}", QuotedCharacter(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_read() {
        for (text, value) in [
            ("http://a/b", "http://a/b"),
            (r"a\/\n\t\r\b\f\\", "a/\n\t\r\x08\x0c\\"),
            (r#"a\"b"#, "a\"b"),
            (r"\u0041b", "Ab"),
            (r"\ud83d\ude80!", "🚀!"),
            (r"\ud83dx", "\u{fffd}x"),
            (r"\ud83d\u0041", "\u{fffd}A"),
        ] {
            assert_eq!(read(text).unwrap(), value, "{text}");
        }
    }

    #[test]
    fn invalid_json_is_rejected() {
        for (text, message) in [
            ("a\"b", "invalid character 'b' after top-level value"),
            ("a\"", "invalid character '\"' after top-level value"),
            ("a\\", "unexpected end of JSON input"),
            ("a\nb", r"invalid character '\n' in string literal"),
            (r"a\x", "invalid character 'x' in string escape code"),
            (r"a\u00", "invalid character '\"' in \\u hexadecimal character escape"),
        ] {
            assert_eq!(read(text).unwrap_err(), message, "{text}");
        }
    }
}
