//! Regular expressions of selectors: whether they are some, and whether a series without the label can match.

use go_syntax::regexp::{self, Invalid};

/// Whether an expression, if it is one, matches the empty text as a whole.
pub(crate) fn matches_empty(pattern: &[u8]) -> Result<bool, Invalid> {
    // Plain words, which most of them are, need no more than a look. Prometheus looks no closer either.
    if !pattern.iter().any(|byte| br"\.+*?()[]{}^$".contains(byte)) {
        return Ok(pattern.split(|byte| *byte == b'|').any(<[u8]>::is_empty));
    }
    regexp::matches_empty(pattern)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_words_are_not_read() {
        for (pattern, matches) in
            [(b"".as_slice(), true), (b"a", false), (b"a|", true), (b"a|b", false), (b"a\xff", false)]
        {
            assert_eq!(matches_empty(pattern), Ok(matches), "{pattern:?}");
        }
    }

    #[test]
    fn others_are() {
        assert_eq!(matches_empty(b".*"), Ok(true));
        assert_eq!(matches_empty(b"a.+"), Ok(false));
        let words = |pattern: &[u8]| matches_empty(pattern).unwrap_err().to_string();
        assert_eq!(words(b"a)"), "error parsing regexp: unexpected ): `a)`");
        assert_eq!(words(b"a.\xff"), "error parsing regexp: invalid UTF-8: `\u{fffd}`");
    }
}
