//! What may be repeated of an error text of an operand. Such a text quotes what it found in the configuration, and that
//! may be a secret: what stands in quotation marks is left out, and the rest is cut off after some length.

/// Letters of a text that are repeated at most.
const LONGEST: usize = 300;

/// What operands say before they come to the point.
const PREFIXES: [&str; 3] =
    ["failed to reload config: ", "couldn't load configuration ", "parsing YAML file "];

/// What a log says beside an error that says more.
const EMPTY: [&str; 2] = ["one or more errors occurred", "previous rule set restored"];

/// A text as a person reads it, without the escapes that a log adds.
pub(crate) fn plain(text: &str) -> String {
    text.replace("\\n", "\n").replace("\\\"", "\"").replace("\\\\", "\\")
}

/// The message of the error in a log that says most; any other text as it is.
fn message(text: &str) -> &str {
    let messages = text.lines().rev().filter(|line| is_error(line)).filter_map(|line| {
        let (_, message) = line.split_once(" err=\"")?;
        Some(&message[..message.rfind('"').unwrap_or(message.len())])
    });
    let says_something = |message: &&str| !EMPTY.iter().any(|empty| message.contains(empty));
    messages.clone().find(says_something).or_else(|| messages.clone().next()).unwrap_or(text)
}

/// Whether a line of a log tells an error.
fn is_error(line: &str) -> bool {
    let level = line.split_once("level=").map_or("", |(_, rest)| rest);
    level.get(..5).is_some_and(|level| level.eq_ignore_ascii_case("error"))
}

/// The point of an error text, on one line, without what it quotes.
pub fn told(text: &str) -> String {
    let plain = plain(message(text));
    let mut point = plain.trim();
    for prefix in PREFIXES {
        if let Some(rest) = point.strip_prefix(prefix) {
            // What stands in front of the colon is the name of a file of the pod.
            point = match prefix {
                "failed to reload config: " => rest,
                _ => rest.split_once(": ").map_or(rest, |(_, rest)| rest),
            };
        }
    }
    masked(point)
}

/// A text on one line, without what it quotes.
fn masked(text: &str) -> String {
    let mut plain = String::new();
    let mut letters = text.chars();
    let mut before = ' ';
    while let Some(letter) = letters.next() {
        // The apostrophe in `couldn't` opens nothing.
        if matches!(letter, '"' | '`') || (letter == '\'' && !before.is_alphanumeric()) {
            skip_quoted(&mut letters, letter);
            plain.push_str("\"…\"");
        } else if letter.is_whitespace() || letter.is_control() {
            if !plain.ends_with(' ') {
                plain.push(' ');
            }
        } else {
            plain.push(letter);
        }
        before = letter;
    }
    let plain = plain.trim();
    if plain.chars().count() > LONGEST {
        plain.chars().take(LONGEST).chain(['…']).collect()
    } else {
        plain.into()
    }
}

/// Up to the mark that closes, or to the end if nothing does.
fn skip_quoted(letters: &mut std::str::Chars<'_>, mark: char) {
    while let Some(letter) = letters.next() {
        if letter == mark {
            return;
        }
        if letter == '\\' && mark == '"' {
            letters.next();
        }
    }
}

/// What a text quotes, and where it points to: texts in quotation marks and paths of files.
pub(crate) fn quoted(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['"', '`']) {
        let mark = &rest[at..=at];
        let inside = &rest[at + 1..];
        let Some(end) = inside.find(mark) else { break };
        found.push(&inside[..end]);
        rest = &inside[end + 1..];
    }
    let words = text.split(|letter: char| letter.is_whitespace() || letter == '"');
    found.extend(
        words.map(|word| word.trim_end_matches([':', ',', ')'])).filter(|word| word.starts_with('/')),
    );
    found.retain(|text| !text.is_empty());
    found
}

/// The lines that a text names: `line 12`, or in the words of our reloader `(line 12, 16)`.
pub(crate) fn lines(text: &str) -> Vec<usize> {
    let mut lines = Vec::new();
    for rest in text.split("line ").skip(1) {
        let end = rest.find(|letter: char| !(letter.is_ascii_digit() || ", ".contains(letter)));
        let (list, after) = rest.split_at(end.unwrap_or(rest.len()));
        let several = if after.starts_with(')') { usize::MAX } else { 1 };
        lines.extend(list.split(", ").take(several).filter_map(|number| number.trim().parse::<usize>().ok()));
    }
    lines
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_point_of_a_text_is_told_without_what_it_quotes() {
        let cases = [
            (
                "failed to reload config: couldn't load configuration (--config.file=\"/etc/p.yaml\"): parsing YAML \
                 file /etc/p.yaml: parse \"http://user:hunter2@[::1\": missing ']' in host\n",
                "parse \"…\": missing \"…\" in host",
            ),
            (
                "failed to reload config: yaml: unmarshal errors:\n  line 10: cannot unmarshal !!str `hunter2` into int\n",
                "yaml: unmarshal errors: line 10: cannot unmarshal !!str \"…\" into int",
            ),
            (
                "ts=1 level=info msg=\"a\"\nts=2 caller=main.go level=error msg=\"Error reloading config\" \
                 err=\"couldn't load configuration (--config.file=\\\"/etc/p.yaml\\\"): parsing YAML file /etc/p.yaml: \
                 unknown relabel action \\\"hunter2\\\"\"\nts=3 level=info msg=b\n",
                "unknown relabel action \"…\"",
            ),
            (
                "level=ERROR msg=\"loading groups failed\" err=\"/etc/a.yaml: 5:11: group \\\"g\\\", rule 1\"\n\
                 level=ERROR msg=b err=\"error loading rules, previous rule set restored\"\n\
                 level=ERROR msg=c err=\"one or more errors occurred while applying\"\n",
                "/etc/a.yaml: 5:11: group \"…\", rule 1",
            ),
            (
                "failed to reload config: couldn't parse timestamp 25:00, invalid format\n",
                "couldn't parse timestamp 25:00, invalid format",
            ),
        ];
        for (text, words) in cases {
            assert_eq!(told(text), words);
        }
    }

    #[test]
    fn what_is_quoted_and_pointed_to_is_found() {
        let text = "open /no/such: unknown unit \"x\" in `3x` (\"/etc/p.yaml\"): open";
        assert_eq!(quoted(text), ["x", "3x", "/etc/p.yaml", "/no/such", "/etc/p.yaml"]);
    }

    #[test]
    fn lines_are_found_one_by_one_and_in_lists() {
        let cases: [(&str, &[usize]); 5] = [
            ("yaml: line 12: mapping values", &[12]),
            ("errors:\n  line 12: field a\n  line 16: field b", &[12, 16]),
            ("the reload was answered 500 (line 7, 12); the log", &[7, 12]),
            ("on line 3, 4 words were found", &[3]),
            ("a new line is missing, or this line", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(lines(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_in_quotation_marks_is_never_told(before in "[ a-z:=']{0,20}", secret in "[A-Z]{3,9}", after in "[ a-z:]{0,20}") {
            for mark in ["\"", "`"] {
                let text = format!("{before}{mark}{secret}{mark}{after}");
                prop_assert!(!told(&text).contains(&secret), "{}", told(&text));
            }
        }

        #[test]
        fn no_text_breaks_the_readers(text in "[ a-z\"`'\\\\:\n=0-9/\u{e9}]{0,80}") {
            let (_, _, _) = (told(&text), quoted(&text), lines(&text));
            prop_assert!(told(&text).chars().count() <= LONGEST + 1);
        }
    }
}
