//! The parser of regular expressions.

use super::tree::{Node, Repetition, Tree};
use super::{InvalidRegexp, RegexpFault, class};

/// The largest repetition count.
const MOST: u64 = 1000;

/// Parses an expression.
#[derive(Debug)]
pub(super) struct Parser<'p> {
    whole: &'p [u8],
    rest: &'p [u8],
    tree: Tree,
    /// The start of the repetition that ended just before the rest, if any.
    last_repetition: Option<&'p [u8]>,
    after_last_posix_end: usize,
}

impl<'p> Parser<'p> {
    pub(super) fn new(whole: &'p [u8]) -> Self {
        let after_last_posix_end = class::after_last_posix_end(whole);
        Self { whole, rest: whole, tree: Tree::new(), last_repetition: None, after_last_posix_end }
    }

    /// Parses the expression, and returns whether it matches the empty string.
    pub(super) fn run(mut self) -> Result<bool, InvalidRegexp> {
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
                        return Err(RegexpFault::UnopenedGroup.at(self.whole));
                    }
                    self.skip(1);
                }
                b'^' | b'$' => self.add(Node::EMPTY, 1)?,
                b'.' => self.add(Node::CHARACTER, 1)?,
                b'[' => {
                    let rest = class::brackets(self.rest, self.after_last_posix_end)?;
                    self.push(Node::CHARACTER)?;
                    self.rest = rest;
                }
                b'*' => self.repeat(Repetition::Any, 1, last_repetition)?,
                b'+' => self.repeat(Repetition::Some, 1, last_repetition)?,
                b'?' => self.repeat(Repetition::Optional, 1, last_repetition)?,
                b'{' => self.brace(last_repetition)?,
                b'\\' => self.escape()?,
                _ => {
                    self.rest = class::character(self.rest)?.1;
                    self.push(Node::LITERAL)?;
                }
            }
        }
        let matches_empty = self.tree.finish().map_err(|fault| fault.at(self.whole))?;
        matches_empty.ok_or_else(|| RegexpFault::OpenGroup.at(self.whole))
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = &self.rest[bytes..];
    }

    fn push(&mut self, node: Node) -> Result<(), InvalidRegexp> {
        self.tree.push(node).map_err(|fault| fault.at(self.whole))
    }

    fn add(&mut self, node: Node, bytes: usize) -> Result<(), InvalidRegexp> {
        self.skip(bytes);
        self.push(node)
    }

    /// Repeats the last subexpression.
    fn repeat(&mut self, how: Repetition, bytes: usize, last: Option<&'p [u8]>) -> Result<(), InvalidRegexp> {
        let before = self.rest;
        self.skip(bytes);
        self.rest = self.rest.strip_prefix(b"?").unwrap_or(self.rest);
        let until_here = |start: &'p [u8]| &start[..start.len() - self.rest.len()];
        if let Some(last) = last {
            return Err(RegexpFault::NestedRepetition.at(until_here(last)));
        }
        match self.tree.repeat(how) {
            Ok(true) => {
                self.last_repetition = Some(before);
                Ok(())
            }
            Ok(false) => Err(RegexpFault::NothingToRepeat.at(until_here(before))),
            Err(RegexpFault::RepetitionCount) => Err(RegexpFault::RepetitionCount.at(until_here(before))),
            Err(fault) => Err(fault.at(self.whole)),
        }
    }

    /// A repetition with counts, or a literal brace.
    fn brace(&mut self, last: Option<&'p [u8]>) -> Result<(), InvalidRegexp> {
        let Some((least, most, after)) = counts(&self.rest[1..]) else {
            return self.add(Node::LITERAL, 1);
        };
        let bytes = self.rest.len() - after.len();
        if least > MOST || most.is_some_and(|most| most > MOST || most < least) {
            return Err(RegexpFault::RepetitionCount.at(&self.rest[..bytes]));
        }
        self.repeat(Repetition::Counted(least, most), bytes, last)
    }

    /// An escape sequence.
    fn escape(&mut self) -> Result<(), InvalidRegexp> {
        match self.rest.get(1) {
            Some(b'A' | b'B' | b'z') => return self.add(Node::EMPTY, 2),
            // The empty string has no word boundary.
            Some(b'b') => return self.add(Node::CHARACTER, 2),
            Some(b'C') => return Err(RegexpFault::Escape.at(&self.rest[..2])),
            Some(b'Q') => return self.literal(),
            _ => {}
        }
        let (node, rest) = match class::group(self.rest)? {
            Some(rest) => (Node::CHARACTER, rest),
            None => (Node::LITERAL, class::escape(self.rest)?.1),
        };
        self.rest = rest;
        self.push(node)
    }

    /// The text between `\Q` and `\E` is literal.
    fn literal(&mut self) -> Result<(), InvalidRegexp> {
        let inner = &self.rest[2..];
        let end = inner.windows(2).position(|pair| pair == br"\E");
        let mut literal = &inner[..end.unwrap_or(inner.len())];
        self.rest = end.map_or(&[], |end| &inner[end + 2..]);
        while !literal.is_empty() {
            literal = class::character(literal)?.1;
            self.push(Node::LITERAL)?;
        }
        Ok(())
    }

    /// A group with a name, a group that does not capture, or flags.
    fn special_group(&mut self) -> Result<(), InvalidRegexp> {
        let text = self.rest;
        let begin = match text {
            [_, _, b'P', b'<', _, ..] => 4,
            [_, _, b'<', _, ..] => 3,
            _ => return self.flags(),
        };
        let Some(end) = text.iter().position(|byte| *byte == b'>') else {
            class::check_utf8(text)?;
            return Err(RegexpFault::GroupName.at(text));
        };
        let name = &text[begin..end];
        class::check_utf8(name)?;
        if name.is_empty() || !name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_') {
            return Err(RegexpFault::GroupName.at(&text[..=end]));
        }
        self.tree.open(true);
        self.skip(end + 1);
        Ok(())
    }

    fn flags(&mut self) -> Result<(), InvalidRegexp> {
        let text = self.rest;
        self.skip(2);
        let (mut negated, mut any) = (false, false);
        while !self.rest.is_empty() {
            let (flag, rest) = class::character(self.rest)?;
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
        Err(RegexpFault::GroupKind.at(&text[..text.len() - self.rest.len()]))
    }
}

/// The counts of a repetition: the minimum, the maximum if there is one, and the text after the closing brace. None
/// if the brace is literal.
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

/// A number without leading zeros. Numbers that are too large become the same number.
fn count(text: &[u8]) -> Option<(u64, &[u8])> {
    let length = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(length);
    if digits.is_empty() || (digits.len() > 1 && digits.starts_with(b"0")) {
        return None;
    }
    Some((str::from_utf8(digits).ok()?.parse().unwrap_or(u64::MAX), rest))
}
