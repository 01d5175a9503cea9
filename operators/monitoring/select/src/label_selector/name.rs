//! Valid keys and values of labels, in the words of Kubernetes.

/// Longest name of a key, and longest value.
const LONGEST: usize = 63;

/// Longest prefix of a key.
const LONGEST_PREFIX: usize = 253;

const LETTERS: &str = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const NAME: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const NAME_EXAMPLES: &str = "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is";
const PREFIX: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', \
                      and must start and end with an alphanumeric character (e.g. 'example.com', regex used for \
                      validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', \
                     and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or \
                     '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/// The problem of a key, if it is invalid.
pub(super) fn problem_of_key(key: &str) -> Option<String> {
    let mut problems = Vec::new();
    let mut parts = key.split('/');
    let (first, second) = (parts.next().unwrap_or_default(), parts.next());
    if parts.next().is_some() {
        return Some(format!(
            "a valid label key {NAME} {NAME_EXAMPLES} '{LETTERS}') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        ));
    }
    if second.is_some() {
        problems
            .extend(problems_of_prefix(first).into_iter().map(|problem| format!("prefix part {problem}")));
    }
    let name = second.unwrap_or(first);
    if name.is_empty() {
        problems.push("name part must be non-empty".to_owned());
    } else if name.len() > LONGEST {
        problems.push(format!("name part must be no more than {LONGEST} bytes"));
    }
    if name.is_empty() || !is_name(name) {
        problems.push(format!("name part {NAME} {NAME_EXAMPLES} '{LETTERS}')"));
    }
    (!problems.is_empty()).then(|| problems.join("; "))
}

/// The problem of a value, if it is invalid.
pub(super) fn problem_of_value(value: &str) -> Option<String> {
    let mut problems = Vec::new();
    if value.len() > LONGEST {
        problems.push(format!("must be no more than {LONGEST} bytes"));
    }
    if !is_name(value) {
        problems.push(VALUE.to_owned());
    }
    (!problems.is_empty()).then(|| problems.join("; "))
}

fn problems_of_prefix(prefix: &str) -> Vec<String> {
    let mut problems = Vec::new();
    if prefix.is_empty() {
        return vec!["must be non-empty".to_owned()];
    }
    if prefix.len() > LONGEST_PREFIX {
        problems.push(format!("must be no more than {LONGEST_PREFIX} bytes"));
    }
    let is_label = |label: &str| {
        let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        !label.is_empty() && label.bytes().all(inner) && !label.starts_with('-') && !label.ends_with('-')
    };
    if !prefix.split('.').all(is_label) {
        problems.push(PREFIX.to_owned());
    }
    problems
}

/// Whether a text is empty, or starts and ends with a letter or a digit, with some symbols in between.
fn is_name(text: &str) -> bool {
    let is_outer = |byte: &u8| byte.is_ascii_alphanumeric();
    let bytes = text.as_bytes();
    bytes.first().is_none_or(is_outer)
        && bytes.last().is_none_or(is_outer)
        && bytes.iter().all(|byte| is_outer(byte) || matches!(byte, b'-' | b'_' | b'.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_a_name_and_perhaps_a_prefix() {
        for good in ["a", "A.b_c-1", "example.com/name", &"a".repeat(63)] {
            assert_eq!(problem_of_key(good), None, "{good}");
        }
        let name = format!("name part {NAME} {NAME_EXAMPLES} '{LETTERS}')");
        for (bad, words) in [
            ("", format!("name part must be non-empty; {name}")),
            ("a b", name.clone()),
            ("/a", "prefix part must be non-empty".to_owned()),
            ("A/a", format!("prefix part {PREFIX}")),
            (&"a".repeat(64), "name part must be no more than 63 bytes".to_owned()),
        ] {
            assert_eq!(problem_of_key(bad), Some(words), "{bad}");
        }
    }

    #[test]
    fn values_may_be_empty() {
        for good in ["", "a", "1.2-3_4"] {
            assert_eq!(problem_of_value(good), None, "{good}");
        }
        assert_eq!(problem_of_value("-a"), Some(VALUE.to_owned()));
        assert_eq!(problem_of_value(&"a".repeat(64)), Some("must be no more than 63 bytes".to_owned()));
    }
}
