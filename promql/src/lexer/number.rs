//! Numbers and durations. Only their form is checked here. The parser checks their values.

use go_syntax::quoted::Quoted;

use super::{LexError, Lexer, is_name};
use crate::token::{Token, TokenKind};

impl Lexer<'_> {
    /// A number or a duration.
    pub(super) fn number_or_duration(&mut self) -> Result<Token, LexError> {
        if self.number() {
            return Ok(self.emit(TokenKind::Number));
        }
        if self.rest_of_duration() {
            return Ok(self.emit(TokenKind::Duration));
        }
        let text = &self.query[self.start..self.position];
        self.fail(format!("bad number or duration syntax: {}", Quoted(text)))
    }

    /// Reads one byte if it is valid.
    fn accept(&mut self, valid: &[u8]) -> bool {
        let accepted = !self.at_end() && valid.contains(&self.byte(0));
        self.position += usize::from(accepted);
        accepted
    }

    fn next_is(&self, valid: &[u8]) -> bool {
        !self.at_end() && valid.contains(&self.byte(0))
    }

    /// Whether a number was read. If not, the position stays after what was read, which can be the start of a
    /// duration.
    fn number(&mut self) -> bool {
        let first = self.position;
        let hexadecimal = self.accept(b"0") && self.accept(b"xX");
        if hexadecimal {
            self.accept(b"_");
        }
        let digits: &[u8] = if hexadecimal { b"0123456789abcdefABCDEF" } else { b"0123456789" };
        self.accept(b".");
        self.accept(digits);
        let (mut dot, mut exponent) = (false, false);
        while self.next_is(digits) || self.next_is(b"._eE") {
            if self.next_is(b".") {
                self.position += 1;
                // A second point, a point before an invalid character, or a fraction of a hexadecimal number.
                if dot || self.accept(b"_.") || hexadecimal {
                    return false;
                }
                dot = true;
            } else if self.accept(b"eE") {
                if exponent {
                    return false;
                }
                exponent = true;
                self.accept(b"+-");
                if self.accept(b"._eE") || self.at_end() {
                    return false;
                }
            } else if self.accept(b"_") {
                if self.accept(b"._eE") || self.at_end() {
                    return false;
                }
            } else {
                while self.accept(digits) {}
            }
        }
        self.position != first && !is_name(self.byte(0))
    }

    /// Whether units follow the number that was read.
    fn rest_of_duration(&mut self) -> bool {
        if !self.accept(b"smhdwy") {
            return false;
        }
        // Some pairs of letters are not units. The parser rejects them.
        self.accept(b"s");
        while self.accept(b"0123456789") {
            while self.accept(b"0123456789") {}
            if !self.accept(b"smhdw") {
                return false;
            }
            self.accept(b"s");
        }
        let more = is_name(self.byte(0));
        self.position += usize::from(more);
        !more
    }
}
