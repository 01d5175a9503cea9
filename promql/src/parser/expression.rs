//! Operators by their precedence, and operands.

use super::{Parser, push};
use crate::error::Error;
use crate::token::{BinaryOperator, Keyword, Token, TokenKind};
use crate::tree::{Expression, ExpressionId, narrow};
use crate::unquote;

impl Parser<'_> {
    /// An expression whose operators have at least this precedence.
    pub(super) fn expression(&mut self, least: u8) -> Result<ExpressionId, Error> {
        self.nested(|parser| {
            let mut left = parser.operand()?;
            loop {
                let TokenKind::Operator(operator) = parser.peek()?.kind else { return Ok(left) };
                if operator.precedence() < least {
                    return Ok(left);
                }
                parser.ahead = None;
                left = parser.binary(left, operator)?;
            }
        })
    }

    /// The rest of a binary expression, after its operator.
    fn binary(&mut self, left: ExpressionId, operator: BinaryOperator) -> Result<ExpressionId, Error> {
        let (bool, matching) = self.matching()?;
        let right = self.expression(operator.right_precedence())?;
        let (start, end) = (self.start(left), self.end(right));
        if !self.options.fill_modifiers && (matching.fill_left.is_some() || matching.fill_right.is_some()) {
            return Err(self.error(start, "binop fill modifiers are experimental and not enabled"));
        }
        let matching = (!matching.is_plain()).then(|| {
            push(&mut self.tree.matchings, matching);
            narrow(self.tree.matchings.len() - 1)
        });
        Ok(self.add(Expression::Binary { operator, bool, left, right, matching }, start, end))
    }

    /// An operand, with everything that binds more tightly than a binary operator.
    fn operand(&mut self) -> Result<ExpressionId, Error> {
        let token = self.next()?;
        let mut operand = match token.kind {
            // Only a power binds more tightly than a sign.
            TokenKind::Operator(BinaryOperator::Add | BinaryOperator::Subtract) => return self.signed(token),
            TokenKind::Number | TokenKind::Duration => {
                let value = self.number(token)?;
                let duration = token.kind == TokenKind::Duration;
                self.add(Expression::Number { value, duration }, token.start, token.end)
            }
            TokenKind::Text => {
                let text = unquote::unquote(self.text(token));
                self.tree.texts.push(text);
                let index = narrow(self.tree.texts.len() - 1);
                self.add(Expression::Text(index), token.start, token.end)
            }
            TokenKind::LeftParen => {
                let inner = self.expression(0)?;
                let end = self.expect(TokenKind::RightParen, self.context, "")?.end;
                self.add(Expression::Parentheses(inner), token.start, end)
            }
            TokenKind::LeftBrace => self.braces(token)?,
            TokenKind::Aggregation(aggregation) => match self.peek()?.kind {
                TokenKind::LeftParen | TokenKind::Keyword(Keyword::By | Keyword::Without) => {
                    self.aggregate(token, aggregation)?
                }
                _ => self.metric(token)?,
            },
            TokenKind::Identifier | TokenKind::Time(_) => match self.peek()?.kind {
                TokenKind::LeftParen => self.call(token)?,
                _ => self.metric(token)?,
            },
            kind if names_metric(kind) => self.metric(token)?,
            _ => return Err(self.unexpected(token, self.context, "")),
        };
        for depth in 0.. {
            if depth > super::DEEPEST {
                return Err(self.error(token.start, "expression nests too deeply"));
            }
            let after = self.peek()?;
            match after.kind {
                TokenKind::LeftBracket => operand = self.brackets(operand)?,
                TokenKind::Keyword(Keyword::Offset) => self.offset(operand)?,
                TokenKind::Keyword(Keyword::Anchored) => self.anchored(operand)?,
                TokenKind::Keyword(Keyword::Smoothed) => self.smoothed(operand)?,
                TokenKind::At => self.at(operand)?,
                _ => break,
            }
        }
        Ok(operand)
    }

    /// An expression after a sign. The sign of a number becomes part of the number.
    fn signed(&mut self, sign: Token) -> Result<ExpressionId, Error> {
        let minus = sign.kind == TokenKind::Operator(BinaryOperator::Subtract);
        let operand = self.expression(BinaryOperator::Power.precedence())?;
        let node = self.node_mut(operand);
        if let Expression::Number { value, .. } = &mut node.expression {
            if minus {
                *value = -*value;
            }
            node.start = narrow(sign.start);
            return Ok(operand);
        }
        let end = self.end(operand);
        Ok(self.add(Expression::Sign { minus, operand }, sign.start, end))
    }
}

/// Whether a token can start an expression.
pub(super) fn begins(kind: TokenKind) -> bool {
    names_metric(kind)
        || matches!(
            kind,
            TokenKind::Operator(BinaryOperator::Add | BinaryOperator::Subtract)
                | TokenKind::Number
                | TokenKind::Duration
                | TokenKind::Text
                | TokenKind::LeftParen
                | TokenKind::LeftBrace
        )
}

/// Whether a token can be the name of a metric where an expression is expected.
fn names_metric(kind: TokenKind) -> bool {
    match kind {
        TokenKind::Identifier
        | TokenKind::MetricIdentifier
        | TokenKind::Aggregation(_)
        | TokenKind::Time(_)
        | TokenKind::Operator(BinaryOperator::And | BinaryOperator::Or | BinaryOperator::Unless) => true,
        TokenKind::Keyword(keyword) => match keyword {
            Keyword::Anchored
            | Keyword::By
            | Keyword::Fill
            | Keyword::FillLeft
            | Keyword::FillRight
            | Keyword::Offset
            | Keyword::Smoothed
            | Keyword::Without => true,
            Keyword::Bool | Keyword::GroupLeft | Keyword::GroupRight | Keyword::Ignoring | Keyword::On => {
                false
            }
        },
        TokenKind::Operator(_)
        | TokenKind::End
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
