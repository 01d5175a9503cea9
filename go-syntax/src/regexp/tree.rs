//! As much of the structure of an expression as the limits need: how large it is, how deep, and how often things repeat.

use super::Fault;

/// How deep an expression may be.
const DEEPEST: usize = 1000;

/// How many instructions an expression may become.
const LARGEST: u64 = (128 << 20) / 40;

/// How often the innermost part may be repeated.
const MOST_REPEATED: u64 = 1000;

/// A part of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Node {
    kind: Kind,
    size: u64,
    height: usize,
    /// How often its innermost part is repeated.
    repeated: u64,
    /// How often it is repeated itself, if numbers say so.
    times: u64,
    /// It matches the empty text.
    empty: bool,
}

/// What a part is, as far as parts of the same kind become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Literal,
    Row,
    Choice,
    Other,
}

/// How often something is repeated; without a maximum, any number of times.
#[derive(Debug, Clone, Copy)]
pub(super) enum Repetition {
    /// `*`.
    Any,
    /// `+`.
    Some,
    /// `?`.
    Optional,
    /// With numbers in braces.
    Counted(u64, Option<u64>),
}

impl Node {
    /// A letter that stands for itself.
    pub(super) const LITERAL: Self = Self { kind: Kind::Literal, ..Self::LETTER };

    /// Anything else that stands for one letter.
    pub(super) const LETTER: Self =
        Self { kind: Kind::Other, size: 1, height: 1, repeated: 1, times: 1, empty: false };

    /// What stands for no letter.
    pub(super) const NOTHING: Self = Self { empty: true, ..Self::LETTER };

    /// A group that remembers what it matched.
    fn captured(self) -> Self {
        Self { kind: Kind::Other, size: self.size + 2, height: self.height + 1, times: 1, ..self }
    }

    /// A repetition of it.
    fn repeat(self, how: Repetition) -> Self {
        let (size, factor, least) = match how {
            Repetition::Any | Repetition::Counted(0, None) => (self.size + 2, 1, 0),
            Repetition::Some => (self.size + 1, 1, 1),
            Repetition::Optional => (self.size + 1, 1, 0),
            Repetition::Counted(least, None) => (1 + least * self.size, least, least),
            Repetition::Counted(least, Some(most)) => (most * self.size + (most - least), most, least),
        };
        // What is repeated no times is not there, however often it is repeated within.
        let repeated = if factor == 0 { 1 } else { factor.saturating_mul(self.repeated) };
        Self {
            kind: Kind::Other,
            size: size.max(1),
            height: self.height + 1,
            repeated,
            times: factor.max(1),
            empty: self.empty || least == 0,
        }
    }

    /// Parts together: those of the same kind become one.
    fn join(kind: Kind, parts: &[Self]) -> Self {
        match parts {
            [] => Self::NOTHING,
            [one] => *one,
            many => {
                let between = if kind == Kind::Choice { many.len() as u64 - 1 } else { 0 };
                let height = |part: &Self| if part.kind == kind { part.height } else { part.height + 1 };
                Self {
                    kind,
                    size: many.iter().map(|part| part.size).sum::<u64>() + between,
                    height: many.iter().map(height).max().unwrap_or(1),
                    repeated: many.iter().map(|part| part.repeated).max().unwrap_or(1),
                    times: 1,
                    empty: if kind == Kind::Choice {
                        many.iter().any(|part| part.empty)
                    } else {
                        many.iter().all(|part| part.empty)
                    },
                }
            }
        }
    }
}

/// A group that has not ended yet.
#[derive(Debug, Default)]
struct Group {
    captures: bool,
    choices: Vec<Node>,
    row: Vec<Node>,
}

/// Groups that have not ended yet, the innermost last, and what the limits count.
#[derive(Debug)]
pub(super) struct Tree {
    groups: Vec<Group>,
    current: Group,
    nodes: u64,
    repeats: u64,
    largest: u64,
    is_size_checked: bool,
}

impl Tree {
    /// Nothing yet.
    pub(super) fn new() -> Self {
        let current = Group::default();
        Self { groups: Vec::new(), current, nodes: 0, repeats: 1, largest: 1, is_size_checked: false }
    }

    /// Adds a part.
    pub(super) fn push(&mut self, node: Node) -> Result<(), Fault> {
        // Characters in a row become one part, but for the last: it may be repeated yet.
        merge_literals(&mut self.current.row);
        self.current.row.push(node);
        self.nodes += u64::from(node.kind != Kind::Literal || self.current.row.len() < 2);
        self.check(node)
    }

    /// Repeats the last part; whether there is one.
    pub(super) fn repeat(&mut self, how: Repetition) -> Result<bool, Fault> {
        let Some(last) = self.current.row.last_mut() else { return Ok(false) };
        *last = last.repeat(how);
        let node = *last;
        self.nodes += 1;
        self.check(node)?;
        if let Repetition::Counted(least, most) = how
            && (least >= 2 || most.is_some_and(|most| most >= 2))
            && node.repeated > MOST_REPEATED
        {
            return Err(Fault::RepetitionCount);
        }
        Ok(true)
    }

    /// Begins another choice.
    pub(super) fn or(&mut self) -> Result<(), Fault> {
        self.end_row()?;
        self.nodes += 1;
        Ok(())
    }

    /// Begins a group.
    pub(super) fn open(&mut self, captures: bool) {
        let outer = std::mem::take(&mut self.current);
        self.groups.push(outer);
        self.current.captures = captures;
        self.nodes += 1;
    }

    /// Ends a group; whether there was one.
    pub(super) fn close(&mut self) -> Result<bool, Fault> {
        let node = self.end()?;
        let Some(outer) = self.groups.pop() else { return Ok(false) };
        let group = std::mem::replace(&mut self.current, outer);
        self.push(if group.captures { node.captured() } else { node })?;
        Ok(true)
    }

    /// Ends the expression; whether it matches the empty text, unless a group has not ended.
    pub(super) fn finish(&mut self) -> Result<Option<bool>, Fault> {
        let node = self.end()?;
        Ok(self.groups.is_empty().then_some(node.empty))
    }

    fn end(&mut self) -> Result<Node, Fault> {
        self.end_row()?;
        let node = Node::join(Kind::Choice, &self.current.choices);
        self.check(node)?;
        Ok(node)
    }

    fn end_row(&mut self) -> Result<(), Fault> {
        merge_literals(&mut self.current.row);
        let row = Node::join(Kind::Row, &self.current.row);
        self.current.row.clear();
        self.current.choices.push(row);
        self.check(row)
    }

    /// The size is not looked at before there are so many parts that it could matter. A part that comes here more than
    /// once, because it is alone in its row or its group, counts more than once: Go does so, and refuses accordingly.
    fn check(&mut self, node: Node) -> Result<(), Fault> {
        self.largest = self.largest.max(node.size);
        if !self.is_size_checked {
            self.repeats = self.repeats.saturating_mul(node.times).min(LARGEST);
            self.is_size_checked = self.nodes >= LARGEST / self.repeats;
        }
        if self.is_size_checked && self.largest > LARGEST {
            return Err(Fault::TooLarge);
        }
        if node.height > DEEPEST {
            return Err(Fault::TooDeep);
        }
        Ok(())
    }
}

/// Makes one part of two characters at the end of a row.
fn merge_literals(row: &mut Vec<Node>) {
    if let [.., before, last] = row.as_mut_slice()
        && before.kind == Kind::Literal
        && last.kind == Kind::Literal
    {
        before.size += last.size;
        row.pop();
    }
}
