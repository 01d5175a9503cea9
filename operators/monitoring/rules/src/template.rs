//! Values of labels and annotations: Go templates with the functions and variables of Prometheus.

use go_syntax::template::{self, InvalidTemplate, TemplateScope};

/// Checks a value of an alert.
pub(crate) fn check(alert: &str, text: &str) -> Result<(), InvalidTemplate> {
    // Most values are not templates.
    if !template::is_template(text) {
        return Ok(());
    }
    let name = format!("__alert_{alert}");
    template::check(text, &TemplateScope { name: &name, functions: FUNCTIONS, variables: VARIABLES })
}

/// Variables that Prometheus declares.
const VARIABLES: &[&str] = &["$labels", "$externalLabels", "$externalURL", "$value"];

/// Functions of Prometheus.
const FUNCTIONS: &[&str] = &[
    "args",
    "externalURL",
    "first",
    "graphLink",
    "humanize",
    "humanize1024",
    "humanizeDuration",
    "humanizePercentage",
    "humanizeTimestamp",
    "label",
    "match",
    "now",
    "parseDuration",
    "pathPrefix",
    "query",
    "reReplaceAll",
    "safeHtml",
    "sortByLabel",
    "stripDomain",
    "stripPort",
    "strvalue",
    "tableLink",
    "title",
    "toDuration",
    "toLower",
    "toTime",
    "toUpper",
    "urlQueryEscape",
    "value",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_prometheus_loads_is_valid() {
        for text in [
            "",
            "plain } text",
            "{{ $labels.instance }} has {{ $value | humanize }}",
            "{{ $externalLabels.cluster }}{{ $externalURL }}{{ .Labels.job }}",
            "{{ printf \"%.2f\" $value | title }}",
            "{{- /* a comment */ -}} {{ if gt $value 1.5 }}a{{ else if eq 1 2 }}b{{ else }}c{{ end }}",
            "{{ range $i, $x := query \"up\" }}{{ if $i }}{{ break }}{{ end }}{{ $x.Value }}{{ else }}-{{ end }}",
            "{{ with $x := first (query `up`) }}{{ . | value }}{{ end }}",
            "{{ define \"a\" }}x{{ end }}{{ template \"a\" . }}{{ block \"b\" . }}{{ . }}{{ end }}",
            "{{ $x := 1 }}{{ $x = 2 }}{{ (index $labels \"a b\").X }}",
            "{{ 'a' }}{{ 0x1F }}{{ 1e3 }}{{ 1_000 }}{{ 2i }}{{ true }}{{ print nil }}",
        ] {
            assert_eq!(check("A", text), Ok(()), "{text}");
        }
    }

    #[test]
    fn what_prometheus_rejects_is_invalid() {
        for (text, message) in [
            ("{{ nothing }}", "1: function \"nothing\" not defined"),
            ("a\n{{ $x }}", "2: undefined variable \"$x\""),
            ("{{ $labels", "1: unclosed action"),
            ("{{ $labels\n\n", "3: unclosed action started at __alert_A:1"),
            ("{{ if }}a{{ end }}", "1: missing value for if"),
            ("{{ if true }}a", "1: unexpected EOF"),
            ("{{ end }}", "1: unexpected {{end}}"),
            ("{{ }}", "1: missing value for command"),
            ("{{ print “a” }}", "1: unrecognized character in action: U+201C '“'"),
            ("{{ $value | 1 }}", "1: non executable command in pipeline stage 2"),
            ("{{ 1.X }}", "1: bad number syntax: \"1.X\""),
            ("{{ \"a\".X }}", "1: unexpected . after term \"\\\"a\\\"\""),
            ("{{ \"a }}", "1: unterminated quoted string"),
            ("{{ \"\\q\" }}", "1: invalid syntax"),
            ("{{ break }}", "1: {{break}} outside {{range}}"),
            ("{{ (print 1 }}", "1: unclosed left paren"),
            ("{{ print 1) }}", "1: unexpected right paren"),
            ("{{ $x, $y := 1 }}", "1: too many declarations in command"),
            ("{{ /* a", "1: unexpected \"/\" in command"),
            ("{{/* a", "1: unclosed comment"),
            (
                "{{ define \"a\" }}1{{ end }}{{ define \"a\" }}2{{ end }}",
                "1: template: multiple definition of template \"a\"",
            ),
            ("{{ else }}", "1: unexpected {{else}}"),
            ("{{ template 1 }}", "1: unexpected \"1\" in template clause"),
            ("{{ print 99999999999999999999 }}", "1: integer overflow: \"99999999999999999999\""),
        ] {
            let error = check("A", text).unwrap_err().to_string();
            assert_eq!(error, format!("template: __alert_A:{message}"), "{text}");
        }
    }
}
