//! Numbers of a template. What is read here may still be no number: whoever takes its value finds out.

use super::super::token::Kind;
use super::{Failure, Lexer, Read, is_name};
use crate::quoted::Quoted;

impl<'t> Lexer<'t> {
    /// A number, or a sum with an imaginary one.
    pub(super) fn number(&mut self) -> Read<'t> {
        if !self.read_number() {
            return self.bad_number();
        }
        if matches!(self.letter(), Some('+' | '-')) {
            if !self.read_number() || !self.text[..self.position].ends_with('i') {
                return self.bad_number();
            }
            return Ok(self.emit(Kind::Complex));
        }
        Ok(self.emit(Kind::Number))
    }

    fn bad_number<T>(&self) -> Result<T, Failure> {
        self.fail(format!("bad number syntax: {}", Quoted(&self.text[self.start..self.position])))
    }

    /// Reads letters as long as they are among these.
    fn accept_all(&mut self, valid: &str) {
        let rest = self.rest();
        self.position += rest.len() - rest.trim_start_matches(|letter| valid.contains(letter)).len();
    }

    /// Reads one letter if it is among these.
    fn accept(&mut self, valid: &str) -> bool {
        let accepted = self.letter().is_some_and(|letter| valid.contains(letter));
        self.position += usize::from(accepted);
        accepted
    }

    /// Whether something was read that may be a number. Its value is looked at later.
    fn read_number(&mut self) -> bool {
        self.accept("+-");
        let mut digits = "0123456789_";
        if self.accept("0") {
            if self.accept("xX") {
                digits = "0123456789abcdefABCDEF_";
            } else if self.accept("oO") {
                digits = "01234567_";
            } else if self.accept("bB") {
                digits = "01_";
            }
        }
        self.accept_all(digits);
        if self.accept(".") {
            self.accept_all(digits);
        }
        let exponent = match digits.len() {
            11 => "eE",
            23 => "pP",
            _ => "",
        };
        if self.accept(exponent) {
            self.accept("+-");
            self.accept_all("0123456789_");
        }
        self.accept("i");
        match self.letter() {
            Some(letter) if is_name(letter) => {
                self.position += letter.len_utf8();
                false
            }
            _ => true,
        }
    }
}
