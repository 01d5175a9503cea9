//! The walk over the text of an expression.

use super::tree::{Node, Repetition, Tree};
use super::{Fault, Invalid, class};

/// How often something may be repeated.
const MOST: u64 = 1000;

/// Walks over an expression.
#[derive(Debug)]
pub(super) struct Parser<'p> {
    whole: &'p [u8],
    rest: &'p [u8],
    tree: Tree,
    /// Where the repetition begins that ended just before, if there is one.
    last_repetition: Option<&'p [u8]>,
}

impl<'p> Parser<'p> {
    /// Begins.
    pub(super) fn new(whole: &'p [u8]) -> Self {
        Self { whole, rest: whole, tree: Tree::new(), last_repetition: None }
    }

    /// Walks to the end; whether the expression matches the empty text.
    pub(super) fn run(mut self) -> Result<bool, Invalid> {
        while let Some(first) = self.rest.first() {
            let last_repetition = self.last_repetition.take();
            match first {
                b'(' if self.rest.starts_with(b"(?") => self.special_group()?,
                b'(' => {
                    self.tree.open(true);
                    self.skip(1);
                }
                b'|' => {
                    self.tree.or().map_err(|fault| fault.at(self.whole))?;
                    self.skip(1);
                }
                b')' => {
                    if !self.tree.close().map_err(|fault| fault.at(self.whole))? {
                        return Err(Fault::UnopenedGroup.at(self.whole));
                    }
                    self.skip(1);
                }
                b'^' | b'$' => self.add(Node::NOTHING, 1)?,
                b'.' => self.add(Node::LETTER, 1)?,
                b'[' => {
                    let rest = class::brackets(self.rest)?;
                    self.push(Node::LETTER)?;
                    self.rest = rest;
                }
                b'*' => self.repeat(Repetition::Any, 1, last_repetition)?,
                b'+' => self.repeat(Repetition::Some, 1, last_repetition)?,
                b'?' => self.repeat(Repetition::Optional, 1, last_repetition)?,
                b'{' => self.brace(last_repetition)?,
                b'\\' => self.escape()?,
                _ => {
                    self.rest = class::letter(self.rest)?.1;
                    self.push(Node::LITERAL)?;
                }
            }
        }
        let matches_empty = self.tree.finish().map_err(|fault| fault.at(self.whole))?;
        matches_empty.ok_or_else(|| Fault::OpenGroup.at(self.whole))
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = &self.rest[bytes..];
    }

    fn push(&mut self, node: Node) -> Result<(), Invalid> {
        self.tree.push(node).map_err(|fault| fault.at(self.whole))
    }

    fn add(&mut self, node: Node, bytes: usize) -> Result<(), Invalid> {
        self.skip(bytes);
        self.push(node)
    }

    /// Repeats what came before.
    fn repeat(&mut self, how: Repetition, bytes: usize, last: Option<&'p [u8]>) -> Result<(), Invalid> {
        let before = self.rest;
        self.skip(bytes);
        self.rest = self.rest.strip_prefix(b"?").unwrap_or(self.rest);
        let until_here = |start: &'p [u8]| &start[..start.len() - self.rest.len()];
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
    fn brace(&mut self, last: Option<&'p [u8]>) -> Result<(), Invalid> {
        let Some((least, most, after)) = counts(&self.rest[1..]) else {
            return self.add(Node::LITERAL, 1);
        };
        let bytes = self.rest.len() - after.len();
        if least > MOST || most.is_some_and(|most| most > MOST || most < least) {
            return Err(Fault::RepetitionCount.at(&self.rest[..bytes]));
        }
        self.repeat(Repetition::Counted(least, most), bytes, last)
    }

    /// What a backslash begins.
    fn escape(&mut self) -> Result<(), Invalid> {
        match self.rest.get(1) {
            Some(b'A' | b'B' | b'z') => return self.add(Node::NOTHING, 2),
            // There is no word in an empty text.
            Some(b'b') => return self.add(Node::LETTER, 2),
            Some(b'C') => return Err(Fault::Escape.at(&self.rest[..2])),
            Some(b'Q') => return self.literal(),
            _ => {}
        }
        let (node, rest) = match class::group(self.rest)? {
            Some(rest) => (Node::LETTER, rest),
            None => (Node::LITERAL, class::escape(self.rest)?.1),
        };
        self.rest = rest;
        self.push(node)
    }

    /// What stands between `\Q` and `\E` stands for itself.
    fn literal(&mut self) -> Result<(), Invalid> {
        let inner = &self.rest[2..];
        let end = inner.windows(2).position(|pair| pair == br"\E");
        let mut literal = &inner[..end.unwrap_or(inner.len())];
        self.rest = end.map_or(&[], |end| &inner[end + 2..]);
        while !literal.is_empty() {
            literal = class::letter(literal)?.1;
            self.push(Node::LITERAL)?;
        }
        Ok(())
    }

    /// A group that has a name, or captures nothing, or only changes how the rest is read.
    fn special_group(&mut self) -> Result<(), Invalid> {
        let text = self.rest;
        let begin = match text {
            [_, _, b'P', b'<', _, ..] => 4,
            [_, _, b'<', _, ..] => 3,
            _ => return self.flags(),
        };
        let Some(end) = text.iter().position(|byte| *byte == b'>') else {
            class::check_letters(text)?;
            return Err(Fault::GroupName.at(text));
        };
        let name = &text[begin..end];
        class::check_letters(name)?;
        if name.is_empty() || !name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_') {
            return Err(Fault::GroupName.at(&text[..=end]));
        }
        self.tree.open(true);
        self.skip(end + 1);
        Ok(())
    }

    fn flags(&mut self) -> Result<(), Invalid> {
        let text = self.rest;
        self.skip(2);
        let (mut negated, mut any) = (false, false);
        while !self.rest.is_empty() {
            let (flag, rest) = class::letter(self.rest)?;
            self.rest = rest;
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

/// The numbers between braces: the least, the most if there is a limit, and what comes after the closing brace. Nothing,
/// if this is no repetition at all.
fn counts(text: &[u8]) -> Option<(u64, Option<u64>, &[u8])> {
    let (least, rest) = count(text)?;
    let (most, rest) = match rest {
        [b',', b'}', ..] => (None, &rest[1..]),
        [b',', ..] => {
            let (most, rest) = count(&rest[1..])?;
            (Some(most), rest)
        }
        _ => (Some(least), rest),
    };
    Some((least, most, rest.strip_prefix(b"}")?))
}

/// A number without zeros before it; those that are too large are all the same.
fn count(text: &[u8]) -> Option<(u64, &[u8])> {
    let length = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(length);
    if digits.is_empty() || (digits.len() > 1 && digits.starts_with(b"0")) {
        return None;
    }
    Some((str::from_utf8(digits).ok()?.parse().unwrap_or(u64::MAX), rest))
}
