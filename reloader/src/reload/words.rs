//! What may be repeated of an error text of the neighbour. Such a text quotes what it found in the configuration, and
//! that may be a secret: what is in quotation marks is left out, and the rest is cut off after some length. Pure.

/// Letters of a text that are repeated at most.
const LONGEST: usize = 512;

/// A text on one line, without what it quotes.
pub(super) fn masked(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
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

/// The lines that a text names, as `line 12`: they say where to look and nothing of what is there.
pub(super) fn lines(body: &[u8]) -> Vec<u32> {
    let text = masked(body);
    let mut lines: Vec<u32> = text
        .split("line ")
        .skip(1)
        .filter_map(|rest| {
            let digits = rest.chars().take_while(char::is_ascii_digit).count();
            rest[..digits].parse().ok()
        })
        .collect();
    lines.sort_unstable();
    lines.dedup();
    lines.truncate(10);
    lines
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_quoted_is_left_out() {
        for (text, plain) in [
            (
                "failed to reload config: couldn't load configuration (--config.file=\"/a\"): yaml: unmarshal errors:\n  \
                 line 12: cannot unmarshal !!str `hunter2` into int\n",
                "failed to reload config: couldn't load configuration (--config.file=\"…\"): yaml: unmarshal errors: \
                 line 12: cannot unmarshal !!str \"…\" into int",
            ),
            ("bad password: 'hunter2'!", "bad password: \"…\"!"),
            (r#"parse "http://a:\"hunter2\"@b": no"#, "parse \"…\": no"),
            ("it says \"hunter2 and never ends", "it says \"…\""),
            ("", ""),
        ] {
            assert_eq!(masked(text.as_bytes()), plain);
        }
        assert_eq!(masked(&b"x".repeat(1000)).chars().count(), 513);
    }

    #[test]
    fn lines_are_found_where_they_are_not_quoted() {
        assert_eq!(lines(b"yaml: line 7: no\n  line 7, line 12: also no; line x; \"line 9\""), [7, 12]);
        assert_eq!(lines(b"no"), [] as [u32; 0]);
    }

    proptest! {
        #[test]
        fn nothing_quoted_comes_through(before in "[a-z :]{0,20}", secret in "[A-Z]{8}", mark in "[\"`]", after in "[a-z ]{0,9}") {
            let text = format!("{before}{mark}{secret}{mark}{after}");
            prop_assert!(!masked(text.as_bytes()).contains(&secret));
        }
    }
}
