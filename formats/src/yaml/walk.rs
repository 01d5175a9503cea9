//! The traversal of a document: nesting, anchors, aliases and limits. A builder decides what the values become.

use std::borrow::Cow;
use std::collections::HashMap;
use std::iter::Peekable;

use granit_parser::{Event, Parser, ScalarStyle, Span, StrInput, Tag};

use super::read::ReadError;

/// The limit of memory in bytes that anchors (`&a`), whose values are copied, and aliases (`*a`) can cause.
const MOST: usize = 32 << 20;
/// The approximate size of a value without its text.
const VALUE: usize = 64;
/// How deep values can be nested.
const DEEPEST: usize = 500;

/// Builds a representation of a document.
pub(super) trait Build {
    /// A value.
    type Node: Clone;
    /// A map that is not complete yet.
    type Map: Default;

    /// A text without a document.
    fn empty_document(&mut self) -> Self::Node;
    /// A scalar.
    fn scalar(&mut self, part: Scalar<'_>) -> Result<Self::Node, ReadError>;
    /// A list.
    fn list(&mut self, items: Vec<Self::Node>, span: Span) -> Self::Node;
    /// Adds an entry to a map.
    fn add(&mut self, map: &mut Self::Map, entry: Entry<Self::Node>) -> Result<(), ReadError>;
    /// A complete map.
    fn map(&mut self, map: Self::Map, span: Span) -> Self::Node;
}

/// A scalar as it is written.
#[derive(Debug)]
pub(super) struct Scalar<'s> {
    pub(super) raw: Cow<'s, str>,
    pub(super) style: ScalarStyle,
    pub(super) tag: Option<&'s Tag>,
    pub(super) span: Span,
}

/// An entry of a map.
#[derive(Debug)]
pub(super) struct Entry<N> {
    pub(super) key: N,
    pub(super) value: N,
    /// The line of the key, counted from 1.
    pub(super) line: usize,
    /// The key is `<<`: the entries of the value are merged into the map.
    pub(super) merges: bool,
}

/// The first document of a text.
pub(super) fn document<B: Build>(text: &str, build: &mut B) -> Result<B::Node, ReadError> {
    let events = Parser::new_from_str(text).peekable();
    Walk { events, build, named: HashMap::new(), size: 0, depth: 0 }.document()
}

/// An error at a position.
pub(super) fn problem(span: Span, message: &str) -> ReadError {
    ReadError { line: span.start.line(), problem: message.to_owned() }
}

struct Walk<'a, 'b, B: Build> {
    events: Peekable<Parser<'a, StrInput<'a>>>,
    build: &'b mut B,
    /// Anchors with their values and sizes.
    named: HashMap<usize, (B::Node, usize)>,
    /// The approximate size of all values so far.
    size: usize,
    depth: usize,
}

impl<'a, B: Build> Walk<'a, '_, B> {
    fn document(mut self) -> Result<B::Node, ReadError> {
        loop {
            match self.next()? {
                (Event::StreamStart | Event::DocumentStart(..), _) => {}
                (Event::StreamEnd | Event::DocumentEnd, _) => return Ok(self.build.empty_document()),
                (event, span) => return self.node(event, span),
            }
        }
    }

    /// The next event that is not a comment.
    fn next(&mut self) -> Result<(Event<'a>, Span), ReadError> {
        loop {
            match self.events.next() {
                Some(Ok((event, span))) if is_content(&event) => return Ok((event, span)),
                Some(Ok(_)) => {}
                Some(Err(error)) => {
                    return Err(ReadError { line: error.marker().line(), problem: error.info().clone() });
                }
                None => return Ok((Event::StreamEnd, Span::default())),
            }
        }
    }

    fn node(&mut self, event: Event<'a>, span: Span) -> Result<B::Node, ReadError> {
        let before = self.size;
        self.size += VALUE;
        let (node, name) = if let Event::Scalar(raw, style, name, tag) = event {
            self.size += raw.len();
            (self.build.scalar(Scalar { raw, style, tag: tag.as_deref(), span })?, name)
        } else if let Event::SequenceStart(_, name, _) = event {
            (self.list(span)?, name)
        } else if let Event::MappingStart(_, name, _) = event {
            (self.map(span)?, name)
        } else if let Event::Alias(name) = event {
            return self.alias(name, span);
        } else {
            return Err(problem(span, "the document ends unexpectedly"));
        };
        if name > 0 {
            let size = self.size - before;
            self.grow(size, span)?;
            self.named.insert(name, (node.clone(), size));
        }
        Ok(node)
    }

    /// A copy of the value of an anchor.
    fn alias(&mut self, name: usize, span: Span) -> Result<B::Node, ReadError> {
        let Some(size) = self.named.get(&name).map(|(_, size)| *size) else {
            return Err(problem(span, "an anchor contains itself"));
        };
        self.grow(size, span)?;
        Ok(self.named[&name].0.clone())
    }

    /// Accounts for a copy before it is made.
    fn grow(&mut self, size: usize, span: Span) -> Result<(), ReadError> {
        self.size = self.size.saturating_add(size);
        if self.size > MOST { Err(problem(span, "aliases expand to too much data")) } else { Ok(()) }
    }

    fn list(&mut self, span: Span) -> Result<B::Node, ReadError> {
        self.enter(span)?;
        let mut items = Vec::new();
        loop {
            let (event, place) = self.next()?;
            if matches!(event, Event::SequenceEnd) {
                self.depth -= 1;
                return Ok(self.build.list(items, span));
            }
            items.push(self.node(event, place)?);
        }
    }

    fn map(&mut self, span: Span) -> Result<B::Node, ReadError> {
        self.enter(span)?;
        let mut map = B::Map::default();
        loop {
            let (event, place) = self.next()?;
            if matches!(event, Event::MappingEnd) {
                self.depth -= 1;
                return Ok(self.build.map(map, span));
            }
            let merges = matches!(&event, Event::Scalar(text, ScalarStyle::Plain, ..) if text == "<<");
            let key = self.node(event, place)?;
            let (event, place_of_value) = self.next()?;
            let value = self.node(event, place_of_value)?;
            self.build.add(&mut map, Entry { key, value, line: place.start.line(), merges })?;
        }
    }

    fn enter(&mut self, span: Span) -> Result<(), ReadError> {
        self.depth += 1;
        if self.depth > DEEPEST { Err(problem(span, "values are nested too deeply")) } else { Ok(()) }
    }
}

fn is_content(event: &Event<'_>) -> bool {
    let begins = matches!(event, Event::StreamStart | Event::DocumentStart(..));
    let ends =
        matches!(event, Event::StreamEnd | Event::DocumentEnd | Event::SequenceEnd | Event::MappingEnd);
    begins || ends || event.is_node()
}
