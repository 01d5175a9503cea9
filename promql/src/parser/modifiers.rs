//! Modifiers of selectors and subqueries: `offset`, `@`, `anchored` and `smoothed`.

use std::num::NonZero;

use super::duration::Context;
use super::{Parser, push};
use crate::error::Error;
use crate::token::{BinaryOperator, Time, TokenKind};
use crate::tree::{At, Edges, Expression, ExpressionId, Modifiers, TimeSpan, VectorSelector, narrow};

impl Parser<'_> {
    /// `offset` after an expression.
    pub(super) fn offset(&mut self, operand: ExpressionId) -> Result<(), Error> {
        self.ahead = None;
        let offset = self.offset_duration()?;
        let start = self.start(operand);
        let end = self.last_closing;
        let Some(modifiers) = self.modifiers(operand) else {
            return Err(self.error(
                start,
                "offset modifier must be preceded by an instant vector selector or range vector selector or a subquery",
            ));
        };
        if modifiers.offset != TimeSpan::NONE {
            return Err(self.error(start, "offset may not be set multiple times"));
        }
        modifiers.offset = offset;
        self.node_mut(operand).end = narrow(end);
        Ok(())
    }

    /// `@` after an expression.
    pub(super) fn at(&mut self, operand: ExpressionId) -> Result<(), Error> {
        self.ahead = None;
        let start = self.start(operand);
        let at = self.timestamp(start)?;
        let end = self.last_closing;
        let Some(modifiers) = self.modifiers(operand) else {
            return Err(self.error(
                start,
                "@ modifier must be preceded by an instant vector selector or range vector selector or a subquery",
            ));
        };
        if modifiers.at != At::Unset {
            return Err(self.error(start, "@ <timestamp> may not be set multiple times"));
        }
        modifiers.at = at;
        self.node_mut(operand).end = narrow(end);
        Ok(())
    }

    /// The timestamp after `@`.
    fn timestamp(&mut self, operand: usize) -> Result<At, Error> {
        const CONTEXT: Context = Context { construct: "@", expected: "timestamp" };
        let mut token = self.next()?;
        if let TokenKind::Time(time @ (Time::Start | Time::End)) = token.kind {
            self.expect(TokenKind::LeftParen, CONTEXT.construct, CONTEXT.expected)?;
            self.expect(TokenKind::RightParen, CONTEXT.construct, CONTEXT.expected)?;
            return Ok(if time == Time::Start { At::Start } else { At::End });
        }
        let minus = token.kind == TokenKind::Operator(BinaryOperator::Subtract);
        if minus || token.kind == TokenKind::Operator(BinaryOperator::Add) {
            token = self.next()?;
        }
        if !matches!(token.kind, TokenKind::Number | TokenKind::Duration) {
            return Err(self.unexpected(token, CONTEXT.construct, CONTEXT.expected));
        }
        let mut seconds = self.number(token)?;
        if minus {
            seconds = -seconds;
        }
        // Milliseconds must fit into 64 bits. Prometheus nevertheless applies that bound to the seconds.
        if !seconds.is_finite() || seconds.abs() >= super::duration::TWO_TO_63 {
            let shown = if seconds == f64::INFINITY { "+Inf".to_owned() } else { shown(seconds) };
            let message = format!("timestamp out of bounds for @ modifier: {shown}");
            return Err(self.error(operand, message));
        }
        Ok(At::Milliseconds(super::duration::whole((seconds * 1000.0).round())))
    }

    /// The modifiers of an expression that can have some.
    fn modifiers(&mut self, operand: ExpressionId) -> Option<&mut Modifiers> {
        if let Expression::Subquery { subquery, .. } = self.node(operand).expression {
            return Some(&mut self.tree.subqueries[subquery as usize].modifiers);
        }
        let next = NonZero::new(narrow(self.tree.modifier_lists.len() + 1))?;
        let selector = self.selector_of(operand)?;
        let index = *selector.modifiers.get_or_insert(next);
        if index == next {
            push(&mut self.tree.modifier_lists, Modifiers::NONE);
        }
        Some(&mut self.tree.modifier_lists[index.get() as usize - 1])
    }

    /// `anchored` after an expression.
    pub(super) fn anchored(&mut self, operand: ExpressionId) -> Result<(), Error> {
        self.edges(operand, Edges::Anchored, "anchored")
    }

    /// `smoothed` after an expression.
    pub(super) fn smoothed(&mut self, operand: ExpressionId) -> Result<(), Error> {
        self.edges(operand, Edges::Smoothed, "smoothed")
    }

    fn edges(&mut self, operand: ExpressionId, edges: Edges, name: &str) -> Result<(), Error> {
        self.ahead = None;
        let start = self.start(operand);
        if !self.options.extended_ranges {
            return Err(self.error(start, format!("{name} modifier is experimental and not enabled")));
        }
        let message = if matches!(self.node(operand).expression, Expression::Subquery { .. }) {
            format!("{name} modifier is not supported for subqueries")
        } else {
            match self.modifiers(operand) {
                Some(modifiers) if modifiers.edges == Edges::Plain || modifiers.edges == edges => {
                    modifiers.edges = edges;
                    return Ok(());
                }
                Some(_) => "anchored and smoothed modifiers cannot be used together".to_owned(),
                None => format!("{name} modifier not implemented"),
            }
        };
        Err(self.error(start, message))
    }

    /// The selector of an expression that is an instant or a range vector.
    fn selector_of(&mut self, operand: ExpressionId) -> Option<&mut VectorSelector> {
        let selector = match &self.node(operand).expression {
            Expression::Matrix { selector, .. } => *selector,
            _ => operand,
        };
        match &mut self.node_mut(selector).expression {
            Expression::Selector(selector) => Some(selector),
            _ => None,
        }
    }
}

/// A number with six decimal places.
fn shown(number: f64) -> String {
    if number == f64::NEG_INFINITY { "-Inf".to_owned() } else { format!("{number:.6}") }
}
