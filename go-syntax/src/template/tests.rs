//! Templates that Go accepts, and its errors for others.

use proptest::prelude::*;

use super::{InvalidTemplate, TemplateScope};

fn check(text: &str) -> Result<(), InvalidTemplate> {
    super::check(text, &TemplateScope::default())
}

#[test]
fn what_go_accepts_is_valid() {
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
        "{{ .A.B }}",
        "{{- .A -}}",
        "{{/* a */}}{{ . }}",
        "{{ range $i, $e := .Alerts }}{{ $i }}{{ else }}x{{ end }}",
        r#"{{ if eq .A "b" }}{{ else if not .B }}{{ else }}{{ end }}"#,
        r#"{{ with $x := .A }}{{ $x.B | printf "%s" }}{{ end }}"#,
        "{{ block `b` . }}{{ end }}",
        "{{ range .A }}{{ break }}{{ end }}",
        r#"{{ printf "%d" 0x1F }}"#,
    ] {
        assert_eq!(check(text), Ok(()), "{text}");
    }
}

#[test]
fn invalid_templates_are_rejected_as_in_go() {
    for (text, message) in [
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
        ("{{ .A-b }}", ":1: bad character U+002D '-'"),
        ("a\n{{ nope }}", r#":2: function "nope" not defined"#),
        ("{{ .A | 1 }}", ":1: non executable command in pipeline stage 2"),
        (r#"{{ "a }}"#, ":1: unterminated quoted string"),
        ("{{ .A# }}", ":1: bad character U+0023 '#'"),
        ("{{ .A² }}", ":1: bad character U+00B2 '²'"),
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
        assert_eq!(found, Err(format!("template: {message}")), "{text}");
    }
}

#[test]
fn a_program_can_add_functions_variables_and_a_name() {
    let scope = TemplateScope { name: "n", functions: &["humanize"], variables: &["$value"] };
    let check = |text: &str| super::check(text, &scope).map_err(|invalid| invalid.to_string());
    assert_eq!(check("{{ $value | humanize | len }}{{ $ }}"), Ok(()));
    for (text, message) in [
        ("{{ $labels }}", r#"n:1: undefined variable "$labels""#),
        ("{{ title }}", r#"n:1: function "title" not defined"#),
        ("{{ $value\n\n", "n:3: unclosed action started at n:1"),
        // A definition does not see the variables that are declared around it.
        (r#"{{ define "a" }}{{ $value }}{{ end }}"#, r#"n:1: undefined variable "$value""#),
        // The declarations are part of the template of that name, so it cannot be defined again.
        (r#"{{ define "n" }}x{{ end }}"#, r#"n:1: template: multiple definition of template "n""#),
    ] {
        assert_eq!(check(text), Err(format!("template: {message}")), "{text}");
    }
}

#[test]
fn a_chain_of_conditions_is_not_nested() {
    let conditions = "{{ else if . }}".repeat(10_000);
    assert_eq!(check(&format!("{{{{ if . }}}}{conditions}{{{{ end }}}}")), Ok(()));
}

#[test]
fn depth_has_a_limit() {
    let nested = |count: usize| format!("{{{{ {}.{} }}}}", "(".repeat(count), ")".repeat(count));
    assert_eq!(check(&nested(500)), Ok(()));
    assert_eq!(
        check(&nested(100_000)).unwrap_err().to_string(),
        "template: :1: max expression depth exceeded"
    );
    let blocks = "{{ if . }}".repeat(100_000);
    assert_eq!(check(&blocks).unwrap_err().to_string(), "template: :1: max expression depth exceeded");
}

proptest! {
    #[test]
    fn any_text_is_checked(text in "(\\{\\{|\\}\\}|[-a-z$.|()\"'`:=0-9 \n/*é“]){0,40}") {
        let _ = check(&text);
    }
}
