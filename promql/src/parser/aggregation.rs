//! Aggregations, and lists of labels.

use go_syntax::quoted::QuotedBytes;

use super::Parser;
use crate::error::Error;
use crate::lexer::is_space;
use crate::text::Text;
use crate::token::{Aggregation, BinaryOperator, Keyword, Token, TokenKind};
use crate::tree::{Expression, ExpressionId, IndexRange};
use crate::unquote;

impl Parser<'_> {
    /// The rest of an aggregation. Its labels are before or after the parentheses.
    pub(super) fn aggregate(&mut self, name: Token, aggregation: Aggregation) -> Result<ExpressionId, Error> {
        let outer = std::mem::replace(&mut self.context, "aggregation");
        let before = self.by_or_without()?;
        let arguments = self.arguments()?;
        let modifier = if before.is_some() { before } else { self.by_or_without()? };
        self.context = outer;
        let end = if modifier.is_some() { self.last_closing } else { self.closing_before_look_ahead() };
        let (without, labels) = modifier.unwrap_or_default();

        let given = self.pending.split_off(arguments);
        let fail = |message: String| Err(self.error(name.start, message));
        let [first, rest @ ..] = given.as_slice() else {
            return fail("no arguments for aggregate expression provided".to_owned());
        };
        if aggregation.is_experimental() && !self.options.experimental_functions {
            return fail(format!(
                "{}() is experimental and must be enabled with --enable-feature=promql-experimental-functions",
                aggregation.text()
            ));
        }
        let (parameter, operand) = match (aggregation.has_parameter(), rest) {
            (true, [operand]) => (Some(*first), *operand),
            (false, []) => (None, *first),
            (parameter, _) => {
                let wanted = 1 + usize::from(parameter);
                return fail(format!(
                    "wrong number of arguments for aggregate expression provided, expected {wanted}, got {}",
                    given.len()
                ));
            }
        };
        let expression = Expression::Aggregate { aggregation, operand, parameter, without, labels };
        Ok(self.add(expression, name.start, end))
    }

    /// The end of the parentheses. If the token after them is also a closing parenthesis, `last_closing` already
    /// points behind that one.
    fn closing_before_look_ahead(&self) -> usize {
        let query = self.lexer.query.as_bytes();
        let last = self.lexer.last;
        if last == 0 || query.get(last) != Some(&b')') {
            return self.last_closing;
        }
        let before = query[1..last].iter().rposition(|byte| !is_space(*byte));
        match before {
            Some(index) if query[1 + index] == b')' => index + 2,
            _ => self.last_closing,
        }
    }

    /// `by (…)` or `without (…)`.
    fn by_or_without(&mut self) -> Result<Option<(bool, IndexRange)>, Error> {
        let without = match self.peek()?.kind {
            TokenKind::Keyword(Keyword::By) => false,
            TokenKind::Keyword(Keyword::Without) => true,
            _ => return Ok(None),
        };
        self.ahead = None;
        Ok(Some((without, self.labels()?)))
    }

    /// Labels in parentheses.
    pub(super) fn labels(&mut self) -> Result<IndexRange, Error> {
        const CONTEXT: &str = "grouping opts";
        let first = self.tree.labels.len();
        self.expect(TokenKind::LeftParen, CONTEXT, "\"(\"")?;
        while self.accept(TokenKind::RightParen)?.is_none() {
            let token = self.peek()?;
            let label = match token.kind {
                TokenKind::Text => unquote::unquote(self.text(token)),
                kind if names_label(kind) => Text::from(self.text(token)),
                _ => return Err(self.unexpected(token, CONTEXT, "label")),
            };
            self.ahead = None;
            if label.is_empty() || str::from_utf8(&label).is_err() {
                let message = format!("invalid label name for grouping: {}", QuotedBytes(&label));
                return Err(self.error(token.start, message));
            }
            self.tree.labels.push(label);
            if self.accept(TokenKind::Comma)?.is_none() {
                self.expect(TokenKind::RightParen, CONTEXT, "\",\" or \")\"")?;
                break;
            }
        }
        Ok(IndexRange::new(first, self.tree.labels.len()))
    }
}

/// Whether a token can be a label name in a list.
fn names_label(kind: TokenKind) -> bool {
    match kind {
        TokenKind::Identifier
        | TokenKind::MetricIdentifier
        | TokenKind::Aggregation(_)
        | TokenKind::Time(_) => true,
        TokenKind::Keyword(keyword) => keyword != Keyword::Without,
        TokenKind::Operator(operator) => {
            matches!(
                operator,
                BinaryOperator::And | BinaryOperator::Or | BinaryOperator::Unless | BinaryOperator::Atan2
            )
        }
        TokenKind::End
        | TokenKind::Comma
        | TokenKind::Colon
        | TokenKind::LeftParen
        | TokenKind::RightParen
        | TokenKind::LeftBrace
        | TokenKind::RightBrace
        | TokenKind::LeftBracket
        | TokenKind::RightBracket
        | TokenKind::Assign
        | TokenKind::Matches
        | TokenKind::MatchesNot
        | TokenKind::At
        | TokenKind::Text
        | TokenKind::Number
        | TokenKind::Duration => false,
    }
}
