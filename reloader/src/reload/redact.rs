//! Redacts error texts of the server. They quote parts of the configuration, which can be secrets: quoted parts are
//! removed, and the rest is truncated. Pure.

/// The largest number of characters in a redacted text.
const LONGEST: usize = 512;

/// The text on one line, without quoted parts.
pub(super) fn redacted(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let mut plain = String::new();
    let mut letters = text.chars();
    let mut before = ' ';
    while let Some(letter) = letters.next() {
        // The apostrophe in `couldn't` does not start a quotation.
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

/// Skips to the closing quotation mark, or to the end if there is none.
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

/// The line numbers in a text, such as `line 12`. They reveal nothing of the content.
pub(super) fn line_numbers(body: &[u8]) -> Vec<u32> {
    let text = redacted(body);
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
    fn quoted_parts_are_removed() {
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
            assert_eq!(redacted(text.as_bytes()), plain);
        }
        assert_eq!(redacted(&b"x".repeat(1000)).chars().count(), 513);
    }

    #[test]
    fn line_numbers_outside_of_quotations_are_found() {
        assert_eq!(
            line_numbers(b"yaml: line 7: no\n  line 7, line 12: also no; line x; \"line 9\""),
            [7, 12]
        );
        assert_eq!(line_numbers(b"no"), [] as [u32; 0]);
    }

    proptest! {
        #[test]
        fn no_quoted_part_is_kept(before in "[a-z :]{0,20}", secret in "[A-Z]{8}", mark in "[\"`]", after in "[a-z ]{0,9}") {
            let text = format!("{before}{mark}{secret}{mark}{after}");
            prop_assert!(!redacted(text.as_bytes()).contains(&secret));
        }
    }
}
