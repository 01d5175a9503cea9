//! Whether a regular expression is one, in the words of the Go language, whose expressions Prometheus uses. Nothing is
//! compiled and nothing is searched: only the form matters, and whether a series without the label can match.
//!
//! | file | owns |
//! |---|---|
//! | `parse` | groups, alternatives, repetitions |
//! | `class` | what stands for one letter: escapes and brackets |
//! | `names` | named groups of letters |

mod class;
mod names;
mod parse;

pub use names::is_group;

use thiserror::Error;

/// A text that is no regular expression.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("error parsing regexp: {reason}: `{part}`")]
pub struct NotARegexp {
    reason: &'static str,
    part: String,
}

impl NotARegexp {
    fn new(reason: &'static str, part: &[u8]) -> Self {
        Self { reason, part: String::from_utf8_lossy(part).into_owned() }
    }
}

/// Checks an expression.
pub fn check(pattern: impl AsRef<[u8]>) -> Result<(), NotARegexp> {
    matches_empty(pattern.as_ref()).map(|_| ())
}

/// Whether an expression, if it is one, matches the empty text as a whole.
pub(crate) fn matches_empty(pattern: &[u8]) -> Result<bool, NotARegexp> {
    // Plain words, which most of them are, need no more than a look.
    if !pattern.iter().any(|byte| br"\.+*?()[]{}^$".contains(byte)) {
        return Ok(pattern.split(|byte| *byte == b'|').any(<[u8]>::is_empty));
    }
    parse::parse(pattern)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_known_what_matches_the_empty_text() {
        for (pattern, matches) in [
            ("", true),
            ("a", false),
            ("a|", true),
            (".*", true),
            (".+", false),
            ("(a|b*)c?", true),
            ("(?i:a?)(?m)^$", true),
            (r"\b", false),
            (r"\B", true),
            (r"\Aa{0,3}\z", true),
            ("a{2}", false),
            ("(){2}", true),
            (r"[^\d]*", true),
            (r"\Qa*\E", false),
            ("a{,2}", false),
        ] {
            assert_eq!(matches_empty(pattern.as_bytes()), Ok(matches), "{pattern}");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (pattern, error) in [
            ("*", "missing argument to repetition operator: `*`"),
            ("a|*", "missing argument to repetition operator: `*`"),
            ("(+)", "missing argument to repetition operator: `+`"),
            ("a**", "invalid nested repetition operator: `**`"),
            ("a*?+", "invalid nested repetition operator: `*?+`"),
            ("a{1001}", "invalid repeat count: `{1001}`"),
            ("a{2,1}", "invalid repeat count: `{2,1}`"),
            ("(a{100}){100}", "invalid repeat count: `{100}`"),
            ("a)", "unexpected ): `a)`"),
            ("(a", "missing closing ): `(a`"),
            ("[a", "missing closing ]: `[a`"),
            ("[b-a]", "invalid character class range: `b-a`"),
            ("[[:no:]]", "invalid character class range: `[:no:]`"),
            (r"\p{No_such}", r"invalid character class range: `\p{No_such}`"),
            (r"a\", "trailing backslash at end of expression: ``"),
            (r"\C", r"invalid escape sequence: `\C`"),
            (r"\8", r"invalid escape sequence: `\8`"),
            (r"\x{110000}", r"invalid escape sequence: `\x{110000`"),
            ("(?=a)", "invalid or unsupported Perl syntax: `(?=`"),
            ("(?P<a-b>c)", "invalid named capture: `(?P<a-b>`"),
            ("(?<a", "invalid named capture: `(?<a`"),
        ] {
            let found = check(pattern).unwrap_err().to_string();
            assert_eq!(found, format!("error parsing regexp: {error}"), "{pattern}");
        }
        let found = matches_empty(b"a.\xff").unwrap_err().to_string();
        assert_eq!(found, "error parsing regexp: invalid UTF-8: `\u{fffd}`");
    }
}
