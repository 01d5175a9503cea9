//! Reads users' own YAML as the Prometheus Operator does: YAML 1.1, as in version 2 of the Go library `yaml`. The
//! order of keys is kept, and so are duplicate keys.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use granit_parser::{ScalarStyle, Span, Tag};

use super::resolve::resolve;
use super::value::{Map, Value};
use super::walk::{self, Build, Entry, Scalar, problem};

/// A document.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadDocument {
    /// The value of the document.
    pub value: Value,
    /// The lines of merge keys (`<<`). Merges have no effect where the order of keys is kept, so they are not in the
    /// value.
    pub ignored_merges: Vec<usize>,
}

/// Why a text cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct ReadError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong.
    pub problem: String,
}

/// Reads the first document of a text. An empty text is `null`.
pub fn read(text: &str) -> Result<ReadDocument, ReadError> {
    let mut values = Values::default();
    let value = walk::document(text, &mut values)?;
    Ok(ReadDocument { value, ignored_merges: values.ignored_merges })
}

/// Builds values.
#[derive(Debug, Default)]
struct Values {
    ignored_merges: Vec<usize>,
}

impl Build for Values {
    type Node = Value;
    type Map = Map;

    fn empty_document(&mut self) -> Value {
        Value::Null
    }

    fn scalar(&mut self, part: Scalar<'_>) -> Result<Value, ReadError> {
        scalar(&part.raw, part.style, part.tag, part.span)
    }

    fn list(&mut self, items: Vec<Value>, _: Span) -> Value {
        Value::List(items)
    }

    fn add(&mut self, map: &mut Map, entry: Entry<Value>) -> Result<(), ReadError> {
        if entry.merges {
            self.ignored_merges.push(entry.line);
        } else {
            map.push(entry.key, entry.value);
        }
        Ok(())
    }

    fn map(&mut self, map: Map, _: Span) -> Value {
        map.into()
    }
}

pub(super) fn scalar(
    text: &str,
    style: ScalarStyle,
    tag: Option<&Tag>,
    span: Span,
) -> Result<Value, ReadError> {
    let tag = tag.filter(|tag| tag.handle() == "tag:yaml.org,2002:").map(Tag::suffix);
    match tag {
        Some("str") => Ok(text.to_owned().into()),
        Some("binary") => {
            let bytes = STANDARD.decode(text.replace(char::is_whitespace, ""));
            let bytes = bytes.map_err(|_| problem(span, "!!binary value contains invalid base64 data"))?;
            Ok(bytes.as_slice().into())
        }
        Some(_) => Ok(resolve(text)),
        None if style == ScalarStyle::Plain => Ok(resolve(text)),
        None => Ok(text.to_owned().into()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::write;
    use super::*;

    fn rewritten(text: &str) -> String {
        read(text).map_or_else(|error| format!("error: {error}"), |document| write(&document.value))
    }

    #[test]
    fn files_are_written_as_the_prometheus_operator_writes_them() {
        for (text, expected) in [
            (
                "- a: yes\n  b: 017\n  c: 1:30\n  y: 2020-01-01\n  h:\n",
                "- a: true\n  b: 15\n  c: \"1:30\"\n  true: \"2020-01-01\"\n  h: null\n",
            ),
            ("- a: 1\n  a: 2\n", "- a: 1\n  a: 2\n"),
            (
                "- !!str 5: !!str yes\n  b: !!int \"7\"\n  c: !!binary aGVsbG8=\n  d: !foo bar\n  e: !!binary /wA=\n",
                "- \"5\": \"yes\"\n  b: 7\n  c: hello\n  d: bar\n  e: !!binary /wA=\n",
            ),
            ("- ? [a, b]\n  : c\n  1: d\n  null: f\n", "- ? - a\n    - b\n  : c\n  1: d\n  null: f\n"),
            ("- a: [1, {b: c}] # why\n  t: {x: [z]}\n", "- a:\n  - 1\n  - b: c\n  t:\n    x:\n    - z\n"),
            ("- a: >\n    folded\n    text\n\n    more\n", "- a: |\n    folded text\n    more\n"),
            ("--- \n- a: b\n---\n- c: d\n", "- a: b\n"),
            ("", "null\n"),
            ("# nothing\n", "null\n"),
        ] {
            assert_eq!(rewritten(text), expected, "{text:?}");
        }
    }

    #[test]
    fn aliases_are_expanded_and_merges_have_no_effect() {
        let text = "- x: &a {p: 1, q: 2}\n  w:\n    <<: *a\n    q: 3\n  z: *a\n";
        let document = read(text).unwrap();
        assert_eq!(
            write(&document.value),
            "- x:\n    p: 1\n    q: 2\n  w:\n    q: 3\n  z:\n    p: 1\n    q: 2\n"
        );
        assert_eq!(document.ignored_merges, [3]);
    }

    #[test]
    fn errors_have_a_line_and_memory_is_limited() {
        assert!(rewritten("a: b\nc: *nope\n").starts_with("error: line 2: "));
        assert!(rewritten("a: !!binary =\n").starts_with("error: line 1: "));
        assert!(rewritten("a: [1\n").starts_with("error: line "));
        let bomb: String = std::iter::once("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned())
            .chain((1..9).map(|at| {
                let before = format!("*a{}", at - 1);
                format!("a{at}: &a{at} [{}]\n", [before.as_str(); 10].join(", "))
            }))
            .collect();
        assert!(rewritten(&bomb).ends_with("aliases expand to too much data"), "{}", rewritten(&bomb));
        assert!(rewritten(&"[".repeat(100_000)).starts_with("error: "));
        // A long value that is repeated, and nested anchors that are not repeated but copied.
        let long = format!("a: &a {}\nb: [{}]\n", "x".repeat(100_000), ["*a"; 1000].join(", "));
        let names: Vec<String> = (0..60).map(|at| format!("&n{at} [")).collect();
        let deep = format!("{}{}x{}\n", names.concat(), "x,".repeat(100_000), "]".repeat(60));
        for bomb in [long, deep] {
            let used = allocation_counter::measure(|| {
                assert!(
                    rewritten(&bomb).ends_with("aliases expand to too much data"),
                    "{}",
                    rewritten(&bomb)
                );
            });
            assert!(used.bytes_max < 256 << 20, "{} bytes", used.bytes_max);
        }
    }
}
