use proptest::prelude::*;

use super::*;

#[test]
fn errors_are_shown_without_quoted_text() {
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
        // A log of JSON.
        (
            r#"{"time":"t","level":"INFO","msg":"a"}
{"time":"t","level":"ERROR","source":"main.go:1","msg":"Error loading config","file":"/etc/p.yaml","err":"parsing YAML file /etc/p.yaml: parse \"http://user:hunter2@[::1\": missing ']' in host"}
"#,
            "parse \"…\": missing \"…\" in host",
        ),
        (r#"{"level":"error","msg":"a","err":"field \u003cx\u003e not found"}"#, "field <x> not found"),
        // What comes after the error is not part of it.
        (r#"level=error err="no \"hunter2\" here" component="rule manager""#, "no \"…\" here"),
        ("level=error msg=a err=EOF", "EOF"),
        ("level=error msg=\"no such thing\"", "no such thing"),
        // Quoted text may contain quotation marks.
        (r#"failed to reload config: parse "http://user:\"hunter2\"@b": no"#, "parse \"…\": no"),
        ("cannot unmarshal !!str `a`hunter2` into int", "cannot unmarshal !!str \"…\" into int"),
        ("it is 'what it doesn't say' here", "it is \"…\" here"),
        ("Get http://user:hunter2@host/a: no, x:hunter2@y, a@b", "Get http://…@host/a: no, …@y, a@b"),
        // A file with a strange name.
        ("couldn't load configuration (--config.file=\"/a: b\"): parse \"hunter2\": no", "parse \"…\": no"),
    ];
    for (text, expected) in cases {
        assert_eq!(redacted(text), expected);
    }
}

#[test]
fn nothing_is_repeated_if_quotations_cannot_be_recognized() {
    for text in [
        "",
        "it says \"hunter2 and never ends",
        // Logs that begin in the middle of a line.
        r#"hunter2@host\": missing ']' in host"}"#,
        "nter2` into int\"",
        "hunter2 not found\" component=a",
        "hunter2' or 'that\"}",
        "hunter2 not found\"\nlevel=info msg=a",
        "level=info msg=\"a\"\n",
    ] {
        assert_eq!(redacted(text), "its log says why", "{text}");
    }
}

#[test]
fn escapes_of_a_log_are_removed() {
    let log =
        "{\"level\":\"ERROR\",\"msg\":\"loading groups failed\",\"err\":\"/etc/a.yaml: group \\\"g\\\"\"}\n";
    assert_eq!(unescaped(log), "loading groups failed: /etc/a.yaml: group \"g\"\n");
    assert_eq!(unescaped(r#"err="a \"b\" c\nd \\n""#), "err=\"a \"b\" c\nd \\n\"");
}

#[test]
fn quoted_texts_and_paths_are_found() {
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

/// As `%q` writes it.
fn go_quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn has_capitals(text: &str) -> bool {
    text.contains(|letter: char| letter.is_ascii_uppercase())
}

/// Words, and then a secret that must not be shown.
fn piece() -> impl Strategy<Value = String> {
    let secret = prop_oneof![
        "[A-Z\"\\\\`' ]{1,8}".prop_map(|secret| go_quoted(&secret)),
        "[A-Z\"\\\\`' ]{1,8}".prop_map(|secret| format!("`{secret}`")),
        "[A-Z ]{1,8}".prop_map(|secret| format!(" '{secret}'")),
        "[A-Z:/]{1,8}".prop_map(|secret| format!(" http://{secret}@host")),
        Just("couldn't".to_owned()),
    ];
    ("[ a-z:=,()]{0,8}", secret).prop_map(|(words, secret)| words + &secret)
}

proptest! {
    #[test]
    fn quoted_text_is_never_repeated(before in "[ a-z:=']{0,20}", secret in "[A-Z]{3,9}", after in "[ a-z:]{0,20}") {
        for mark in ["\"", "`"] {
            let text = format!("{before}{mark}{secret}{mark}{after}");
            prop_assert!(!redacted(&text).contains(&secret), "{}", redacted(&text));
        }
    }

    /// Only quoted text and users of URLs have capital letters.
    #[test]
    fn no_secret_of_a_text_or_log_is_repeated(
        pieces in prop::collection::vec(piece(), 1..5),
        end in "[ a-z:,]{0,6}",
        more in prop::sample::select(vec!["", "\n", "\nlevel=info msg=\"a b\"\n"]),
        cut in any::<prop::sample::Index>(),
    ) {
        let text = pieces.concat() + &end;
        let logfmt = format!("ts=1 level=error msg=\"a b\" err={} a=\"b c\"{more}", go_quoted(&text));
        let json = format!("{}{more}", serde_json::json!({"level": "error", "msg": "a b", "err": text}));
        for whole in [&logfmt, &json] {
            let part = whole.char_indices().map(|(at, _)| &whole[at..]).collect::<Vec<_>>();
            let part = part[cut.index(part.len())];
            prop_assert_eq!(redacted(whole), redacted(&text));
            prop_assert!(!has_capitals(&redacted(part)), "{} of {}", redacted(part), part);
        }
        prop_assert!(!has_capitals(&redacted(&text)), "{} of {}", redacted(&text), text);
    }

    #[test]
    fn no_text_breaks_the_readers(text in "[ a-z\"`'\\\\:\n=0-9/\u{e9}]{0,80}") {
        let (_, _, _) = (redacted(&text), quoted(&text), lines(&text));
        prop_assert!(redacted(&text).chars().count() <= LONGEST + 1);
    }
}
