//! Whether Go accepts a regular expression (`regexp/syntax`), and whether it matches the empty string. Nothing is
//! compiled or matched: only syntax and limits are checked.
//!
//! | file | contents |
//! |---|---|
//! | `parser` | the parser |
//! | `class` | expressions for a single character: escapes and brackets |
//! | `names` | names of Unicode classes |
//! | `tree` | the properties of subexpressions that the limits depend on |

mod class;
mod names;
mod parser;
mod tree;

/// Why a regular expression is rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("error parsing regexp: {fault}: `{part}`")]
pub struct InvalidRegexp {
    /// What is wrong.
    pub fault: RegexpFault,
    /// The invalid part of the expression. Bytes that are not UTF-8 are replaced.
    pub part: String,
}

/// What can be wrong with a regular expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RegexpFault {
    /// A character class is unknown, or its range is reversed.
    #[error("invalid character class range")]
    CharacterRange,
    /// It contains bytes that are not UTF-8.
    #[error("invalid UTF-8")]
    Encoding,
    /// An escape is unknown.
    #[error("invalid escape sequence")]
    Escape,
    /// The name of a group is invalid.
    #[error("invalid named capture")]
    GroupName,
    /// The syntax of a group is not supported by Go.
    #[error("invalid or unsupported Perl syntax")]
    GroupKind,
    /// A repetition is repeated.
    #[error("invalid nested repetition operator")]
    NestedRepetition,
    /// A repetition count is too large, or reversed.
    #[error("invalid repeat count")]
    RepetitionCount,
    /// A bracket is not closed.
    #[error("missing closing ]")]
    OpenBracket,
    /// A group is not closed.
    #[error("missing closing )")]
    OpenGroup,
    /// There is nothing to repeat.
    #[error("missing argument to repetition operator")]
    NothingToRepeat,
    /// There is nothing after the last backslash.
    #[error("trailing backslash at end of expression")]
    TrailingBackslash,
    /// A closing parenthesis has no opening one.
    #[error("unexpected )")]
    UnopenedGroup,
    /// Groups are nested too deeply.
    #[error("expression nests too deeply")]
    TooDeep,
    /// The compiled expression would be too large.
    #[error("expression too large")]
    TooLarge,
}

impl RegexpFault {
    fn at(self, part: &[u8]) -> InvalidRegexp {
        InvalidRegexp { fault: self, part: String::from_utf8_lossy(part).into_owned() }
    }
}

/// Checks a regular expression.
pub fn check(pattern: impl AsRef<[u8]>) -> Result<(), InvalidRegexp> {
    matches_empty(pattern).map(|_| ())
}

