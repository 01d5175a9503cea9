//! The reader of users' own YAML, by the rules of the program that they come from: YAML 1.1, as version 2 of the Go
//! library `yaml` reads it. The order of keys is kept, and keys that come twice are both kept.

use std::collections::HashMap;
use std::iter::Peekable;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use granit_parser::{Event, Parser, ScalarStyle, Span, StrInput, Tag};

use super::resolve::resolve;
use super::value::{Map, Value};

/// A document that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// What it says.
    pub value: Value,
    /// The lines of merge keys (`<<`). They have no effect where order is kept: nothing of them is in the value.
    pub ignored_merges: Vec<usize>,
}

/// Why a text cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct ReadError {
    /// Where, counted from 1.
    pub line: usize,
    /// What is wrong.
    pub problem: String,
}

/// How many values a text may grow to by repeating what has a name (`*a`).
pub(super) const MOST: usize = 1_000_000;
/// How deep values may be inside of each other.
pub(super) const DEEPEST: usize = 500;

/// Reads the first document of a text; nothing at all is `null`.
pub fn read(text: &str) -> Result<Document, ReadError> {
    let mut reader = Reader {
        events: Parser::new_from_str(text).peekable(),
        named: HashMap::new(),
        ignored_merges: Vec::new(),
        count: 0,
        depth: 0,
    };
    let value = reader.document()?;
    Ok(Document { value, ignored_merges: reader.ignored_merges })
}

struct Reader<'a> {
    events: Peekable<Parser<'a, StrInput<'a>>>,
    /// What has a name, with how many values it is.
    named: HashMap<usize, (Value, usize)>,
    ignored_merges: Vec<usize>,
    count: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn document(&mut self) -> Result<Value, ReadError> {
        loop {
            match self.next()? {
                (Event::StreamStart | Event::DocumentStart(..), _) => {}
                (Event::StreamEnd | Event::DocumentEnd, _) => return Ok(Value::Null),
                (event, span) => return self.node(event, span),
            }
        }
    }

    /// The next event that says something: no comment.
    fn next(&mut self) -> Result<(Event<'a>, Span), ReadError> {
        loop {
            match self.events.next() {
                Some(Ok((event, span))) if says_something(&event) => return Ok((event, span)),
                Some(Ok(_)) => {}
                Some(Err(error)) => {
                    return Err(ReadError { line: error.marker().line(), problem: error.info().clone() });
                }
                None => return Ok((Event::StreamEnd, Span::default())),
            }
        }
    }

    fn node(&mut self, event: Event<'a>, span: Span) -> Result<Value, ReadError> {
        let before = self.count;
        self.count += 1;
        let (value, name) = if let Event::Scalar(text, style, name, tag) = event {
            (scalar(&text, style, tag.as_deref(), span)?, name)
        } else if let Event::SequenceStart(_, name, _) = event {
            (self.list(span)?, name)
        } else if let Event::MappingStart(_, name, _) = event {
            (self.map(span)?, name)
        } else if let Event::Alias(name) = event {
            (self.again(name, span)?, 0)
        } else {
            return Err(problem(span, "the text ends too early"));
        };
        if name > 0 {
            self.named.insert(name, (value.clone(), self.count - before));
        }
        Ok(value)
    }

    /// What has this name, once more.
    fn again(&mut self, name: usize, span: Span) -> Result<Value, ReadError> {
        let Some((value, size)) = self.named.get(&name) else {
            return Err(problem(span, "an anchor contains itself"));
        };
        self.count += size;
        if self.count > MOST {
            return Err(problem(span, "aliases repeat too much"));
        }
        Ok(value.clone())
    }

    fn list(&mut self, span: Span) -> Result<Value, ReadError> {
        self.deeper(span)?;
        let mut list = Vec::new();
        loop {
            let (event, span) = self.next()?;
            if matches!(event, Event::SequenceEnd) {
                self.depth -= 1;
                return Ok(Value::List(list));
            }
            list.push(self.node(event, span)?);
        }
    }

    fn map(&mut self, span: Span) -> Result<Value, ReadError> {
        self.deeper(span)?;
        let mut map = Map::new();
        loop {
            let (event, span) = self.next()?;
            if matches!(event, Event::MappingEnd) {
                self.depth -= 1;
                return Ok(map.into());
            }
            let merges = matches!(&event, Event::Scalar(text, ScalarStyle::Plain, ..) if text == "<<");
            let line = span.start.line();
            let key = self.node(event, span)?;
            let (event, span) = self.next()?;
            let value = self.node(event, span)?;
            if merges {
                self.ignored_merges.push(line);
            } else {
                map.push(key, value);
            }
        }
    }

    fn deeper(&mut self, span: Span) -> Result<(), ReadError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            Err(problem(span, "values are too deep inside of each other"))
        } else {
            Ok(())
        }
    }
}

