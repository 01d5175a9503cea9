//! Splits a template into tokens. Outside of actions there is only text. Inside, spaces are tokens too.

mod number;

use super::token::{Keyword, Kind, Token};
use crate::quoted::CodePoint;
use crate::unicode::is_alphanumeric;

const LEFT: &str = "{{";
const RIGHT: &str = "}}";

/// Splits one template.
#[derive(Debug)]
pub(super) struct Lexer<'t> {
    text: &'t str,
    /// The byte that is read next.
    position: usize,
    /// The start of the current token, and its line.
    start: usize,
    line: usize,
    in_action: bool,
    /// The number of open parentheses.
    depth: usize,
}

/// Why a template cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) line: usize,
    pub(super) message: String,
}

type Read<'t> = Result<Token<'t>, Failure>;

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, position: 0, start: 0, line: 1, in_action: false, depth: 0 }
    }

    /// The next token.
    pub(super) fn next(&mut self) -> Read<'t> {
        if self.in_action { self.action() } else { self.plain() }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.position..]
    }

    fn character(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn emit(&mut self, kind: Kind) -> Token<'t> {
        let token = Token { kind, text: &self.text[self.start..self.position], line: self.line };
        self.skip();
        token
    }

    /// Drops what was read since the last token.
    fn skip(&mut self) {
        self.line += self.text[self.start..self.position].matches('\n').count();
        self.start = self.position;
    }

    fn fail<T>(&self, message: impl Into<String>) -> Result<T, Failure> {
        Err(Failure { line: self.line, message: message.into() })
    }

    /// The text before the next action, or the left delimiter of that action.
    fn plain(&mut self) -> Read<'t> {
        loop {
            let Some(length) = self.rest().find(LEFT) else {
                self.position = self.text.len();
                let kind = if self.position > self.start { Kind::Plain } else { Kind::End };
                return Ok(self.emit(kind));
            };
            if length > 0 {
                let plain = &self.rest()[..length];
                let trims = trims_before(&self.rest()[length + LEFT.len()..]);
                let kept = if trims { plain.trim_end_matches(SPACES).len() } else { length };
                self.position += kept;
                let token = self.emit(Kind::Plain);
                self.position += length - kept;
                self.skip();
                if kept > 0 {
                    return Ok(token);
                }
            }
            self.position += LEFT.len();
            let marker = if trims_before(self.rest()) { 2 } else { 0 };
            if !self.rest()[marker..].starts_with("/*") {
                let token = self.emit(Kind::LeftDelimiter);
                self.position += marker;
                self.skip();
                self.in_action = true;
                self.depth = 0;
                return Ok(token);
            }
            self.position += marker;
            self.skip();
            self.comment()?;
        }
    }

    fn comment(&mut self) -> Result<(), Failure> {
        let Some(end) = self.rest()[2..].find("*/") else { return self.fail("unclosed comment") };
        self.position += 2 + end + 2;
        let Some(trims) = self.at_right() else {
            return self.fail("comment ends before closing delimiter");
        };
        self.skip();
        self.right(trims);
        Ok(())
    }

    /// Whether the action ends here, and if so, whether the space after it is trimmed.
    fn at_right(&self) -> Option<bool> {
        let rest = self.rest();
        if trims_after(rest) && rest[2..].starts_with(RIGHT) {
            return Some(true);
        }
        rest.starts_with(RIGHT).then_some(false)
    }

    /// The right delimiter.
    fn right(&mut self, trims: bool) -> Token<'t> {
        if trims {
            self.position += 2;
            self.skip();
        }
        self.position += RIGHT.len();
        let token = self.emit(Kind::RightDelimiter);
        if trims {
            self.position += self.rest().len() - self.rest().trim_start_matches(SPACES).len();
            self.skip();
        }
        self.in_action = false;
        token
    }

    /// A token inside an action.
    fn action(&mut self) -> Read<'t> {
        if let Some(trims) = self.at_right() {
            return if self.depth == 0 { Ok(self.right(trims)) } else { self.fail("unclosed left paren") };
        }
        let Some(character) = self.character() else { return self.fail("unclosed action") };
        if SPACES.contains(&character) {
            return Ok(self.space());
        }
        self.position += character.len_utf8();
        match character {
            '=' => Ok(self.emit(Kind::Assign)),
            ':' if self.character() == Some('=') => {
                self.position += 1;
                Ok(self.emit(Kind::Declare))
            }
            ':' => self.fail("expected :="),
            '|' => Ok(self.emit(Kind::Pipe)),
            '"' => self.quoted('"', Kind::Text, "unterminated quoted string"),
            '\'' => self.quoted('\'', Kind::Character, "unterminated character constant"),
            '`' => match self.rest().find('`') {
                Some(end) => {
                    self.position += end + 1;
                    Ok(self.emit(Kind::RawText))
                }
                None => self.fail("unterminated raw quoted string"),
            },
            '$' => self.name(Kind::Variable, Kind::Variable),
            '.' if !self.rest().starts_with(|character: char| character.is_ascii_digit())
                && !self.rest().is_empty() =>
            {
                self.name(Kind::Field, Kind::Keyword(Keyword::Dot))
            }
            '.' | '+' | '-' | '0'..='9' => {
                self.position -= 1;
                self.number()
            }
            _ if is_name(character) => self.identifier(),
            '(' => {
                self.depth += 1;
                Ok(self.emit(Kind::LeftParen))
            }
            ')' => match self.depth.checked_sub(1) {
                Some(depth) => {
                    self.depth = depth;
                    Ok(self.emit(Kind::RightParen))
                }
                None => self.fail("unexpected right paren"),
            },
            '!'..='~' => Ok(self.emit(Kind::Sign)),
            _ => self.fail(format!("unrecognized character in action: {}", CodePoint(character))),
        }
    }

    fn space(&mut self) -> Token<'t> {
        let rest = self.rest();
        let length = rest.len() - rest.trim_start_matches(SPACES).len();
        // The last space can belong to the right delimiter.
        let ends = trims_after(&rest[length - 1..]) && rest[length + 1..].starts_with(RIGHT);
        if ends && length == 1 {
            return self.right(true);
        }
        self.position += length - usize::from(ends);
        self.emit(Kind::Space)
    }

    /// A constant up to its closing quote.
    fn quoted(&mut self, quote: char, kind: Kind, failure: &str) -> Read<'t> {
        let mut escaped = false;
        for (index, character) in self.rest().char_indices() {
            match character {
                '\n' => return self.fail(failure),
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                _ if character == quote => {
                    self.position += index + character.len_utf8();
                    return Ok(self.emit(kind));
                }
                _ => {}
            }
        }
        self.fail(failure)
    }

    /// A name after a dot or a dollar sign, or one of these alone.
    fn name(&mut self, named: Kind, alone: Kind) -> Read<'t> {
        if self.at_terminator() {
            return Ok(self.emit(alone));
        }
        self.read_name();
        if !self.at_terminator() {
            return self.bad_character();
        }
        Ok(self.emit(named))
    }

    fn identifier(&mut self) -> Read<'t> {
        self.read_name();
        if !self.at_terminator() {
            return self.bad_character();
        }
        let kind = match &self.text[self.start..self.position] {
            "true" | "false" => Kind::Bool,
            word => Keyword::of(word).map_or(Kind::Identifier, Kind::Keyword),
        };
        Ok(self.emit(kind))
    }

    fn read_name(&mut self) {
        let rest = self.rest();
        self.position += rest.find(|character| !is_name(character)).unwrap_or(rest.len());
    }

    fn bad_character<T>(&self) -> Result<T, Failure> {
        let character = self.character().unwrap_or_default();
        self.fail(format!("bad character {}", CodePoint(character)))
    }

    /// Whether a name can end here.
    fn at_terminator(&self) -> bool {
        match self.character() {
            None | Some(' ' | '\t' | '\r' | '\n' | '.' | ',' | '|' | ':' | ')' | '(') => true,
            Some(_) => self.rest().starts_with(RIGHT),
        }
    }
}

const SPACES: [char; 4] = [' ', '\t', '\r', '\n'];

fn is_space(byte: Option<&u8>) -> bool {
    matches!(byte, Some(b' ' | b'\t' | b'\r' | b'\n'))
}

/// Whether an action trims the space before it.
fn trims_before(text: &str) -> bool {
    text.starts_with('-') && is_space(text.as_bytes().get(1))
}

/// Whether an action trims the space after it.
fn trims_after(text: &str) -> bool {
    is_space(text.as_bytes().first()) && text.as_bytes().get(1) == Some(&b'-')
}

fn is_name(character: char) -> bool {
    character == '_' || is_alphanumeric(character)
}
