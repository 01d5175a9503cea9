//! Vector selectors: a metric name, label matchers, or both.

use go_syntax::quoted;

use super::Parser;
use crate::error::Error;
use crate::regexp;
use crate::text::Text;
use crate::token::{BinaryOperator, Token, TokenKind};
use crate::tree::{Comparison, Expression, ExpressionId, IndexRange, Matcher, VectorSelector};
use crate::unquote;

/// The label that contains the metric name.
pub(crate) const NAME: &str = "__name__";

/// The construct in errors.
const CONTEXT: &str = "label matching";

impl<'q> Parser<'q> {
    /// A selector after its metric name.
    pub(super) fn metric(&mut self, name: Token) -> Result<ExpressionId, Error> {
        let first = self.tree.matchers.len();
        let end = match self.accept(TokenKind::LeftBrace)? {
            Some(_) => self.conditions()?,
            None => name.end,
        };
        Ok(self.selector(IndexRange::new(name.start, name.end), first, name.start, end))
    }

    /// A selector after its left brace.
    pub(super) fn braces(&mut self, brace: Token) -> Result<ExpressionId, Error> {
        let first = self.tree.matchers.len();
        let end = self.conditions()?;
        Ok(self.selector(IndexRange::default(), first, brace.start, end))
    }

    fn selector(&mut self, name: IndexRange, first: usize, start: usize, end: usize) -> ExpressionId {
        let matchers = IndexRange::new(first, self.tree.matchers.len());
        let selector = VectorSelector { name, matchers, modifiers: None };
        self.add(Expression::Selector(selector), start, end)
    }

    /// Label matchers up to the right brace. Returns the end of the brace.
    fn conditions(&mut self) -> Result<usize, Error> {
        if self.tree.matchers.capacity() == 0 {
            // Each matcher has a quoted string, and there are few other strings.
            let quotes = self.lexer.query.bytes().filter(|byte| *byte == b'"').count();
            self.tree.matchers.reserve_exact(quotes.div_ceil(2).clamp(1, 64));
        }
        loop {
            if let Some(brace) = self.accept(TokenKind::RightBrace)? {
                return Ok(brace.end);
            }
            let matcher = self.condition()?;
            self.tree.matchers.push(matcher);
            if self.accept(TokenKind::Comma)?.is_none() {
                return Ok(self.expect(TokenKind::RightBrace, CONTEXT, "\",\" or \"}\"")?.end);
            }
        }
    }

    fn condition(&mut self) -> Result<Matcher<'q>, Error> {
        let token = self.next()?;
        let name: Text<'q> = match token.kind {
            TokenKind::Identifier => Text::from(self.text(token)),
            TokenKind::Text => unquote::unquote(self.text(token)),
            _ => return Err(self.unexpected(token, CONTEXT, "identifier or \"}\"")),
        };
        let operator = self.peek()?;
        let comparison = match operator.kind {
            TokenKind::Assign => Comparison::Equal,
            TokenKind::Operator(BinaryOperator::NotEqual) => Comparison::NotEqual,
            TokenKind::Matches => Comparison::Matches,
            TokenKind::MatchesNot => Comparison::MatchesNot,
            // A string alone is the metric name.
            _ if token.kind == TokenKind::Text => {
                let matches_empty = name.is_empty();
                let comparison = Comparison::Equal;
                return Ok(Matcher { name: NAME.into(), comparison, value: name, matches_empty });
            }
            _ => return Err(self.unexpected(operator, CONTEXT, "label matching operator")),
        };
        self.ahead = None;
        let value = self.expect(TokenKind::Text, CONTEXT, "string")?;
        let value = unquote::unquote(self.text(value));
        let matches_empty = match comparison {
            Comparison::Equal => value.is_empty(),
            Comparison::NotEqual => !value.is_empty(),
            Comparison::Matches | Comparison::MatchesNot => {
                let matches_empty = regexp::matches_empty(&value)
                    .map_err(|error| self.error(token.start, error.to_string()))?;
                matches_empty == (comparison == Comparison::Matches)
            }
        };
        Ok(Matcher { name, comparison, value, matches_empty })
    }
}

impl Matcher<'_> {
    /// Appends the matcher as Prometheus prints it.
    pub(crate) fn write(&self, out: &mut String) {
        write_label(out, &self.name);
        out.push_str(match self.comparison {
            Comparison::Equal => "=",
            Comparison::NotEqual => "!=",
            Comparison::Matches => "=~",
            Comparison::MatchesNot => "!~",
        });
        quoted::push(out, &self.value);
    }
}

/// Appends the name of a label, in quotes if necessary.
pub(crate) fn write_label(out: &mut String, name: &[u8]) {
    let plain = match name {
        [first, rest @ ..] => {
            let is_letter = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
            is_letter(*first) && rest.iter().all(|byte| is_letter(*byte) || byte.is_ascii_digit())
        }
        [] => false,
    };
    match str::from_utf8(name) {
        Ok(name) if plain => out.push_str(name),
        _ => quoted::push(out, name),
    }
}
