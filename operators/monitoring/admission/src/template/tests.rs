//! Templates that Go reads, and what it says about others.

use proptest::prelude::*;

use super::*;

#[test]
fn what_go_reads_is_read() {
    for text in [
        "",
        "no template",
        "https://{{ .GroupLabels.host }}/{{- .X -}}",
        "{{/* a comment */}}{{- /* another */ -}}",
        r#"{{ if and .A (not .B) }}a{{ else if eq .C "x" }}b{{ else }}c{{ end }}"#,
        "{{ with .A }}{{ . }}{{ else with .B }}{{ end }}",
        "{{ range $i, $e := .L }}{{ if $i }}{{ break }}{{ end }}{{ continue }}{{ else }}{{ end }}",
        r#"{{ define "a" }}x{{ end }}{{ template "a" . }}{{ block "b" $ }}y{{ end }}"#,
        r#"{{ $x := 1 }}{{ $x = 2 }}{{ printf "%d" $x | len | print }}"#,
        r"{{ 'a' }}{{ '\n' }}{{ 0x1F }}{{ 1.5e3 }}{{ 1_000 }}{{ 1i }}{{ 1+2i }}{{ nil | print }}{{ `raw` }}",
        "{{ (index .A 0).B.C }}",
        r#"{{ define "a" }} {{ end }}{{ define "a" }}x{{ end }}"#,
    ] {
        assert_eq!(check(text), Ok(()), "{text}");
    }
}

#[test]
fn what_go_refuses_is_named() {
    for (text, words) in [
        ("{{", ":1: unclosed action"),
        ("{{ .A\n\n", ":3: unclosed action started at :1"),
        ("{{ .A\n\"b", ":2: unterminated quoted string in action started at :1"),
        ("{{}}", ":1: missing value for command"),
        ("{{ . }} {{ end }}", ":1: unexpected {{end}}"),
        ("{{ if .A }}", ":1: unexpected EOF"),
        ("{{ if .A }}{{ else }}{{ else }}{{ end }}", ":1: expected end; found {{else}}"),
        ("{{ foo }}", r#":1: function "foo" not defined"#),
        ("{{ $x }}", r#":1: undefined variable "$x""#),
        ("{{ print “a“ }}", ":1: unrecognized character in action: U+201C '“'"),
        ("{{ .A# }}", ":1: bad character U+0023 '#'"),
        ("{{ ( .A }}", ":1: unclosed left paren"),
        ("{{ .A ) }}", ":1: unexpected right paren"),
        ("{{ /* a }}", r#":1: unexpected "/" in command"#),
        ("{{/* a }}", ":1: unclosed comment"),
        ("{{/* a */ }}", ":1: comment ends before closing delimiter"),
        ("{{ break }}", ":1: {{break}} outside {{range}}"),
        ("{{ true.A }}", r#":1: unexpected . after term "true""#),
        ("{{ print | 1 }}", ":1: non executable command in pipeline stage 2"),
        ("{{ 08 }}", r#":1: integer overflow: "08""#),
        ("{{ 1x }}", r#":1: bad number syntax: "1x""#),
        (r#"{{ "\q" }}"#, ":1: invalid syntax"),
        ("{{ 'ab' }}", ":1: malformed character constant: 'ab'"),
        ("{{ $a, $b := .A }}", ":1: too many declarations in command"),
        ("{{ range $a, .B }}{{ end }}", ":1: range can only initialize variables"),
        ("{{ template .A }}", r#":1: unexpected ".A" in template clause"#),
        ("{{ if }}{{ end }}", ":1: missing value for if"),
        ("{{ else define }}", ":1: unexpected <define> in else"),
        (r#"{{ .A "abcdefghijklmnop": }}"#, ":1: expected :="),
        (
            r#"{{ define "a" }}x{{ end }}{{ define "a" }}y{{ end }}"#,
            r#":1: template: multiple definition of template "a""#,
        ),
    ] {
        let found = check(text).map_err(|invalid| invalid.to_string());
        assert_eq!(found, Err(format!("template: {words}")), "{text}");
    }
}

#[test]
fn depth_has_a_limit() {
    let nested = |count: usize| format!("{{{{ {}.{} }}}}", "(".repeat(count), ")".repeat(count));
    assert_eq!(check(&nested(200)), Ok(()));
    assert_eq!(
        check(&nested(100_000)).unwrap_err().to_string(),
        "template: :1: max expression depth exceeded"
    );
    let blocks = "{{ if . }}".repeat(100_000);
    assert_eq!(check(&blocks).unwrap_err().to_string(), "template: :1: max expression depth exceeded");
}

proptest! {
    #[test]
    fn nothing_makes_it_panic(text in "(\\{\\{|\\}\\}|[-a-z$.|()\"'`:=0-9 \n/*é“]){0,40}") {
        let _ = check(&text);
    }
}