/// Checks a regular expression, and returns whether it matches the empty string as a whole.
pub fn matches_empty(pattern: impl AsRef<[u8]>) -> Result<bool, InvalidRegexp> {
    parser::Parser::new(pattern.as_ref()).run()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn result(pattern: &str) -> String {
        check(pattern).map_or_else(|problem| problem.to_string(), |()| "good".to_owned())
    }

    #[test]
    fn what_go_accepts_is_valid() {
        for pattern in [
            "",
            "a|b|",
            "()",
            "a{,2}",
            "a{2",
            "a{01}",
            "[]a]",
            "[^]a]",
            "[a-]",
            "[-a]",
            r"[\d\]-z]",
            r"\Q*(\E*",
            r"\Q(",
            "(?i)a(?-i)b",
            "(?is-Um:a)",
            "(?P<name>a)(?<name>b)",
            r"\pN\p{greek}\P{^Lu}\p{Uppercase_Letter}\p{any}",
            "[[:alpha:][:^digit:]]",
            r"\x41\x{1F600}\012\123\a\_\-",
            r"^\A\b\B\z$",
            "a*?b+?c??d{2}?",
            "(a{2}){500}",
            "[[:a]",
        ] {
            assert_eq!(result(pattern), "good", "{pattern}");
        }
    }

    #[test]
    fn invalid_expressions_are_rejected_as_in_go() {
        for (pattern, message) in [
            ("a)", "unexpected ): `a)`"),
            ("(a", "missing closing ): `(a`"),
            ("[a", "missing closing ]: `[a`"),
            ("x[", "missing closing ]: `[`"),
            ("a**", "invalid nested repetition operator: `**`"),
            ("a*?+", "invalid nested repetition operator: `*?+`"),
            ("a{2}{3}", "invalid nested repetition operator: `{2}{3}`"),
            ("*a", "missing argument to repetition operator: `*`"),
            ("a|+?", "missing argument to repetition operator: `+?`"),
            ("({3})", "missing argument to repetition operator: `{3}`"),
            ("a{1001}", "invalid repeat count: `{1001}`"),
            ("a{3,2}", "invalid repeat count: `{3,2}`"),
            ("a{99999999999}", "invalid repeat count: `{99999999999}`"),
            ("(a{2}){501}", "invalid repeat count: `{501}`"),
            ("((a{10}){10}){11}", "invalid repeat count: `{11}`"),
            ("a\\", "trailing backslash at end of expression: ``"),
            (r"\8", r"invalid escape sequence: `\8`"),
            (r"\1", r"invalid escape sequence: `\1`"),
            (r"\C", r"invalid escape sequence: `\C`"),
            (r"\y", r"invalid escape sequence: `\y`"),
            (r"\x4", r"invalid escape sequence: `\x4`"),
            (r"\x{110000}", r"invalid escape sequence: `\x{110000`"),
            (r"\x{}", r"invalid escape sequence: `\x{}`"),
            (r"[\b]", r"invalid escape sequence: `\b`"),
            ("[z-a]", "invalid character class range: `z-a`"),
            ("[[:nonsense:]]", "invalid character class range: `[:nonsense:]`"),
            (r"\p{Klingon}", r"invalid character class range: `\p{Klingon}`"),
            (r"\p{Old_Italic}", r"invalid character class range: `\p{Old_Italic}`"),
            (r"\pX", r"invalid character class range: `\pX`"),
            (r"\p{Greek", r"invalid character class range: `\p{Greek`"),
            ("(?=a)", "invalid or unsupported Perl syntax: `(?=`"),
            ("(?<!a)", "invalid named capture: `(?<!a)`"),
            ("(?<n", "invalid named capture: `(?<n`"),
            ("(?P<a-b>c)", "invalid named capture: `(?P<a-b>`"),
            ("(?P=a)", "invalid or unsupported Perl syntax: `(?P`"),
            ("(?i-)a", "invalid or unsupported Perl syntax: `(?i-)`"),
            ("(?i", "invalid or unsupported Perl syntax: `(?i`"),
            ("*", "missing argument to repetition operator: `*`"),
            ("a|*", "missing argument to repetition operator: `*`"),
            ("(+)", "missing argument to repetition operator: `+`"),
            ("a{2,1}", "invalid repeat count: `{2,1}`"),
            ("(a{100}){100}", "invalid repeat count: `{100}`"),
            ("[b-a]", "invalid character class range: `b-a`"),
            ("[[:no:]]", "invalid character class range: `[:no:]`"),
            (r"\p{No_such}", r"invalid character class range: `\p{No_such}`"),
            (r"a\", "trailing backslash at end of expression: ``"),
            ("(?<a", "invalid named capture: `(?<a`"),
        ] {
            assert_eq!(result(pattern), format!("error parsing regexp: {message}"), "{pattern}");
        }
    }

    #[test]
    fn limits_are_those_of_go() {
        let nested = |depth: usize| format!("{}a{}", "(".repeat(depth), ")".repeat(depth));
        assert_eq!(result(&nested(999)), "good");
        assert_eq!(check(nested(1000)).unwrap_err().fault, RegexpFault::TooDeep);
        let large = "((a{100}){10}b*)".repeat(40_000);
        assert_eq!(check(&large).unwrap_err().fault, RegexpFault::TooLarge);
    }

    #[test]
    fn classes_that_do_not_end_take_linear_time() {
        let unclosed = format!("[{}", "[:".repeat(1_000_000));
        assert_eq!(check(&unclosed).unwrap_err().fault, RegexpFault::OpenBracket);
        assert_eq!(check("[[:a]".repeat(200_000)), Ok(()));
    }

    #[test]
    fn matches_of_the_empty_string_are_known() {
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
            assert_eq!(matches_empty(pattern), Ok(matches), "{pattern}");
        }
    }

    #[test]
    fn invalid_utf8_is_rejected() {
        assert_eq!(
            check(b"a.\xff").unwrap_err().to_string(),
            "error parsing regexp: invalid UTF-8: `\u{fffd}`"
        );
    }

    proptest! {
        #[test]
        fn any_text_is_checked(pattern in r"[a-c()\[\]{}|*+?\\^$.:<>PpQEx0-9,é-]{0,20}") {
            let _ = check(&pattern);
        }
    }
}
