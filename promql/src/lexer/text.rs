//! Strings.

use go_syntax::quoted::CodePoint;

use super::{LexError, Lexer};
use crate::token::{Token, TokenKind};

impl Lexer<'_> {
    /// A string with escape sequences.
    pub(super) fn text(&mut self) -> Result<Token, LexError> {
        let open = self.byte(0);
        self.position += 1;
        loop {
            let byte = self.byte(0);
            match byte {
                b'\n' => return self.fail("unterminated quoted string"),
                0 if self.at_end() => return self.fail("unterminated quoted string"),
                b'\\' => {
                    self.position += 1;
                    self.escape(open)?;
                }
                _ if byte == open => {
                    self.position += 1;
                    return Ok(self.emit(TokenKind::Text));
                }
                _ => self.character()?,
            }
        }
    }

    /// A string between backquotes, without escape sequences.
    pub(super) fn raw_text(&mut self) -> Result<Token, LexError> {
        self.position += 1;
        loop {
            match self.byte(0) {
                0 if self.at_end() => return self.fail("unterminated raw string"),
                b'`' => {
                    self.position += 1;
                    return Ok(self.emit(TokenKind::Text));
                }
                _ => self.character()?,
            }
        }
    }

    /// A character of a string. The replacement character is rejected too.
    fn character(&mut self) -> Result<(), LexError> {
        let byte = self.byte(0);
        if byte.is_ascii() {
            self.position += 1;
            return Ok(());
        }
        let character = self.next_character().unwrap_or(char::REPLACEMENT_CHARACTER);
        if character == char::REPLACEMENT_CHARACTER {
            return self.fail("invalid UTF-8 rune");
        }
        self.position += character.len_utf8();
        Ok(())
    }

    fn next_character(&self) -> Option<char> {
        self.query.get(self.position..).and_then(|rest| rest.chars().next())
    }

    /// The escape sequence after a backslash.
    fn escape(&mut self, open: u8) -> Result<(), LexError> {
        let (digits, base, largest) = match self.byte(0) {
            b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' | b'\\' => {
                self.position += 1;
                return Ok(());
            }
            byte if byte == open => {
                self.position += 1;
                return Ok(());
            }
            b'0'..=b'7' => (3, 8, 0xff),
            kind @ (b'x' | b'u' | b'U') => {
                self.position += 1;
                match kind {
                    b'x' => (2, 16, 0xff),
                    b'u' => (4, 16, u32::from(char::MAX)),
                    _ => (8, 16, u32::from(char::MAX)),
                }
            }
            _ => {
                return match self.next_character() {
                    None => self.fail("escape sequence not terminated"),
                    Some(character) => self.fail(format!("unknown escape sequence {}", CodePoint(character))),
                };
            }
        };
        let mut value: u32 = 0;
        for _ in 0..digits {
            let Some(character) = self.next_character() else {
                return self.fail("escape sequence not terminated");
            };
            let Some(digit) = character.to_digit(base) else {
                return self.fail(format!("illegal character {} in escape sequence", CodePoint(character)));
            };
            value = value.wrapping_mul(base).wrapping_add(digit);
            self.position += 1;
        }
        if value > largest || (0xd800..0xe000).contains(&value) {
            return self.fail("escape sequence is an invalid Unicode code point");
        }
        Ok(())
    }
}
