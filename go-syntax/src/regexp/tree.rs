//! The properties of subexpressions that the limits of Go depend on: size, height and repetition.

use super::RegexpFault;

/// The largest height of an expression.
const DEEPEST: usize = 1000;

/// The largest number of instructions of a compiled expression.
const LARGEST: u64 = (128 << 20) / 40;

/// The largest product of nested repetition counts.
const MOST_REPEATED: u64 = 1000;

/// A subexpression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Node {
    kind: Kind,
    size: u64,
    height: usize,
    /// The product of the repetition counts from here to the innermost subexpression.
    repeated: u64,
    /// Its own repetition count.
    times: u64,
    /// It matches the empty string.
    empty: bool,
}

/// What kind of expression it is, if adjacent ones of the same kind are merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Literal,
    Sequence,
    Choice,
    Other,
}

/// How often a subexpression is repeated. Without a maximum, any number of times.
#[derive(Debug, Clone, Copy)]
pub(super) enum Repetition {
    /// `*`.
    Any,
    /// `+`.
    Some,
    /// `?`.
    Optional,
    /// Counts in braces.
    Counted(u64, Option<u64>),
}

impl Node {
    /// A literal character.
    pub(super) const LITERAL: Self = Self { kind: Kind::Literal, ..Self::CHARACTER };

    /// Any other expression for a single character.
    pub(super) const CHARACTER: Self =
        Self { kind: Kind::Other, size: 1, height: 1, repeated: 1, times: 1, empty: false };

    /// An expression that matches no character, only a position.
    pub(super) const EMPTY: Self = Self { empty: true, ..Self::CHARACTER };

    /// A capturing group around it.
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
        // What is repeated zero times does not count, however often it is repeated inside.
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

    /// A sequence or a choice of subexpressions. Those of the same kind are merged into it.
    fn join(kind: Kind, parts: &[Self]) -> Self {
        match parts {
            [] => Self::EMPTY,
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

/// A group that is not closed yet.
#[derive(Debug, Default)]
struct Group {
    captures: bool,
    choices: Vec<Node>,
    sequence: Vec<Node>,
}

/// The groups that are not closed yet, the innermost last, and the counters of the limits.
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
    /// An empty expression.
    pub(super) fn new() -> Self {
        let current = Group::default();
        Self { groups: Vec::new(), current, nodes: 0, repeats: 1, largest: 1, is_size_checked: false }
    }

    /// Appends a subexpression.
    pub(super) fn push(&mut self, node: Node) -> Result<(), RegexpFault> {
        // Adjacent literals are merged, except for the last one, because a repetition can still follow.
        merge_literals(&mut self.current.sequence);
        self.current.sequence.push(node);
        self.nodes += u64::from(node.kind != Kind::Literal || self.current.sequence.len() < 2);
        self.check(node)
    }

    /// Repeats the last subexpression, and returns whether there is one.
    pub(super) fn repeat(&mut self, how: Repetition) -> Result<bool, RegexpFault> {
        let Some(last) = self.current.sequence.last_mut() else { return Ok(false) };
        *last = last.repeat(how);
        let node = *last;
        self.nodes += 1;
        self.check(node)?;
        if let Repetition::Counted(least, most) = how
            && (least >= 2 || most.is_some_and(|most| most >= 2))
            && node.repeated > MOST_REPEATED
        {
            return Err(RegexpFault::RepetitionCount);
        }
        Ok(true)
    }

    /// Starts the next alternative.
    pub(super) fn or(&mut self) -> Result<(), RegexpFault> {
        self.end_sequence()?;
        self.nodes += 1;
        Ok(())
    }

    /// Opens a group.
    pub(super) fn open(&mut self, captures: bool) {
        let outer = std::mem::take(&mut self.current);
        self.groups.push(outer);
        self.current.captures = captures;
        self.nodes += 1;
    }

    /// Closes a group, and returns whether one was open.
    pub(super) fn close(&mut self) -> Result<bool, RegexpFault> {
        let node = self.end()?;
        let Some(outer) = self.groups.pop() else { return Ok(false) };
        let group = std::mem::replace(&mut self.current, outer);
        self.push(if group.captures { node.captured() } else { node })?;
        Ok(true)
    }

    /// Ends the expression, and returns whether it matches the empty string. None if a group is still open.
    pub(super) fn finish(&mut self) -> Result<Option<bool>, RegexpFault> {
        let node = self.end()?;
        Ok(self.groups.is_empty().then_some(node.empty))
    }

    fn end(&mut self) -> Result<Node, RegexpFault> {
        self.end_sequence()?;
        let node = Node::join(Kind::Choice, &self.current.choices);
        self.check(node)?;
        Ok(node)
    }

    fn end_sequence(&mut self) -> Result<(), RegexpFault> {
        merge_literals(&mut self.current.sequence);
        let sequence = Node::join(Kind::Sequence, &self.current.sequence);
        self.current.sequence.clear();
        self.current.choices.push(sequence);
        self.check(sequence)
    }

    /// The size is checked only once the number of subexpressions is large enough to matter. A subexpression that is
    /// alone in its sequence or group is counted more than once, because Go does so, and rejects the same
    /// expressions.
    fn check(&mut self, node: Node) -> Result<(), RegexpFault> {
        self.largest = self.largest.max(node.size);
        if !self.is_size_checked {
            self.repeats = self.repeats.saturating_mul(node.times).min(LARGEST);
            self.is_size_checked = self.nodes >= LARGEST / self.repeats;
        }
        if self.is_size_checked && self.largest > LARGEST {
            return Err(RegexpFault::TooLarge);
        }
        if node.height > DEEPEST {
            return Err(RegexpFault::TooDeep);
        }
        Ok(())
    }
}

/// Merges two literals at the end of a sequence.
fn merge_literals(sequence: &mut Vec<Node>) {
    if let [.., before, last] = sequence.as_mut_slice()
        && before.kind == Kind::Literal
        && last.kind == Kind::Literal
    {
        before.size += last.size;
        sequence.pop();
    }
}
