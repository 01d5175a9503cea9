//! Regular expressions of selectors: their validity, and whether they match a missing label.

use go_syntax::regexp::{self, InvalidRegexp};

/// Checks an expression, and returns whether it matches the empty string as a whole.
pub(crate) fn matches_empty(pattern: &[u8]) -> Result<bool, InvalidRegexp> {
    // Most expressions are plain words. Prometheus does not parse those either.
    if !pattern.iter().any(|byte| br"\.+*?()[]{}^$".contains(byte)) {
        return Ok(pattern.split(|byte| *byte == b'|').any(<[u8]>::is_empty));
    }
    regexp::matches_empty(pattern)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_words_are_not_parsed() {
        for (pattern, matches) in
            [(b"".as_slice(), true), (b"a", false), (b"a|", true), (b"a|b", false), (b"a\xff", false)]
        {
            assert_eq!(matches_empty(pattern), Ok(matches), "{pattern:?}");
        }
    }

    #[test]
    fn other_expressions_are_parsed() {
        assert_eq!(matches_empty(b".*"), Ok(true));
        assert_eq!(matches_empty(b"a.+"), Ok(false));
        let message = |pattern: &[u8]| matches_empty(pattern).unwrap_err().to_string();
        assert_eq!(message(b"a)"), "error parsing regexp: unexpected ): `a)`");
        assert_eq!(message(b"a.\xff"), "error parsing regexp: invalid UTF-8: `\u{fffd}`");
    }
}
