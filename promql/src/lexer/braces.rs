//! Words of a selector, between braces. Keywords are names here.

use super::{Lexer, Read, is_name};
use crate::token::{Kind, Operator};

impl Lexer<'_> {
    /// A word of a selector.
    pub(super) fn between_braces(&mut self) -> Read {
        let (length, kind) = match (self.byte(0), self.byte(1)) {
            (b' ' | b'\t' | b'\n' | b'\r', _) => {
                self.skip_space();
                return Ok(None);
            }
            (b'#', _) => {
                self.skip_comment();
                return Ok(None);
            }
            (b'a'..=b'z' | b'A'..=b'Z' | b'_', _) => {
                let rest = &self.query.as_bytes()[self.position..];
                (rest.iter().position(|byte| !is_name(*byte)).unwrap_or(rest.len()), Kind::Identifier)
            }
            (b',', _) => (1, Kind::Comma),
            (b'"' | b'\'', _) => return self.text().map(Some),
            (b'`', _) => return self.raw_text().map(Some),
            (b'=', b'~') => (2, Kind::Matches),
            (b'=', _) => (1, Kind::Assign),
            (b'!', b'~') => (2, Kind::MatchesNot),
            (b'!', b'=') => (2, Kind::Operator(Operator::NotEqual)),
            (b'!', _) => {
                let letter = self.letter_at(self.position + 1);
                return self.fail(format!("unexpected character after '!' inside braces: {letter}"));
            }
            (b'{', _) => return self.fail("unexpected left brace '{'"),
            (b'}', _) => {
                self.in_braces = false;
                (1, Kind::RightBrace)
            }
            (0, _) if self.at_end() => return self.fail("unexpected end of input inside braces"),
            _ => {
                let letter = self.letter_at(self.position);
                return self.fail(format!("unexpected character inside braces: {letter}"));
            }
        };
        Ok(Some(self.take(length, kind)))
    }
}
