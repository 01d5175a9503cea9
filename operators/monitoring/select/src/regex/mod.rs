//! Whether Go takes a regular expression, which is what Prometheus uses. Nothing is matched here: only the syntax and the
//! limits are checked, with the messages that Go gives.
//!
//! | file | owns |
//! |---|---|
//! | `parser` | the walk over the text |
//! | `class` | sets of characters between brackets, and escapes |
//! | `unicode` | names of sets of characters |
//! | `tree` | as much of the structure as the limits need |

mod class;
mod parser;
mod tree;
mod unicode;

/// Why a regular expression is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("error parsing regexp: {fault}: `{part}`")]
pub struct Invalid {
    /// What is wrong.
    pub fault: Fault,
    /// The part of the expression that is wrong.
    pub part: String,
}

/// What can be wrong with a regular expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A set of characters is unknown, or runs backwards.
    #[error("invalid character class range")]
    CharacterRange,
    /// An escape means nothing.
    #[error("invalid escape sequence")]
    Escape,
    /// A group has a bad name.
    #[error("invalid named capture")]
    GroupName,
    /// A group begins with something that Go does not have.
    #[error("invalid or unsupported Perl syntax")]
    GroupKind,
    /// A repetition is repeated.
    #[error("invalid nested repetition operator")]
    NestedRepetition,
    /// Something is repeated too often.
    #[error("invalid repeat count")]
    RepetitionCount,
    /// A set of characters does not end.
    #[error("missing closing ]")]
    OpenBracket,
    /// A group does not end.
    #[error("missing closing )")]
    OpenGroup,
    /// There is nothing to repeat.
    #[error("missing argument to repetition operator")]
    NothingToRepeat,
    /// The last character escapes nothing.
    #[error("trailing backslash at end of expression")]
    TrailingBackslash,
    /// A group ends that has not begun.
    #[error("unexpected )")]
    UnopenedGroup,
    /// Groups are in groups too often.
    #[error("expression nests too deeply")]
    TooDeep,
    /// The expression would need too much memory.
    #[error("expression too large")]
    TooLarge,
}

impl Fault {
    fn at(self, part: &str) -> Invalid {
        Invalid { fault: self, part: part.to_owned() }
    }
}

/// Checks an expression that must match the whole of a text, as in a relabeling step.
pub fn check_anchored(pattern: &str) -> Result<(), Invalid> {
    // Most are as plain as a name: there is nothing that could be wrong with them.
    if pattern.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'/' | b':')) {
        return Ok(());
    }
    check(&format!("^(?s:{pattern})$"))
}

/// Checks an expression.
pub fn check(pattern: &str) -> Result<(), Invalid> {
    parser::Parser::new(pattern).run()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn verdict(pattern: &str) -> String {
        check(pattern).map_or_else(|problem| problem.to_string(), |()| "good".to_owned())
    }

    #[test]
    fn what_go_takes_is_good() {
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
            assert_eq!(verdict(pattern), "good", "{pattern}");
        }
    }

    #[test]
    fn what_go_refuses_is_named() {
        for (pattern, words) in [
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
        ] {
            assert_eq!(verdict(pattern), format!("error parsing regexp: {words}"), "{pattern}");
        }
    }

    #[test]
    fn limits_are_those_of_go() {
        let nested = |depth: usize| format!("{}a{}", "(".repeat(depth), ")".repeat(depth));
        assert_eq!(verdict(&nested(999)), "good");
        assert_eq!(check(&nested(1000)).unwrap_err().fault, Fault::TooDeep);
        let large = "((a{100}){10}b*)".repeat(40_000);
        assert_eq!(check(&large).unwrap_err().fault, Fault::TooLarge);
    }

    #[test]
    fn an_anchored_expression_is_named_with_its_anchors() {
        assert_eq!(check_anchored("plain-text_1"), Ok(()));
        assert_eq!(
            check_anchored("a)").unwrap_err().to_string(),
            "error parsing regexp: unexpected ): `^(?s:a))$`"
        );
    }

    proptest! {
        #[test]
        fn nothing_makes_it_panic(pattern in r"[a-c()\[\]{}|*+?\\^$.:<>PpQEx0-9,é-]{0,20}") {
            let _ = check(&pattern);
        }
    }
}
