//! Conditions on labels: `severity="critical"`, `team=~"a|b"`.

use std::fmt;
use std::sync::LazyLock;

use go_syntax::regexp;
use regex::Regex;

/// How a label is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operator {
    /// Equal.
    Equal,
    /// Not equal.
    NotEqual,
    /// Like a regular expression.
    Like,
    /// Not like a regular expression.
    NotLike,
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Like => "=~",
            Self::NotLike => "!~",
        })
    }
}

/// A condition as it is written into the file. The operator is a text because users write it.
pub fn written(name: &str, operator: impl fmt::Display, value: &str) -> String {
    let value = value.replace('\\', "\\\\").replace('\n', "\\n").replace('"', "\\\"");
    format!("{name}{operator}\"{value}\"")
}

/// Why conditions cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadMatcher {
    /// It is no name, operator and value.
    #[error("bad matcher format: {0}")]
    Form(String),
    /// It has a quote where there is none to be.
    #[error("matcher value contains unescaped double quote: {0}")]
    Quote(String),
    /// Its value is no regular expression.
    #[error(transparent)]
    Expression(#[from] regexp::Invalid),
}

/// A name, an operator and a value, with spaces around them.
static FORM: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^[ \t\n\f\r]*([a-zA-Z_:][a-zA-Z0-9_:]*)[ \t\n\f\r]*(=~|=|!=|!~)[ \t\n\f\r]*((?s).*?)[ \t\n\f\r]*$",
    )
    .ok()
});

/// Refuses what are no conditions, with commas between them and braces around them perhaps.
pub fn check(text: &str) -> Result<(), BadMatcher> {
    let text = text.strip_prefix('{').unwrap_or(text);
    let text = text.strip_suffix('}').unwrap_or(text);
    conditions(text).iter().try_for_each(|condition| check_one(condition))
}

/// Splits at commas that are not between quotes.
fn conditions(text: &str) -> Vec<&str> {
    let (mut quoted, mut escaped, mut start) = (false, false, 0);
    let mut found = Vec::new();
    for (at, letter) in text.char_indices() {
        match letter {
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
            // A comma does not end an escape for the program that reads the file.
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

/// The value without quotes and escapes; nothing, if a quote is where there is none to be.
fn unquoted(written: &str) -> Option<String> {
    let (inside, opened) = written.strip_prefix('"').map_or((written, false), |inside| (inside, true));
    let (mut value, mut escaped, mut closed) = (String::new(), false, false);
    for (at, letter) in inside.char_indices() {
        let is_last = at + 1 == inside.len();
        if escaped {
            escaped = false;
            match letter {
                'n' => value.push('\n'),
                '"' | '\\' => value.push(letter),
                other => value.extend(['\\', other]),
            }
        } else if letter == '\\' && !is_last {
            escaped = true;
        } else if letter == '"' {
            if !opened || !is_last {
                return None;
            }
            closed = true;
        } else {
            value.push(letter);
        }
    }
    (opened == closed).then_some(value)
}

/// Refuses what is no regular expression.
pub fn check_expression(expression: &str) -> Result<(), BadMatcher> {
    regexp::check(format!("^(?:{expression})$"))?;
    Ok(())
}

/// Whether a text can be the name of a label.
pub fn is_label_name(name: &str) -> bool {
    name.bytes().next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn conditions_are_taken_as_alertmanager_takes_them() {
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
    fn what_is_wrong_is_told() {
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
        fn what_is_written_is_taken(name in "[a-z_][a-z0-9_]{0,5}", value in "\\PC*") {
            prop_assert_eq!(check(&written(&name, Operator::Equal, &value)), Ok(()));
        }
    }
}
