//! A document as its writer wrote it: scalars with their words, everything with its line. This is what typed reading
//! starts from, because a field that holds a text takes the words as they are (`0123`, `yes`), whatever they could mean.

use std::collections::HashMap;
use std::iter::Peekable;

use granit_parser::{Event, Parser, ScalarStyle, Span, StrInput};

use super::read::{DEEPEST, MOST, ReadError, problem, says_something, scalar};
use super::value::Value;

/// A value with the line where it begins, counted from 1.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) line: usize,
    pub(super) kind: Kind,
}

/// What a value is.
#[derive(Debug, Clone)]
pub(super) enum Kind {
    /// Words, and what they mean where no text is asked for.
    Scalar {
        words: String,
        meaning: Value,
    },
    List(Vec<Node>),
    Map(Vec<Entry>),
}

/// A key with its value.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) key: Node,
    pub(super) value: Node,
    /// It came by a merge (`<<`), so that a key of the map itself may replace it.
    merged: bool,
}

impl Node {
    pub(super) fn is_null(&self) -> bool {
        matches!(self.kind, Kind::Scalar { meaning: Value::Null, .. })
    }

    /// The words of a key.
    fn words(&self) -> Option<&str> {
        match &self.kind {
            Kind::Scalar { words, .. } => Some(words),
            Kind::List(_) | Kind::Map(_) => None,
        }
    }
}

/// Reads the first document of a text. A key that comes twice is an error, and merges have their effect.
pub(super) fn read(text: &str) -> Result<Node, ReadError> {
    let mut reader =
        Reader { events: Parser::new_from_str(text).peekable(), named: HashMap::new(), count: 0, depth: 0 };
    reader.document()
}

struct Reader<'a> {
    events: Peekable<Parser<'a, StrInput<'a>>>,
    /// What has a name, with how many values it is.
    named: HashMap<usize, (Node, usize)>,
    count: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn document(&mut self) -> Result<Node, ReadError> {
        loop {
            match self.next()? {
                (Event::StreamStart | Event::DocumentStart(..), _) => {}
                (Event::StreamEnd | Event::DocumentEnd, _) => {
                    let kind = Kind::Scalar { words: String::new(), meaning: Value::Null };
                    return Ok(Node { line: 1, kind });
                }
                (event, span) => return self.node(event, span),
            }
        }
    }

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

    fn node(&mut self, event: Event<'a>, span: Span) -> Result<Node, ReadError> {
        let before = self.count;
        self.count += 1;
        let (kind, name) = if let Event::Scalar(words, style, name, tag) = event {
            let meaning = scalar(&words, style, tag.as_deref(), span)?;
            // Words in base64 are read as what they encode.
            let is_binary = tag.as_deref().is_some_and(|tag| tag.suffix() == "binary");
            let words = if let (true, Value::Text(text)) = (is_binary, &meaning) {
                text.clone().into_owned()
            } else {
                words.into_owned()
            };
            (Kind::Scalar { words, meaning }, name)
        } else if let Event::SequenceStart(_, name, _) = event {
            (self.list(span)?, name)
        } else if let Event::MappingStart(_, name, _) = event {
            (self.map(span)?, name)
        } else if let Event::Alias(name) = event {
            return self.again(name, span);
        } else {
            return Err(problem(span, "the text ends too early"));
        };
        let node = Node { line: span.start.line(), kind };
        if name > 0 {
            self.named.insert(name, (node.clone(), self.count - before));
        }
        Ok(node)
    }

    /// What has this name, once more.
    fn again(&mut self, name: usize, span: Span) -> Result<Node, ReadError> {
        let Some((node, size)) = self.named.get(&name) else {
            return Err(problem(span, "an anchor contains itself"));
        };
        self.count += size;
        if self.count > MOST {
            return Err(problem(span, "aliases repeat too much"));
        }
        Ok(node.clone())
    }

    fn list(&mut self, span: Span) -> Result<Kind, ReadError> {
        self.deeper(span)?;
        let mut list = Vec::new();
        loop {
            let (event, span) = self.next()?;
            if matches!(event, Event::SequenceEnd) {
                self.depth -= 1;
                return Ok(Kind::List(list));
            }
            list.push(self.node(event, span)?);
        }
    }

    fn map(&mut self, span: Span) -> Result<Kind, ReadError> {
        self.deeper(span)?;
        let mut entries = Vec::new();
        loop {
            let (event, span) = self.next()?;
            if matches!(event, Event::MappingEnd) {
                self.depth -= 1;
                return Ok(Kind::Map(entries));
            }
            let merges = matches!(&event, Event::Scalar(text, ScalarStyle::Plain, ..) if text == "<<");
            let key = self.node(event, span)?;
            let (event, value_span) = self.next()?;
            let value = self.node(event, value_span)?;
            if merges {
                merge(&mut entries, value)?;
            } else {
                add(&mut entries, Entry { key, value, merged: false })?;
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

/// Adds what a merge brings: the entries of a map, or of several, of which the first ones win.
fn merge(entries: &mut Vec<Entry>, value: Node) -> Result<(), ReadError> {
    match value.kind {
        Kind::Map(more) => {
            for entry in more {
                add(entries, Entry { merged: true, ..entry })?;
            }
            Ok(())
        }
        Kind::List(maps) if maps.iter().all(|map| matches!(map.kind, Kind::Map(_))) => {
            maps.into_iter().rev().try_for_each(|map| merge(entries, map))
        }
        Kind::Scalar { .. } | Kind::List(_) => Err(ReadError {
            line: value.line,
            problem: "map merge requires map or sequence of maps as the value".into(),
        }),
    }
}

fn add(entries: &mut Vec<Entry>, entry: Entry) -> Result<(), ReadError> {
    let same = |other: &&mut Entry| entry.key.words().is_some() && other.key.words() == entry.key.words();
    match entries.iter_mut().find(same) {
        None => entries.push(entry),
        Some(other) if other.merged || entry.merged => *other = entry,
        Some(other) => {
            let key = other.key.words().unwrap_or_default();
            return Err(ReadError { line: entry.key.line, problem: format!("field {key} already set") });
        }
    }
    Ok(())
}