pub(super) fn says_something(event: &Event<'_>) -> bool {
    let begins = matches!(event, Event::StreamStart | Event::DocumentStart(..));
    let ends =
        matches!(event, Event::StreamEnd | Event::DocumentEnd | Event::SequenceEnd | Event::MappingEnd);
    begins || ends || event.is_node()
}

pub(super) fn problem(span: Span, words: &str) -> ReadError {
    ReadError { line: span.start.line(), problem: words.to_owned() }
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
            let decoded = bytes.ok().and_then(|bytes| String::from_utf8(bytes).ok());
            decoded.map(Value::from).ok_or_else(|| problem(span, "!!binary holds no text in base64"))
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

    fn again(text: &str) -> String {
        read(text).map_or_else(|error| format!("error: {error}"), |document| write(&document.value))
    }

    #[test]
    fn what_users_write_comes_out_as_the_peer_writes_it() {
        for (text, expected) in [
            (
                "- a: yes\n  b: 017\n  c: 1:30\n  y: 2020-01-01\n  h:\n",
                "- a: true\n  b: 15\n  c: \"1:30\"\n  true: \"2020-01-01\"\n  h: null\n",
            ),
            ("- a: 1\n  a: 2\n", "- a: 1\n  a: 2\n"),
            (
                "- !!str 5: !!str yes\n  b: !!int \"7\"\n  c: !!binary aGVsbG8=\n  d: !foo bar\n",
                "- \"5\": \"yes\"\n  b: 7\n  c: hello\n  d: bar\n",
            ),
            ("- ? [a, b]\n  : c\n  1: d\n  null: f\n", "- ? - a\n    - b\n  : c\n  1: d\n  null: f\n"),
            ("- a: [1, {b: c}] # why\n  t: {x: [z]}\n", "- a:\n  - 1\n  - b: c\n  t:\n    x:\n    - z\n"),
            ("- a: >\n    folded\n    text\n\n    more\n", "- a: |\n    folded text\n    more\n"),
            ("--- \n- a: b\n---\n- c: d\n", "- a: b\n"),
            ("", "null\n"),
            ("# nothing\n", "null\n"),
        ] {
            assert_eq!(again(text), expected, "{text:?}");
        }
    }

    #[test]
    fn names_are_repeated_and_merges_have_no_effect() {
        let text = "- x: &a {p: 1, q: 2}\n  w:\n    <<: *a\n    q: 3\n  z: *a\n";
        let document = read(text).unwrap();
        assert_eq!(
            write(&document.value),
            "- x:\n    p: 1\n    q: 2\n  w:\n    q: 3\n  z:\n    p: 1\n    q: 2\n"
        );
        assert_eq!(document.ignored_merges, [3]);
    }

    #[test]
    fn what_cannot_be_read_is_told_with_its_line() {
        assert!(again("a: b\nc: *nope\n").starts_with("error: line 2: "));
        assert!(again("a: [1\n").starts_with("error: line "));
        let bomb: String = std::iter::once("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned())
            .chain((1..9).map(|at| {
                let before = format!("*a{}", at - 1);
                format!("a{at}: &a{at} [{}]\n", [before.as_str(); 10].join(", "))
            }))
            .collect();
        assert!(again(&bomb).ends_with("aliases repeat too much"), "{}", again(&bomb));
        assert!(again(&"[".repeat(100_000)).starts_with("error: "));
    }
}
