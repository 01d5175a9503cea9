//! Splits a query into tokens. There are different tokens outside of braces, between braces and between brackets.
//!
//! | file | contents |
//! |---|---|
//! | `braces` | tokens between braces |
//! | `brackets` | tokens between brackets |
//! | `number` | numbers and durations |
//! | `text` | strings |

mod braces;
mod brackets;
mod number;
mod text;

use go_syntax::quoted::QuotedCharacter;

use crate::keyword;
use crate::token::{BinaryOperator, Token, TokenKind};

/// Splits one query.
#[derive(Debug)]
pub(crate) struct Lexer<'q> {
    pub(crate) query: &'q str,
    /// The byte that is read next.
    position: usize,
    /// The start of the current token.
    start: usize,
    /// The start of the last token.
    pub(crate) last: usize,
    state: State,
    /// The number of open parentheses.
    depth: u32,
    in_braces: bool,
    in_brackets: bool,
    /// A colon was read between the current brackets.
    colon: bool,
    /// A number was read between any brackets.
    duration: bool,
}

/// What is read next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Anywhere,
    /// A duration, after a bracket.
    Duration,
    /// Nothing.
    Done,
}

/// Why a query cannot be split into tokens.
#[derive(Debug)]
pub(crate) struct LexError {
    pub(crate) position: usize,
    pub(crate) message: String,
}

/// A token. None if only whitespace or a comment was read.
type Read = Result<Option<Token>, LexError>;

impl<'q> Lexer<'q> {
    pub(crate) fn new(query: &'q str) -> Self {
        Self {
            query,
            position: 0,
            start: 0,
            last: 0,
            state: State::Anywhere,
            depth: 0,
            in_braces: false,
            in_brackets: false,
            colon: false,
            duration: false,
        }
    }

    /// The next token. At the end of the query, always the end token.
    pub(crate) fn next(&mut self) -> Result<Token, LexError> {
        loop {
            let read = match self.state {
                State::Anywhere if self.in_braces => self.between_braces()?,
                State::Anywhere => self.anywhere()?,
                State::Duration => self.between_brackets()?,
                State::Done => Some(self.emit(TokenKind::End)),
            };
            if let Some(token) = read {
                self.last = token.start;
                return Ok(token);
            }
        }
    }

    /// The byte at a distance from the position. Zero after the end.
    fn byte(&self, distance: usize) -> u8 {
        self.query.as_bytes().get(self.position + distance).copied().unwrap_or(0)
    }

    fn at_end(&self) -> bool {
        self.position >= self.query.len()
    }

    /// The character at a position, in quotes, for errors.
    fn character_at(&self, position: usize) -> String {
        let character = self.query.get(position..).and_then(|rest| rest.chars().next());
        QuotedCharacter(character.unwrap_or(char::REPLACEMENT_CHARACTER)).to_string()
    }

    fn emit(&mut self, kind: TokenKind) -> Token {
        let token = Token { kind, start: self.start, end: self.position };
        self.start = self.position;
        token
    }

    /// A token with a number of bytes.
    fn take(&mut self, length: usize, kind: TokenKind) -> Token {
        self.position += length;
        self.emit(kind)
    }

    fn fail<T>(&self, message: impl Into<String>) -> Result<T, LexError> {
        Err(LexError { position: self.start, message: message.into() })
    }

    fn skip_space(&mut self) {
        while is_space(self.byte(0)) {
            self.position += 1;
        }
        self.start = self.position;
    }

    fn skip_comment(&mut self) {
        let rest = &self.query.as_bytes()[self.position..];
        let length = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
        self.position += length;
        self.start = self.position;
    }

