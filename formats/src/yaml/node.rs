//! A document as its writer wrote it: scalars with their words, everything with its line. This is what typed reading
//! starts from, because a field that holds a text takes the words as they are (`0123`, `yes`), whatever they could mean.

use std::collections::HashMap;

use granit_parser::Span;

use super::read::{ReadError, scalar};
use super::value::Value;
use super::walk::{self, Build, Scalar};

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
    walk::document(text, &mut Nodes)
}

/// Makes nodes.
struct Nodes;

impl Build for Nodes {
    type Node = Node;
    type Map = Entries;

    fn nothing(&mut self) -> Node {
        Node { line: 1, kind: Kind::Scalar { words: String::new(), meaning: Value::Null } }
    }

    fn scalar(&mut self, part: Scalar<'_>) -> Result<Node, ReadError> {
        let meaning = scalar(&part.words, part.style, part.tag, part.span)?;
        // Words in base64 are read as what they encode.
        let is_binary = part.tag.is_some_and(|tag| tag.suffix() == "binary");
        let words = if let (true, Value::Text(text)) = (is_binary, &meaning) {
            text.clone().into_owned()
        } else {
            part.words.into_owned()
        };
        Ok(Node { line: part.span.start.line(), kind: Kind::Scalar { words, meaning } })
    }

    fn list(&mut self, items: Vec<Node>, span: Span) -> Node {
        Node { line: span.start.line(), kind: Kind::List(items) }
    }

    fn add(&mut self, map: &mut Entries, entry: walk::Entry<Node>) -> Result<(), ReadError> {
        let walk::Entry { key, value, merges, .. } = entry;
        if merges { map.merge(value) } else { map.add(Entry { key, value, merged: false }) }
    }

    fn map(&mut self, map: Entries, span: Span) -> Node {
        Node { line: span.start.line(), kind: Kind::Map(map.list) }
    }
}

/// The entries of a map that is not yet complete.
#[derive(Debug, Default)]
struct Entries {
    list: Vec<Entry>,
    /// Where the entries are, by the words of their keys: files of users have maps of any size.
    places: HashMap<String, usize>,
}

impl Entries {
    /// Adds what a merge brings: the entries of a map, or of several, of which the first ones win.
    fn merge(&mut self, value: Node) -> Result<(), ReadError> {
        match value.kind {
            Kind::Map(more) => {
                for entry in more {
                    self.add(Entry { merged: true, ..entry })?;
                }
                Ok(())
            }
            Kind::List(maps) if maps.iter().all(|map| matches!(map.kind, Kind::Map(_))) => {
                maps.into_iter().rev().try_for_each(|map| self.merge(map))
            }
            Kind::Scalar { .. } | Kind::List(_) => Err(ReadError {
                line: value.line,
                problem: "map merge requires map or sequence of maps as the value".into(),
            }),
        }
    }

    fn add(&mut self, entry: Entry) -> Result<(), ReadError> {
        let Some(words) = entry.key.words() else {
            self.list.push(entry);
            return Ok(());
        };
        match self.places.get(words).map(|place| &mut self.list[*place]) {
            None => {
                self.places.insert(words.to_owned(), self.list.len());
                self.list.push(entry);
            }
            Some(other) if other.merged || entry.merged => *other = entry,
            Some(_) => {
                let problem = format!("field {words} already set");
                return Err(ReadError { line: entry.key.line, problem });
            }
        }
        Ok(())
    }
}
