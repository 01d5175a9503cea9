//! A document with raw scalars and line numbers. Typed reading needs these, because a field of type string takes a
//! scalar literally (`0123`, `yes`), whatever a YAML reader would resolve it to.

use std::collections::HashMap;

use granit_parser::Span;

use super::read::{ReadError, scalar};
use super::value::Value;
use super::walk::{self, Build, Scalar};

/// A value and the line of its start, counted from 1.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) line: usize,
    pub(super) kind: Kind,
}

/// The kinds of values.
#[derive(Debug, Clone)]
pub(super) enum Kind {
    /// The scalar as it is written, and the value that it resolves to.
    Scalar {
        raw: String,
        resolved: Value,
    },
    List(Vec<Node>),
    Map(Vec<Entry>),
}

/// A key with its value.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) key: Node,
    pub(super) value: Node,
    /// It is from a merge (`<<`). A key of the map itself replaces it.
    merged: bool,
}

impl Node {
    pub(super) fn is_null(&self) -> bool {
        matches!(self.kind, Kind::Scalar { resolved: Value::Null, .. })
    }

    /// The raw scalar of a key.
    fn raw(&self) -> Option<&str> {
        match &self.kind {
            Kind::Scalar { raw, .. } => Some(raw),
            Kind::List(_) | Kind::Map(_) => None,
        }
    }
}

/// Reads the first document of a text. Duplicate keys are an error, and merges are applied.
pub(super) fn read(text: &str) -> Result<Node, ReadError> {
    walk::document(text, &mut Nodes)
}

/// Builds nodes.
struct Nodes;

impl Build for Nodes {
    type Node = Node;
    type Map = Entries;

    fn empty_document(&mut self) -> Node {
        Node { line: 1, kind: Kind::Scalar { raw: String::new(), resolved: Value::Null } }
    }

    fn scalar(&mut self, part: Scalar<'_>) -> Result<Node, ReadError> {
        let resolved = scalar(&part.raw, part.style, part.tag, part.span)?;
        // A base64 value is read as the bytes that it encodes.
        let is_binary = part.tag.is_some_and(|tag| tag.suffix() == "binary");
        let raw = if let (true, Value::Text(text)) = (is_binary, &resolved) {
            text.clone().into_owned()
        } else {
            part.raw.into_owned()
        };
        Ok(Node { line: part.span.start.line(), kind: Kind::Scalar { raw, resolved } })
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

/// The entries of a map that is not complete yet.
#[derive(Debug, Default)]
struct Entries {
    list: Vec<Entry>,
    /// The index of each entry by its key. Users' files can have large maps.
    places: HashMap<String, usize>,
}

impl Entries {
    /// Adds the entries of a merge: of a map, or of several maps, of which the first ones take precedence.
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
        let Some(raw) = entry.key.raw() else {
            self.list.push(entry);
            return Ok(());
        };
        match self.places.get(raw).map(|place| &mut self.list[*place]) {
            None => {
                self.places.insert(raw.to_owned(), self.list.len());
                self.list.push(entry);
            }
            Some(other) if other.merged || entry.merged => *other = entry,
            Some(_) => {
                let problem = format!("field {raw} already set");
                return Err(ReadError { line: entry.key.line, problem });
            }
        }
        Ok(())
    }
}
