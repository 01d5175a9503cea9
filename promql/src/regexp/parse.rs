//! Groups, alternatives and repetitions. Open groups are kept in a list, so that no depth uses up the stack.

use super::{NotARegexp, class};

/// The most that repetitions within repetitions may come to.
const MOST_REPEATS: u32 = 1000;
/// How deep an expression may be nested.
const DEEPEST: u32 = 1000;

/// Whether an expression matches the empty text.
pub(super) fn parse(pattern: &[u8]) -> Result<bool, NotARegexp> {
    let mut parser = Parser { pattern, rest: pattern, open: Vec::new(), group: Group::default() };
    // Where the repetition begins that came last, if nothing came after it.
    let mut repetition: Option<&[u8]> = None;
    while let Some(first) = parser.rest.first() {
        repetition = match first {
            b'*' | b'+' | b'?' | b'{' => parser.repetition(*first, repetition)?,
            _ => {
                parser.item(*first)?;
                None
            }
        };
        if parser.group.deepest() > DEEPEST {
            return Err(NotARegexp::new("expression nests too deeply", pattern));
        }
    }
    if !parser.open.is_empty() {
        return Err(NotARegexp::new("missing closing )", pattern));
    }
    Ok(parser.group.close().empty)
}

/// A part of an expression.
#[derive(Debug, Clone, Copy)]
struct Item {
    /// It matches the empty text.
    empty: bool,
    /// What the repetitions within it come to.
    repeats: u32,
    /// How deep it is nested.
    depth: u32,
}

/// A group that is being read: alternatives, of which the last is not finished.
#[derive(Debug, Default)]
struct Group {
    /// It counts as a level.
    captures: bool,
    /// Alternatives that are finished.
    alternatives: Option<Item>,
    /// What the last alternative begins with.
    before: Option<Item>,
    /// What the last alternative ends with. A repetition is about this only.
    last: Option<Item>,
}

impl Item {
    const NOTHING: Self = Self { empty: true, repeats: 0, depth: 1 };
    const LETTER: Self = Self { empty: false, repeats: 0, depth: 1 };

    fn joined(self, other: Self, empty: bool) -> Self {
        // Many side by side are one level, however many they are.
        let depth = self.depth.max(other.depth + 1);
        Self { empty, repeats: self.repeats.max(other.repeats), depth }
    }
}

impl Group {
    fn add(&mut self, item: Item) {
        if let Some(last) = self.last.replace(item) {
            self.before = Some(match self.before {
                None => last,
                Some(before) => before.joined(last, before.empty && last.empty),
            });
        }
    }

    fn end_alternative(&mut self) {
        let item = match (self.before.take(), self.last.take()) {
            (Some(before), Some(last)) => before.joined(last, before.empty && last.empty),
            (_, Some(last)) => last,
            (_, None) => Item::NOTHING,
        };
        self.alternatives = Some(match self.alternatives {
            None => item,
            Some(others) => others.joined(item, others.empty || item.empty),
        });
    }

    fn close(&mut self) -> Item {
        self.end_alternative();
        self.alternatives.take().unwrap_or(Item::NOTHING)
    }

    fn deepest(&self) -> u32 {
        self.last.map_or(0, |last| last.depth)
    }
}

struct Parser<'p> {
    pattern: &'p [u8],
    rest: &'p [u8],
    /// Groups around the one that is being read.
    open: Vec<Group>,
    group: Group,
}

impl<'p> Parser<'p> {
    fn item(&mut self, first: u8) -> Result<(), NotARegexp> {
        let item = match first {
            b'(' => return self.open_group(),
            b')' => return self.close_group(),
            b'|' => {
                self.group.end_alternative();
                self.rest = &self.rest[1..];
                return Ok(());
            }
            b'^' | b'$' => {
                self.rest = &self.rest[1..];
                Item::NOTHING
            }
            b'[' => {
                self.rest = class::brackets(self.rest)?;
                Item::LETTER
            }
            b'\\' => return self.escape(),
            _ => {
                self.rest = class::letter(self.rest)?.1;
                Item::LETTER
            }
        };
        self.group.add(item);
        Ok(())
    }

    fn escape(&mut self) -> Result<(), NotARegexp> {
        let item = match self.rest.get(1) {
            Some(b'A' | b'B' | b'z') => Item::NOTHING,
            // There is no word in an empty text.
            Some(b'b') => Item::LETTER,
            Some(b'C') => return Err(NotARegexp::new("invalid escape sequence", &self.rest[..2])),
            Some(b'Q') => return self.literal(),
            _ => {
                self.rest = class::escape_or_group(self.rest)?;
                self.group.add(Item::LETTER);
                return Ok(());
            }
        };
        self.group.add(item);
        self.rest = &self.rest[2..];
        Ok(())
    }

