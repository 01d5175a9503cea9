//! Field selectors as text, such as `metadata.name=a,status.phase!=Failed`: whether Kubernetes accepts one.

/// Why a selector is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidFieldSelector {
    /// A part has no operator.
    #[error("invalid selector: '{selector}'; can't understand '{part}'")]
    NoOperator {
        /// The selector.
        selector: String,
        /// The part.
        part: String,
    },
    /// A backslash precedes a character that needs none.
    #[error("invalid field selector: invalid escape sequence: {0}")]
    Escape(String),
    /// A value has a character that needs a backslash. Kubernetes shows the number of the character.
    #[error("invalid field selector: unescaped character in value: {}", u32::from(*.0))]
    Unescaped(char),
}

/// Checks a selector.
pub fn check(selector: &str) -> Result<(), InvalidFieldSelector> {
    let mut parts = split(selector);
    parts.sort_unstable();
    parts.into_iter().filter(|part| !part.is_empty()).try_for_each(|part| check_part(selector, part))
}

fn check_part(selector: &str, part: &str) -> Result<(), InvalidFieldSelector> {
    let no_operator =
        || InvalidFieldSelector::NoOperator { selector: selector.to_owned(), part: part.to_owned() };
    let at = part
        .char_indices()
        .map(|(at, _)| at)
        .find(|at| part[*at..].starts_with('=') || part[*at..].starts_with("!="))
        .ok_or_else(no_operator)?;
    let rest = &part[at..];
    let value = ["!=", "==", "="].iter().find_map(|operator| rest.strip_prefix(operator)).unwrap_or_default();
    check_value(value)
}

fn check_value(value: &str) -> Result<(), InvalidFieldSelector> {
    let mut characters = value.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some('\\' | ',' | '=') => {}
                Some(other) => return Err(InvalidFieldSelector::Escape(format!("\\{other}"))),
                None => return Err(InvalidFieldSelector::Escape("\\".to_owned())),
            },
            ',' | '=' => return Err(InvalidFieldSelector::Unescaped(character)),
            _ => {}
        }
    }
    Ok(())
}

/// The parts between unescaped commas.
fn split(selector: &str) -> Vec<&str> {
    let (mut parts, mut begin, mut escaped) = (Vec::new(), 0, false);
    for (at, character) in selector.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            ',' => {
                parts.push(&selector[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&selector[begin..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_compare_fields_with_values() {
        for good in ["", "a=b", "a==b,c!=d", "a=", "=b", ",,a=b,", r"a=b\,c\=d\\", "a!b=c"] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for (bad, words) in [
            ("a", "invalid selector: 'a'; can't understand 'a'"),
            ("b=c,a", "invalid selector: 'b=c,a'; can't understand 'a'"),
            ("a=b=c", "invalid field selector: unescaped character in value: 61"),
            (r"a=\b", r"invalid field selector: invalid escape sequence: \b"),
            (r"a=b\", r"invalid field selector: invalid escape sequence: \"),
        ] {
            assert_eq!(check(bad).unwrap_err().to_string(), words);
        }
    }
}
