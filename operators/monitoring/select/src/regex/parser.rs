//! The walk over the text of an expression.

use super::tree::{Node, Repetition, Tree};
use super::{Fault, Invalid, class, unicode};

/// Walks over an expression.
#[derive(Debug)]
pub(super) struct Parser<'p> {
    whole: &'p str,
    rest: &'p str,
    tree: Tree,
    /// Where the repetition begins that ended just before, if there is one.
    last_repetition: Option<&'p str>,
}

impl<'p> Parser<'p> {
    /// Begins.
    pub(super) fn new(whole: &'p str) -> Self {
        Self { whole, rest: whole, tree: Tree::new(), last_repetition: None }
    }

    /// Walks to the end.
    pub(super) fn run(mut self) -> Result<(), Invalid> {
        while let Some(first) = self.rest.chars().next() {
            let last_repetition = self.last_repetition.take();
            match first {
                '(' if self.rest.starts_with("(?") => self.special_group()?,
                '(' => {
                    self.tree.open(true);
                    self.skip(1);
                }
                '|' => {
                    self.tree.or().map_err(|fault| fault.at(self.whole))?;
                    self.skip(1);
                }
                ')' => {
                    if !self.tree.close().map_err(|fault| fault.at(self.whole))? {
                        return Err(Fault::UnopenedGroup.at(self.whole));
                    }
                    self.skip(1);
                }
                '^' | '$' | '.' => self.leaf(1)?,
                '[' => {
                    let rest = class::skip(self.rest)?;
                    self.push(Node::LEAF)?;
                    self.rest = rest;
                }
                '*' => self.repeat(Repetition::Any, 1, last_repetition)?,
                '+' | '?' => self.repeat(Repetition::Once, 1, last_repetition)?,
                '{' => self.brace(last_repetition)?,
                '\\' => self.escape()?,
                other => self.literal(other.len_utf8())?,
            }
        }
        if !self.tree.finish().map_err(|fault| fault.at(self.whole))? {
            return Err(Fault::OpenGroup.at(self.whole));
        }
        Ok(())
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = &self.rest[bytes..];
    }

    fn push(&mut self, node: Node) -> Result<(), Invalid> {
        self.tree.push(node).map_err(|fault| fault.at(self.whole))
    }

    fn literal(&mut self, bytes: usize) -> Result<(), Invalid> {
        self.skip(bytes);
        self.push(Node::LITERAL)
    }

    fn leaf(&mut self, bytes: usize) -> Result<(), Invalid> {
        self.skip(bytes);
        self.push(Node::LEAF)
    }

    /// Repeats what came before.
    fn repeat(&mut self, how: Repetition, bytes: usize, last: Option<&'p str>) -> Result<(), Invalid> {
        let before = self.rest;
        self.skip(bytes);
        self.rest = self.rest.strip_prefix('?').unwrap_or(self.rest);
        let until_here = |start: &'p str| &start[..start.len() - self.rest.len()];
        if let Some(last) = last {
            return Err(Fault::NestedRepetition.at(until_here(last)));
        }
        match self.tree.repeat(how) {
            Ok(true) => {
                self.last_repetition = Some(before);
                Ok(())
            }
            Ok(false) => Err(Fault::NothingToRepeat.at(until_here(before))),
            Err(Fault::RepetitionCount) => Err(Fault::RepetitionCount.at(until_here(before))),
            Err(fault) => Err(fault.at(self.whole)),
        }
    }

    /// A repetition with numbers, or just a brace.
    fn brace(&mut self, last: Option<&'p str>) -> Result<(), Invalid> {
        let Some((least, most, after)) = counts(&self.rest[1..]) else {
            return self.literal(1);
        };
        let bytes = self.rest.len() - after.len();
        // A number that is too large to be read has no value.
        let limits = match (least, most) {
            (Some(least), None) if least <= 1000 => Some((least, None)),
            (Some(least), Some(Some(most))) if least <= most && most <= 1000 => Some((least, Some(most))),
            _ => None,
        };
        let Some((least, most)) = limits else {
            return Err(Fault::RepetitionCount.at(&self.rest[..bytes]));
        };
        self.repeat(Repetition::Counted(least, most), bytes, last)
    }

    /// What a backslash begins.
    fn escape(&mut self) -> Result<(), Invalid> {
        match self.rest.as_bytes().get(1) {
            Some(b'A' | b'b' | b'B' | b'z') => return self.leaf(2),
            Some(b'C') => return Err(Fault::Escape.at(&self.rest[..2])),
            Some(b'Q') => {
                let quoted = &self.rest[2..];
                let (text, rest) = quoted.split_once(r"\E").unwrap_or((quoted, ""));
                self.rest = rest;
                return text.chars().try_for_each(|_| self.push(Node::LITERAL));
            }
            _ => {}
        }
        if let Some(rest) = unicode::skip(self.rest)? {
            self.rest = rest;
            return self.push(Node::LEAF);
        }
        if class::is_perl(self.rest) {
            return self.leaf(2);
        }
        let (_, rest) = class::escape(self.rest)?;
        self.rest = rest;
        self.push(Node::LITERAL)
    }

    /// A group that has a name, or captures nothing, or only changes how the rest is read.
    fn special_group(&mut self) -> Result<(), Invalid> {
        let text = self.rest;
        // The shortest name with its sign is one byte longer than the sign alone.
        let named = (text.len() > 4 && text.starts_with("(?P<"))
            .then_some(4)
            .or_else(|| (text.len() > 3 && text.starts_with("(?<")).then_some(3));
        if let Some(begin) = named {
            let end = text.find('>').ok_or_else(|| Fault::GroupName.at(text))?;
            let name = text.get(begin..end).unwrap_or_default();
            if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
                return Err(Fault::GroupName.at(&text[..=end]));
            }
            self.tree.open(true);
            self.skip(end + 1);
            return Ok(());
        }
        self.flags(text)
    }

    fn flags(&mut self, text: &str) -> Result<(), Invalid> {
        self.skip(2);
        let (mut negated, mut any) = (false, false);
        while let Some(flag) = self.rest.chars().next() {
            self.skip(flag.len_utf8());
            match flag {
                'i' | 'm' | 's' | 'U' => any = true,
                '-' if !negated => (negated, any) = (true, false),
                ':' | ')' if !negated || any => {
                    if flag == ':' {
                        self.tree.open(false);
                    }
                    return Ok(());
                }
                _ => break,
            }
        }
        Err(Fault::GroupKind.at(&text[..text.len() - self.rest.len()]))
    }
}

/// A number that was read; nothing, if it is too large to be one.
type Count = Option<u64>;

/// The numbers between braces: the least, the most if there is a limit, and what comes after the closing brace. Nothing,
/// if this is no repetition at all.
fn counts(text: &str) -> Option<(Count, Option<Count>, &str)> {
    let (least, rest) = number(text)?;
    if let Some(rest) = rest.strip_prefix('}') {
        return Some((least, Some(least), rest));
    }
    let rest = rest.strip_prefix(',')?;
    if let Some(rest) = rest.strip_prefix('}') {
        return Some((least, None, rest));
    }
    let (most, rest) = number(rest)?;
    Some((least, Some(most), rest.strip_prefix('}')?))
}

/// A number without zeros before it.
fn number(text: &str) -> Option<(Count, &str)> {
    let length = text.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(length);
    if digits.is_empty() || (digits.len() > 1 && digits.starts_with('0')) {
        return None;
    }
    Some((digits.parse().ok(), rest))
}
