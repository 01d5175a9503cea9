//! Tokens between brackets.

use go_syntax::quoted::QuotedCharacter;

use super::{LexError, Lexer, Read, State};
use crate::keyword;
use crate::token::{BinaryOperator, Token, TokenKind};

impl Lexer<'_> {
    /// A token between brackets, after the first duration.
    pub(super) fn word_between_brackets(&mut self) -> Read {
        let first = self.byte(0);
        if first == b':' {
            if self.colon {
                self.position += 1;
                return self.fail("unexpected colon ':'");
            }
            self.colon = true;
            return Ok(Some(self.take(1, TokenKind::Colon)));
        }
        if let Some(token) = self.duration_word() {
            return Ok(Some(token));
        }
        let character = QuotedCharacter(char::from(first));
        self.fail(format!("unexpected character: {character}, expected ':'"))
    }

    /// `step`, `range`, `max_of` or `min_of`.
    fn duration_word(&mut self) -> Option<Token> {
        let rest = &self.query.as_bytes()[self.position..];
        let length =
            rest.iter().position(|byte| !byte.is_ascii_alphabetic() && *byte != b'_').unwrap_or(rest.len());
        let word = keyword::in_brackets(&self.query[self.position..self.position + length])?;
        Some(self.take(length, TokenKind::Time(word)))
    }

    /// A token between brackets, before the first number.
    pub(super) fn between_brackets(&mut self) -> Read {
        let byte = self.byte(0);
        let kind = match byte {
            0 if self.at_end() => return self.fail("unexpected end of input in duration expression"),
            b']' => {
                self.in_brackets = false;
                self.colon = false;
                self.state = State::Anywhere;
                TokenKind::RightBracket
            }
            b':' => return self.colon().map(Some),
            b'(' | b')' => return self.parenthesis().map(Some),
            b' ' | b'\t' | b'\n' | b'\r' => {
                self.skip_space();
                return Ok(None);
            }
            b'+' => TokenKind::Operator(BinaryOperator::Add),
            b'-' => TokenKind::Operator(BinaryOperator::Subtract),
            b'*' => TokenKind::Operator(BinaryOperator::Multiply),
            b'/' => TokenKind::Operator(BinaryOperator::Divide),
            b'%' => TokenKind::Operator(BinaryOperator::Modulo),
            b'^' => TokenKind::Operator(BinaryOperator::Power),
            b',' => TokenKind::Comma,
            b'.' if !self.byte(1).is_ascii_digit() => return self.unexpected_in_duration(),
            b'0'..=b'9' | b'.' => {
                self.duration = true;
                self.state = State::Anywhere;
                return self.number_or_duration().map(Some);
            }
            _ => match self.duration_word() {
                Some(token) => return Ok(Some(token)),
                None => return self.unexpected_in_duration(),
            },
        };
        Ok(Some(self.take(1, kind)))
    }

    fn unexpected_in_duration<T>(&self) -> Result<T, LexError> {
        let character = self.character_at(self.position);
        self.fail(format!("unexpected character in duration expression: {character}"))
    }

    fn colon(&mut self) -> Result<Token, LexError> {
        let token = self.take(1, TokenKind::Colon);
        if !self.duration {
            return self.fail("unexpected colon before duration in duration expression");
        }
        if self.colon {
            return self.fail("unexpected repeated colon in duration expression");
        }
        self.colon = true;
        Ok(token)
    }
}
