//! Operators by how tightly they bind, and what stands between them.

use super::{Parser, push};
use crate::error::Error;
use crate::token::{Keyword, Kind, Operator, Token};
use crate::tree::{Expression, ExpressionId, narrow};
use crate::unquote;

impl Parser<'_> {
    /// An expression whose operators bind at least so tightly.
    pub(super) fn expression(&mut self, least: u8) -> Result<ExpressionId, Error> {
        self.nested(|parser| {
            let mut left = parser.operand()?;
            loop {
                let Kind::Operator(operator) = parser.peek()?.kind else { return Ok(left) };
                if operator.precedence() < least {
                    return Ok(left);
                }
                parser.ahead = None;
                left = parser.binary(left, operator)?;
            }
        })
    }

    /// The rest of an expression after its operator.
    fn binary(&mut self, left: ExpressionId, operator: Operator) -> Result<ExpressionId, Error> {
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

    /// What stands between operators, with all that binds tighter than they.
    fn operand(&mut self) -> Result<ExpressionId, Error> {
        let token = self.next()?;
        let mut operand = match token.kind {
            // A power within it binds tighter than the sign, all other operators do not.
            Kind::Operator(Operator::Add | Operator::Subtract) => return self.signed(token),
            Kind::Number | Kind::Duration => {
                let value = self.number(token)?;
                let duration = token.kind == Kind::Duration;
                self.add(Expression::Number { value, duration }, token.start, token.end)
            }
            Kind::Text => {
                let text = unquote::unquote(self.text(token));
                self.tree.texts.push(text);
                let index = narrow(self.tree.texts.len() - 1);
                self.add(Expression::Text(index), token.start, token.end)
            }
            Kind::LeftParen => {
                let inner = self.expression(0)?;
                let end = self.expect(Kind::RightParen, self.context, "")?.end;
                self.add(Expression::Parentheses(inner), token.start, end)
            }
            Kind::LeftBrace => self.braces(token)?,
            Kind::Aggregation(aggregation) => match self.peek()?.kind {
                Kind::LeftParen | Kind::Keyword(Keyword::By | Keyword::Without) => {
                    self.aggregate(token, aggregation)?
                }
                _ => self.metric(token)?,
            },
            Kind::Identifier | Kind::Time(_) => match self.peek()?.kind {
                Kind::LeftParen => self.call(token)?,
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
                Kind::LeftBracket => operand = self.brackets(operand)?,
                Kind::Keyword(Keyword::Offset) => self.offset(operand)?,
                Kind::Keyword(Keyword::Anchored) => self.anchored(operand)?,
                Kind::Keyword(Keyword::Smoothed) => self.smoothed(operand)?,
                Kind::At => self.at(operand)?,
                _ => break,
            }
        }
        Ok(operand)
    }

    /// An expression after a sign. A number takes the sign into itself.
    fn signed(&mut self, sign: Token) -> Result<ExpressionId, Error> {
        let minus = sign.kind == Kind::Operator(Operator::Subtract);
        let operand = self.expression(Operator::Power.precedence())?;
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

/// Whether a word can begin an expression.
pub(super) fn begins(kind: Kind) -> bool {
    names_metric(kind)
        || matches!(
            kind,
            Kind::Operator(Operator::Add | Operator::Subtract)
                | Kind::Number
                | Kind::Duration
                | Kind::Text
                | Kind::LeftParen
                | Kind::LeftBrace
        )
}

/// Whether a word can be the name of a metric where an expression is expected.
fn names_metric(kind: Kind) -> bool {
    match kind {
        Kind::Identifier
        | Kind::MetricIdentifier
        | Kind::Aggregation(_)
        | Kind::Time(_)
        | Kind::Operator(Operator::And | Operator::Or | Operator::Unless) => true,
        Kind::Keyword(keyword) => match keyword {
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
        Kind::Operator(_)
        | Kind::End
        | Kind::Comma
        | Kind::Colon
        | Kind::LeftParen
        | Kind::RightParen
        | Kind::LeftBrace
        | Kind::RightBrace
        | Kind::LeftBracket
        | Kind::RightBracket
        | Kind::Assign
        | Kind::Matches
        | Kind::MatchesNot
        | Kind::At
        | Kind::Text
        | Kind::Number
        | Kind::Duration => false,
    }
}
