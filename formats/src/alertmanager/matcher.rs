//! Matchers of labels: `severity="critical"`, `team=~"a|b"`.

use std::fmt;
use std::sync::LazyLock;

use go_syntax::regexp;
use regex::Regex;

/// How a label is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MatchOperator {
    /// Equal.
    Equal,
    /// Not equal.
    NotEqual,
    /// Matches a regular expression.
    Like,
    /// Does not match a regular expression.
    NotLike,
}

impl fmt::Display for MatchOperator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Like => "=~",
            Self::NotLike => "!~",
        })
    }
}

/// A matcher as text. The operator can be any text, because users can write it.
pub fn written(name: &str, operator: impl fmt::Display, value: &str) -> String {
    let value = value.replace('\\', "\\\\").replace('\n', "\\n").replace('"', "\\\"");
    format!("{name}{operator}\"{value}\"")
}

/// Why matchers are rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadMatcher {
    /// It is not a name, an operator and a value.
    #[error("bad matcher format: {0}")]
    Form(String),
    /// It contains an unescaped quote.
    #[error("matcher value contains unescaped double quote: {0}")]
    Quote(String),
    /// Its value is not a regular expression.
    #[error(transparent)]
    Expression(#[from] regexp::InvalidRegexp),
}

/// A name, an operator and a value, with optional spaces around them.
static FORM: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^[ \t\n\f\r]*([a-zA-Z_:][a-zA-Z0-9_:]*)[ \t\n\f\r]*(=~|=|!=|!~)[ \t\n\f\r]*((?s).*?)[ \t\n\f\r]*$",
    )
    .ok()
});

/// Checks matchers, which can be separated by commas and enclosed in braces.
pub fn check(text: &str) -> Result<(), BadMatcher> {
    let text = text.strip_prefix('{').unwrap_or(text);
    let text = text.strip_suffix('}').unwrap_or(text);
    conditions(text).iter().try_for_each(|condition| check_one(condition))
}

/// Splits at commas outside of quotes.
fn conditions(text: &str) -> Vec<&str> {
    let (mut quoted, mut escaped, mut start) = (false, false, 0);
    let mut found = Vec::new();
    for (at, character) in text.char_indices() {
        match character {
            ',' if !quoted => {
                found.push(&text[start..at]);
                start = at + 1;
                continue;
            }
            '"' if !escaped => quoted = !quoted,
            '\\' => {
                escaped = !escaped;
                continue;
            }
            // In Alertmanager, a comma does not end an escape sequence.
            ',' => continue,
            _ => {}
        }
        escaped = false;
    }
    let rest = &text[start..];
    if !rest.trim().is_empty() {
        found.push(rest.trim());
    }
    found
}

fn check_one(condition: &str) -> Result<(), BadMatcher> {
    let parts = FORM.as_ref().and_then(|form| form.captures(condition));
    let Some(parts) = parts else { return Err(BadMatcher::Form(condition.to_owned())) };
    let value = unquoted(&parts[3]).ok_or_else(|| BadMatcher::Quote(parts[3].to_owned()))?;
    if parts[2].ends_with('~') { check_expression(&value) } else { Ok(()) }
}

/// The value without quotes and escape sequences. None if a quote is not escaped.
fn unquoted(written: &str) -> Option<String> {
    let (inside, opened) = written.strip_prefix('"').map_or((written, false), |inside| (inside, true));
    let (mut value, mut escaped, mut closed) = (String::new(), false, false);
    for (at, character) in inside.char_indices() {
        let is_last = at + 1 == inside.len();
        if escaped {
            escaped = false;
            match character {
                'n' => value.push('\n'),
                '"' | '\\' => value.push(character),
                other => value.extend(['\\', other]),
            }
        } else if character == '\\' && !is_last {
            escaped = true;
        } else if character == '"' {
            if !opened || !is_last {
                return None;
            }
            closed = true;
        } else {
            value.push(character);
        }
    }
    (opened == closed).then_some(value)
}

/// Checks a regular expression.
pub(super) fn check_expression(expression: &str) -> Result<(), BadMatcher> {
    regexp::check(format!("^(?:{expression})$"))?;
    Ok(())
}

/// Whether a text is a valid label name.
pub(super) fn is_label_name(name: &str) -> bool {
    name.bytes().next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn matchers_are_accepted_as_in_alertmanager() {
        for text in [
            "a=b",
            "a = \"b\"",
            "{a=~\"b|c\", d!=e,}",
            "a=",
            "a:b=\"c,d\"",
            "a=\"say \\\"hi\\\"\"",
            "",
            "a=b\\",
            "a!~\"x.*\"",
        ] {
            assert_eq!(check(text), Ok(()), "{text}");
        }
        for text in ["a", "1a=b", "a=\"b", "a=b\"c", "a=~\"(\"", "a==b\"", "a=b,,c=d"] {
            assert!(check(text).is_err(), "{text}");
        }
    }

    #[test]
    fn errors_are_those_of_alertmanager() {
        assert_eq!(check("a b").unwrap_err().to_string(), "bad matcher format: a b");
        assert_eq!(
            check("a=\"b").unwrap_err().to_string(),
            "matcher value contains unescaped double quote: \"b"
        );
        assert_eq!(
            check("a=~\"(\"").unwrap_err().to_string(),
            "error parsing regexp: missing closing ): `^(?:()$`"
        );
    }

    proptest! {
        #[test]
        fn written_matchers_are_valid(name in "[a-z_][a-z0-9_]{0,5}", value in "\\PC*") {
            prop_assert_eq!(check(&written(&name, MatchOperator::Equal, &value)), Ok(()));
        }
    }
}
