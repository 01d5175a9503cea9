//! Numbers of a template. Only their form is checked here. `constant` checks their values.

use super::super::token::Kind;
use super::{Failure, Lexer, Read, is_name};
use crate::quoted::Quoted;

impl<'t> Lexer<'t> {
    /// A number, or a sum of a real and an imaginary one.
    pub(super) fn number(&mut self) -> Read<'t> {
        if !self.read_number() {
            return self.bad_number();
        }
        if matches!(self.character(), Some('+' | '-')) {
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

    /// Reads characters as long as they are valid.
    fn accept_all(&mut self, valid: &str) {
        let rest = self.rest();
        self.position += rest.len() - rest.trim_start_matches(|character| valid.contains(character)).len();
    }

    /// Reads one character if it is valid.
    fn accept(&mut self, valid: &str) -> bool {
        let accepted = self.character().is_some_and(|character| valid.contains(character));
        self.position += usize::from(accepted);
        accepted
    }

    /// Reads what can be a number, and returns whether there is nothing wrong with it so far.
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
        match self.character() {
            Some(character) if is_name(character) => {
                self.position += character.len_utf8();
                false
            }
            _ => true,
        }
    }
}
