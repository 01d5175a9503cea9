//! The way through a text: what is inside of what, names that stand for values, and limits. What the values become is up to
//! whoever builds them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::iter::Peekable;

use granit_parser::{Event, Parser, ScalarStyle, Span, StrInput, Tag};

use super::read::ReadError;

/// How many bytes a text may grow to by names (`&a`), whose values are kept, and by repeating them (`*a`).
const MOST: usize = 32 << 20;
/// About how many bytes a value takes beside its words.
const VALUE: usize = 64;
/// How deep values may be inside of each other.
const DEEPEST: usize = 500;

/// Makes something of what is found.
pub(super) trait Build {
    /// A value.
    type Node: Clone;
    /// A map that is not yet complete.
    type Map: Default;

    /// A text without a document.
    fn nothing(&mut self) -> Self::Node;
    /// A value in one piece.
    fn scalar(&mut self, part: Scalar<'_>) -> Result<Self::Node, ReadError>;
    /// A list.
    fn list(&mut self, items: Vec<Self::Node>, span: Span) -> Self::Node;
    /// One more entry of a map.
    fn add(&mut self, map: &mut Self::Map, entry: Entry<Self::Node>) -> Result<(), ReadError>;
    /// A map that is complete.
    fn map(&mut self, map: Self::Map, span: Span) -> Self::Node;
}

/// A value in one piece, as it was written.
#[derive(Debug)]
pub(super) struct Scalar<'s> {
    pub(super) words: Cow<'s, str>,
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
    /// The key is `<<`: the value holds entries, it is none.
    pub(super) merges: bool,
}

/// The first document of a text.
pub(super) fn document<B: Build>(text: &str, build: &mut B) -> Result<B::Node, ReadError> {
    let events = Parser::new_from_str(text).peekable();
    Walk { events, build, named: HashMap::new(), size: 0, depth: 0 }.document()
}

/// What is wrong at a place.
pub(super) fn problem(span: Span, words: &str) -> ReadError {
    ReadError { line: span.start.line(), problem: words.to_owned() }
}

struct Walk<'a, 'b, B: Build> {
    events: Peekable<Parser<'a, StrInput<'a>>>,
    build: &'b mut B,
    /// What has a name, with its size.
    named: HashMap<usize, (B::Node, usize)>,
    /// About how many bytes everything takes so far.
    size: usize,
    depth: usize,
}

impl<'a, B: Build> Walk<'a, '_, B> {
    fn document(mut self) -> Result<B::Node, ReadError> {
        loop {
            match self.next()? {
                (Event::StreamStart | Event::DocumentStart(..), _) => {}
                (Event::StreamEnd | Event::DocumentEnd, _) => return Ok(self.build.nothing()),
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

    fn node(&mut self, event: Event<'a>, span: Span) -> Result<B::Node, ReadError> {
        let before = self.size;
        self.size += VALUE;
        let (node, name) = if let Event::Scalar(words, style, name, tag) = event {
            self.size += words.len();
            (self.build.scalar(Scalar { words, style, tag: tag.as_deref(), span })?, name)
        } else if let Event::SequenceStart(_, name, _) = event {
            (self.list(span)?, name)
        } else if let Event::MappingStart(_, name, _) = event {
            (self.map(span)?, name)
        } else if let Event::Alias(name) = event {
            return self.again(name, span);
        } else {
            return Err(problem(span, "the text ends too early"));
        };
        if name > 0 {
            let size = self.size - before;
            self.grow(size, span)?;
            self.named.insert(name, (node.clone(), size));
        }
        Ok(node)
    }

    /// What has this name, once more.
    fn again(&mut self, name: usize, span: Span) -> Result<B::Node, ReadError> {
        let Some(size) = self.named.get(&name).map(|(_, size)| *size) else {
            return Err(problem(span, "an anchor contains itself"));
        };
        self.grow(size, span)?;
        Ok(self.named[&name].0.clone())
    }

    /// Takes note of a copy before it is made.
    fn grow(&mut self, size: usize, span: Span) -> Result<(), ReadError> {
        self.size = self.size.saturating_add(size);
        if self.size > MOST { Err(problem(span, "aliases repeat too much")) } else { Ok(()) }
    }

    fn list(&mut self, span: Span) -> Result<B::Node, ReadError> {
        self.deeper(span)?;
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
        self.deeper(span)?;
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

    fn deeper(&mut self, span: Span) -> Result<(), ReadError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            Err(problem(span, "values are too deep inside of each other"))
        } else {
            Ok(())
        }
    }
}

fn says_something(event: &Event<'_>) -> bool {
    let begins = matches!(event, Event::StreamStart | Event::DocumentStart(..));
    let ends =
        matches!(event, Event::StreamEnd | Event::DocumentEnd | Event::SequenceEnd | Event::MappingEnd);
    begins || ends || event.is_node()
}
