//! Cuts a query into words. What a letter means depends on where it stands: outside, between braces, between brackets.
//!
//! | file | owns |
//! |---|---|
//! | `braces` | words of a selector |
//! | `brackets` | words of a range |
//! | `number` | numbers and durations |
//! | `text` | what stands in quotes |

mod braces;
mod brackets;
mod number;
mod text;

use go_syntax::quoted::QuotedCharacter;

use crate::keyword;
use crate::token::{Kind, Operator, Token};

/// Cuts one query.
#[derive(Debug)]
pub(crate) struct Lexer<'q> {
    pub(crate) query: &'q str,
    /// The byte that is read next.
    position: usize,
    /// Where the word begins that is being read.
    start: usize,
    /// Where the last word began.
    pub(crate) last: usize,
    state: State,
    /// How many parentheses are open.
    depth: u32,
    in_braces: bool,
    in_brackets: bool,
    /// A colon came between these brackets.
    colon: bool,
    /// A number came between any brackets so far.
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

/// A word that cannot be one.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) position: usize,
    pub(crate) message: String,
}

/// A word, or nothing if only space was read.
type Read = Result<Option<Token>, Failure>;

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

    /// The next word. After the last one the end comes again and again.
    pub(crate) fn next(&mut self) -> Result<Token, Failure> {
        loop {
            let read = match self.state {
                State::Anywhere if self.in_braces => self.between_braces()?,
                State::Anywhere => self.anywhere()?,
                State::Duration => self.between_brackets()?,
                State::Done => Some(self.emit(Kind::End)),
            };
            if let Some(token) = read {
                self.last = token.start;
                return Ok(token);
            }
        }
    }

    /// The byte at a distance from the next one; zero after the end.
    fn byte(&self, distance: usize) -> u8 {
        self.query.as_bytes().get(self.position + distance).copied().unwrap_or(0)
    }

    fn at_end(&self) -> bool {
        self.position >= self.query.len()
    }

    /// The next letter in quotes, as it is named to a person.
    fn letter_at(&self, position: usize) -> String {
        let letter = self.query.get(position..).and_then(|rest| rest.chars().next());
        QuotedCharacter(letter.unwrap_or(char::REPLACEMENT_CHARACTER)).to_string()
    }

    fn emit(&mut self, kind: Kind) -> Token {
        let token = Token { kind, start: self.start, end: self.position };
        self.start = self.position;
        token
    }

    /// The word of so many bytes.
    fn take(&mut self, length: usize, kind: Kind) -> Token {
        self.position += length;
        self.emit(kind)
    }

    fn fail<T>(&self, message: impl Into<String>) -> Result<T, Failure> {
        Err(Failure { position: self.start, message: message.into() })
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

    /// A word outside braces.
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
            b',' => (1, Kind::Comma),
            b'@' => (1, Kind::At),
            b'=' => match self.byte(1) {
                b'=' => (2, Kind::Operator(Operator::Equal)),
                b'~' => return self.fail("unexpected character after '=': '~'"),
                _ => (1, Kind::Assign),
            },
            b'!' if self.byte(1) == b'=' => (2, Kind::Operator(Operator::NotEqual)),
            b'!' => {
                let letter = self.letter_at(self.position + 1);
                return self.fail(format!("unexpected character after '!': {letter}"));
            }
            b'(' | b')' => return self.parenthesis().map(Some),
            b'{' => {
                self.in_braces = true;
                (1, Kind::LeftBrace)
            }
            b'[' | b']' => return self.bracket().map(Some),
            0 if self.at_end() => return self.end(),
            _ => {
                let Some((length, operator)) = operator(byte, self.byte(1)) else {
                    let letter = self.letter_at(self.position);
                    return self.fail(format!("unexpected character: {letter}"));
                };
                (length, Kind::Operator(operator))
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
        Ok(Some(self.emit(Kind::End)))
    }

    fn parenthesis(&mut self) -> Result<Token, Failure> {
        if self.byte(0) == b'(' {
            self.depth += 1;
            return Ok(self.take(1, Kind::LeftParen));
        }
        let token = self.take(1, Kind::RightParen);
        match self.depth.checked_sub(1) {
            Some(depth) => self.depth = depth,
            None => return self.fail("unexpected right parenthesis ')'"),
        }
        Ok(token)
    }

    fn bracket(&mut self) -> Result<Token, Failure> {
        if self.byte(0) == b']' {
            if !self.in_brackets {
                return self.fail("unexpected right bracket ']'");
            }
            self.in_brackets = false;
            return Ok(self.take(1, Kind::RightBracket));
        }
        if self.in_brackets {
            return self.fail("unexpected left bracket '['");
        }
        self.colon = false;
        let token = self.take(1, Kind::LeftBracket);
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
            // As names they are older than as keywords.
            Some(Kind::Keyword(fill)) if fill.is_fill() && !self.before_parenthesis() => Kind::Identifier,
            Some(kind) => kind,
            None if word.contains(':') => Kind::MetricIdentifier,
            None => Kind::Identifier,
        };
        self.emit(kind)
    }

    fn before_parenthesis(&self) -> bool {
        let rest = &self.query.as_bytes()[self.position..];
        rest.iter().find(|byte| !is_space(**byte)) == Some(&b'(')
    }
}

/// What an operator of one or two signs is, and how many.
fn operator(first: u8, second: u8) -> Option<(usize, Operator)> {
    Some(match (first, second) {
        (b'*', _) => (1, Operator::Multiply),
        (b'/', _) => (1, Operator::Divide),
        (b'%', _) => (1, Operator::Modulo),
        (b'+', _) => (1, Operator::Add),
        (b'-', _) => (1, Operator::Subtract),
        (b'^', _) => (1, Operator::Power),
        (b'<', b'=') => (2, Operator::LessOrEqual),
        (b'<', b'/') => (2, Operator::TrimUpper),
        (b'<', _) => (1, Operator::Less),
        (b'>', b'=') => (2, Operator::GreaterOrEqual),
        (b'>', b'/') => (2, Operator::TrimLower),
        (b'>', _) => (1, Operator::Greater),
        _ => return None,
    })
}

pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