    /// A token outside of braces.
    fn anywhere(&mut self) -> Read {
        let byte = self.byte(0);
        let (length, kind) = match byte {
            b' ' | b'\t' | b'\n' | b'\r' => {
                self.skip_space();
                return Ok(None);
            }
            b'#' => {
                self.skip_comment();
                return Ok(None);
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b':' if self.in_brackets => {
                return self.word_between_brackets();
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b':' => return Ok(Some(self.word())),
            b'0'..=b'9' => return self.number_or_duration().map(Some),
            b'.' if self.byte(1).is_ascii_digit() => return self.number_or_duration().map(Some),
            b'"' | b'\'' => return self.text().map(Some),
            b'`' => return self.raw_text().map(Some),
            b',' => (1, TokenKind::Comma),
            b'@' => (1, TokenKind::At),
            b'=' => match self.byte(1) {
                b'=' => (2, TokenKind::Operator(BinaryOperator::Equal)),
                b'~' => return self.fail("unexpected character after '=': '~'"),
                _ => (1, TokenKind::Assign),
            },
            b'!' if self.byte(1) == b'=' => (2, TokenKind::Operator(BinaryOperator::NotEqual)),
            b'!' => {
                let character = self.character_at(self.position + 1);
                return self.fail(format!("unexpected character after '!': {character}"));
            }
            b'(' | b')' => return self.parenthesis().map(Some),
            b'{' => {
                self.in_braces = true;
                (1, TokenKind::LeftBrace)
            }
            b'[' | b']' => return self.bracket().map(Some),
            0 if self.at_end() => return self.end(),
            _ => {
                let Some((length, operator)) = operator(byte, self.byte(1)) else {
                    let character = self.character_at(self.position);
                    return self.fail(format!("unexpected character: {character}"));
                };
                (length, TokenKind::Operator(operator))
            }
        };
        Ok(Some(self.take(length, kind)))
    }

    fn end(&mut self) -> Read {
        if self.depth != 0 {
            return self.fail("unclosed left parenthesis");
        }
        if self.in_brackets {
            return self.fail("unclosed left bracket");
        }
        self.state = State::Done;
        Ok(Some(self.emit(TokenKind::End)))
    }

    fn parenthesis(&mut self) -> Result<Token, LexError> {
        if self.byte(0) == b'(' {
            self.depth += 1;
            return Ok(self.take(1, TokenKind::LeftParen));
        }
        let token = self.take(1, TokenKind::RightParen);
        match self.depth.checked_sub(1) {
            Some(depth) => self.depth = depth,
            None => return self.fail("unexpected right parenthesis ')'"),
        }
        Ok(token)
    }

    fn bracket(&mut self) -> Result<Token, LexError> {
        if self.byte(0) == b']' {
            if !self.in_brackets {
                return self.fail("unexpected right bracket ']'");
            }
            self.in_brackets = false;
            return Ok(self.take(1, TokenKind::RightBracket));
        }
        if self.in_brackets {
            return self.fail("unexpected left bracket '['");
        }
        self.colon = false;
        let token = self.take(1, TokenKind::LeftBracket);
        self.skip_space();
        self.in_brackets = true;
        self.state = State::Duration;
        Ok(token)
    }

    /// A name or a keyword.
    fn word(&mut self) -> Token {
        let rest = &self.query.as_bytes()[self.position..];
        let length = rest.iter().position(|byte| !is_name(*byte) && *byte != b':').unwrap_or(rest.len());
        self.position += length;
        let word = &self.query[self.start..self.position];
        let kind = match keyword::kind(word) {
            // Queries that use these words as names are older than the keywords.
            Some(TokenKind::Keyword(fill)) if fill.is_fill() && !self.before_parenthesis() => {
                TokenKind::Identifier
            }
            Some(kind) => kind,
            None if word.contains(':') => TokenKind::MetricIdentifier,
            None => TokenKind::Identifier,
        };
        self.emit(kind)
    }

    fn before_parenthesis(&self) -> bool {
        let rest = &self.query.as_bytes()[self.position..];
        rest.iter().find(|byte| !is_space(**byte)) == Some(&b'(')
    }
}

/// The length of an operator in bytes, and the operator.
fn operator(first: u8, second: u8) -> Option<(usize, BinaryOperator)> {
    Some(match (first, second) {
        (b'*', _) => (1, BinaryOperator::Multiply),
        (b'/', _) => (1, BinaryOperator::Divide),
        (b'%', _) => (1, BinaryOperator::Modulo),
        (b'+', _) => (1, BinaryOperator::Add),
        (b'-', _) => (1, BinaryOperator::Subtract),
        (b'^', _) => (1, BinaryOperator::Power),
        (b'<', b'=') => (2, BinaryOperator::LessOrEqual),
        (b'<', b'/') => (2, BinaryOperator::TrimUpper),
        (b'<', _) => (1, BinaryOperator::Less),
        (b'>', b'=') => (2, BinaryOperator::GreaterOrEqual),
        (b'>', b'/') => (2, BinaryOperator::TrimLower),
        (b'>', _) => (1, BinaryOperator::Greater),
        _ => return None,
    })
}

pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
