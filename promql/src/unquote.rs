//! What a text in quotes says. Whoever cut it out of the query saw that its signs are fine.

use crate::text::Text;

/// A text without its quotes, with what its signs stand for.
pub(crate) fn unquote(quoted: &str) -> Text<'_> {
    let inner = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default();
    if quoted.starts_with('`') || !inner.contains('\\') {
        return Text::from(inner);
    }
    let mut text = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while let Some((before, after)) = rest.split_once('\\') {
        text.extend_from_slice(before.as_bytes());
        rest = sign(after, &mut text);
    }
    text.extend_from_slice(rest.as_bytes());
    Text::made(text)
}

/// Adds what the sign after a backslash stands for, and gives what comes after it.
fn sign<'t>(after: &'t str, text: &mut Vec<u8>) -> &'t str {
    let Some(first) = after.chars().next() else { return after };
    let (digits, base, skip) = match first {
        '0'..='7' => (3, 8, 0),
        'x' => (2, 16, 1),
        'u' => (4, 16, 1),
        'U' => (8, 16, 1),
        _ => {
            let byte = match first {
                'a' => 0x07,
                'b' => 0x08,
                'f' => 0x0c,
                'n' => b'\n',
                'r' => b'\r',
                't' => b'\t',
                'v' => 0x0b,
                // A backslash or a quote stands for itself.
                _ => after.as_bytes()[0],
            };
            text.push(byte);
            return &after[first.len_utf8()..];
        }
    };
    let (number, rest) = after.split_at(skip + digits);
    let number = u32::from_str_radix(&number[skip..], base).unwrap_or_default();
    match (first, char::from_u32(number)) {
        ('u' | 'U', Some(letter)) => text.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes()),
        // These name a byte, not a letter.
        _ => text.extend_from_slice(&number.to_le_bytes()[..1]),
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_stand_for_letters_and_bytes() {
        for (quoted, text) in [
            (r#""plain""#, b"plain".as_slice()),
            ("`a\\n`", b"a\\n"),
            (r"'it\'s'", b"it's"),
            (r#""\a\b\f\n\r\t\v\\\"""#, b"\x07\x08\x0c\n\r\t\x0b\\\""),
            (r#""\x41\101\u00e4\U0001F600\xff""#, b"AA\xc3\xa4\xf0\x9f\x98\x80\xff"),
        ] {
            assert_eq!(&*unquote(quoted), text, "{quoted}");
        }
    }
}
