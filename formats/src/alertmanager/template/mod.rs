//! Templates of Go, as far as to say whether one is sound: Alertmanager reads some fields as templates and refuses a file
//! with a broken one.
//!
//! | file | owns |
//! |---|---|
//! | `lex` | text to tokens |
//! | `parse` | whether tokens are in an order that means something |

mod lex;
mod parse;

/// What is wrong with a template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("template: :{line}: {problem}")]
pub struct BadTemplate {
    /// Where, counted from 1.
    pub line: usize,
    /// What.
    pub problem: String,
}

/// Refuses a template that cannot be read.
pub fn check(text: &str) -> Result<(), BadTemplate> {
    parse::check(lex::tokens(text))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sound_templates_are_taken() {
        for text in [
            "",
            "plain",
            "{{ .A.B }}",
            "{{- .A -}}",
            "{{/* a */}}{{ . }}",
            "{{ range $i, $e := .Alerts }}{{ $i }}{{ else }}x{{ end }}",
            "{{ if eq .A \"b\" }}{{ else if not .B }}{{ else }}{{ end }}",
            "{{ with $x := .A }}{{ $x.B | printf \"%s\" }}{{ end }}",
            "{{ define \"a\" }}{{ . }}{{ end }}{{ template \"a\" . }}",
            "{{ block `b` . }}{{ end }}",
            "{{ (index .A 0).B }}",
            "{{ range .A }}{{ break }}{{ end }}",
            "{{ printf \"%d\" 0x1F }}",
            "{{ 'a' }}",
        ] {
            assert_eq!(check(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn broken_templates_are_refused_in_words_that_can_be_searched() {
        for (text, line, problem) in [
            ("{{ .A-b }}", 1, "bad character U+002D '-'"),
            ("{{ .A", 1, "unclosed action"),
            ("a\n{{ nope }}", 2, "function \"nope\" not defined"),
            ("{{ $x }}", 1, "undefined variable \"$x\""),
            ("{{ end }}", 1, "unexpected {{end}}"),
            ("{{ if .A }}", 1, "unexpected EOF"),
            ("{{ }}", 1, "missing value for command"),
            ("{{ .A | 1 }}", 1, "non executable command in pipeline stage 2"),
            ("{{ \"a }}", 1, "unterminated quoted string"),
            ("{{ (.A }}", 1, "unclosed left paren"),
            ("{{ break }}", 1, "{{break}} outside {{range}}"),
            ("{{ template .A }}", 1, "unexpected \".A\" in template clause"),
            ("{{/* a }}", 1, "unclosed comment"),
        ] {
            assert_eq!(check(text), Err(BadTemplate { line, problem: problem.into() }), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_confuses_the_reader(text in "(\\{\\{|\\}\\}|[a-z.$|()\" \\-=:,`']|if |end|range |\\n){0,30}") {
            let _ = check(&text);
        }
    }
}
