//! The values of quoted strings. The lexer has checked the escape sequences.

use go_syntax::literal::escape;

use crate::text::Text;

/// The value of a quoted string.
pub(crate) fn unquote(quoted: &str) -> Text<'_> {
    let inner = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default();
    if quoted.starts_with('`') || !inner.contains('\\') {
        return Text::from(inner);
    }
    let quote = if quoted.starts_with('\'') { '\'' } else { '"' };
    let mut text = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while let Some((before, after)) = rest.split_once('\\') {
        text.extend_from_slice(before.as_bytes());
        rest = escape(after, quote, &mut text).unwrap_or_default();
    }
    text.extend_from_slice(rest.as_bytes());
    Text::owned(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_denote_characters_and_bytes() {
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