    /// What stands between `\Q` and `\E` stands for itself.
    fn literal(&mut self) -> Result<(), NotARegexp> {
        let inner = &self.rest[2..];
        let end = inner.windows(2).position(|pair| pair == b"\\E");
        let mut literal = &inner[..end.unwrap_or(inner.len())];
        self.rest = end.map_or(&[], |end| &inner[end + 2..]);
        while !literal.is_empty() {
            literal = class::letter(literal)?.1;
            self.group.add(Item::LETTER);
        }
        Ok(())
    }

    fn open_group(&mut self) -> Result<(), NotARegexp> {
        let captures = if self.rest.get(1) == Some(&b'?') {
            match self.group_kind()? {
                Some(captures) => captures,
                None => return Ok(()),
            }
        } else {
            self.rest = &self.rest[1..];
            true
        };
        let group = Group { captures, ..Group::default() };
        self.open.push(std::mem::replace(&mut self.group, group));
        Ok(())
    }

    /// Whether the group after `(?` captures; nothing, if it only sets flags.
    fn group_kind(&mut self) -> Result<Option<bool>, NotARegexp> {
        let start = self.rest;
        let name = match start {
            [_, _, b'P', b'<', _, ..] => Some(4),
            [_, _, b'<', _, ..] => Some(3),
            _ => None,
        };
        if let Some(name) = name {
            let Some(end) = start.iter().position(|byte| *byte == b'>') else {
                class::check_letters(start)?;
                return Err(NotARegexp::new("invalid named capture", start));
            };
            let name = &start[name..end.max(name)];
            class::check_letters(name)?;
            if name.is_empty() || !name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_') {
                return Err(NotARegexp::new("invalid named capture", &start[..=end]));
            }
            self.rest = &start[end + 1..];
            return Ok(Some(true));
        }
        let mut rest = &start[2..];
        let (mut minus, mut flag) = (false, false);
        while !rest.is_empty() {
            let (letter, after) = class::letter(rest)?;
            rest = after;
            match letter {
                'i' | 'm' | 's' | 'U' => flag = true,
                '-' if !minus => (minus, flag) = (true, false),
                ':' | ')' if !minus || flag => {
                    self.rest = rest;
                    return Ok((letter == ':').then_some(false));
                }
                _ => break,
            }
        }
        let length = start.len() - rest.len();
        Err(NotARegexp::new("invalid or unsupported Perl syntax", &start[..length]))
    }

    fn close_group(&mut self) -> Result<(), NotARegexp> {
        let Some(outer) = self.open.pop() else {
            return Err(NotARegexp::new("unexpected )", self.pattern));
        };
        let mut group = std::mem::replace(&mut self.group, outer);
        let mut item = group.close();
        item.depth += u32::from(group.captures);
        self.group.add(item);
        self.rest = &self.rest[1..];
        Ok(())
    }

    /// A repetition; gives where it begins. A brace that begins none is a letter.
    fn repetition(&mut self, first: u8, previous: Option<&'p [u8]>) -> Result<Option<&'p [u8]>, NotARegexp> {
        let start = self.rest;
        let (least, most, after) = match first {
            b'*' => (0, None, &start[1..]),
            b'+' => (1, None, &start[1..]),
            b'?' => (0, Some(1), &start[1..]),
            _ => {
                let Some(counts) = counts(start) else {
                    self.group.add(Item::LETTER);
                    self.rest = &start[1..];
                    return Ok(None);
                };
                counts
            }
        };
        let invalid =
            |after: &[u8]| Err(NotARegexp::new("invalid repeat count", &start[..start.len() - after.len()]));
        if least > MOST_REPEATS || most.is_some_and(|most| most > MOST_REPEATS || most < least) {
            return invalid(after);
        }
        let after = after.strip_prefix(b"?").unwrap_or(after);
        if let Some(previous) = previous {
            let part = &previous[..previous.len() - after.len()];
            return Err(NotARegexp::new("invalid nested repetition operator", part));
        }
        let Some(last) = &mut self.group.last else {
            let part = &start[..start.len() - after.len()];
            return Err(NotARegexp::new("missing argument to repetition operator", part));
        };
        last.empty |= least == 0;
        last.depth += 1;
        if first == b'{' {
            let times = most.unwrap_or(least);
            last.repeats = if times == 0 && most.is_some() {
                0
            } else {
                times.max(times.max(1).saturating_mul(last.repeats))
            };
            if (least >= 2 || most.is_some_and(|most| most >= 2)) && last.repeats > MOST_REPEATS {
                return invalid(after);
            }
        }
        self.rest = after;
        Ok(Some(start))
    }
}

/// The numbers between braces, and what comes after them.
fn counts(start: &[u8]) -> Option<(u32, Option<u32>, &[u8])> {
    let (least, rest) = count(&start[1..])?;
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

/// A number without zeros before it; too large ones are all the same.
fn count(text: &[u8]) -> Option<(u32, &[u8])> {
    let length = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(length);
    if digits.is_empty() || digits.len() > 1 && digits[0] == b'0' {
        return None;
    }
    let number = str::from_utf8(digits).ok()?.parse().unwrap_or(u32::MAX);
    Some((number, rest))
}
