//! Tokens between braces. Keywords are names there.

use super::{Lexer, Read, is_name};
use crate::token::{BinaryOperator, TokenKind};

impl Lexer<'_> {
    /// A token between braces.
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
                (rest.iter().position(|byte| !is_name(*byte)).unwrap_or(rest.len()), TokenKind::Identifier)
            }
            (b',', _) => (1, TokenKind::Comma),
            (b'"' | b'\'', _) => return self.text().map(Some),
            (b'`', _) => return self.raw_text().map(Some),
            (b'=', b'~') => (2, TokenKind::Matches),
            (b'=', _) => (1, TokenKind::Assign),
            (b'!', b'~') => (2, TokenKind::MatchesNot),
            (b'!', b'=') => (2, TokenKind::Operator(BinaryOperator::NotEqual)),
            (b'!', _) => {
                let character = self.character_at(self.position + 1);
                return self.fail(format!("unexpected character after '!' inside braces: {character}"));
            }
            (b'{', _) => return self.fail("unexpected left brace '{'"),
            (b'}', _) => {
                self.in_braces = false;
                (1, TokenKind::RightBrace)
            }
            (0, _) if self.at_end() => return self.fail("unexpected end of input inside braces"),
            _ => {
                let character = self.character_at(self.position);
                return self.fail(format!("unexpected character inside braces: {character}"));
            }
        };
        Ok(Some(self.take(length, kind)))
    }
}
