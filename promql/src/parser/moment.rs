//! Another time than that of the query: `offset`, `@`, and how values at the edges of a range are found.

use std::num::NonZero;

use super::{Parser, push};
use crate::error::Error;
use crate::token::{Kind, Operator, Time};
use crate::tree::{At, Edges, Expression, ExpressionId, Moment, Selector, Span, narrow};

impl Parser<'_> {
    /// `offset` after an expression.
    pub(super) fn offset(&mut self, operand: ExpressionId) -> Result<(), Error> {
        self.ahead = None;
        let offset = self.offset_duration()?;
        let start = self.start(operand);
        let end = self.last_closing;
        let Some(moment) = self.moment(operand) else {
            return Err(self.error(
                start,
                "offset modifier must be preceded by an instant vector selector or range vector selector or a subquery",
            ));
        };
        if moment.offset != Span::NONE {
            return Err(self.error(start, "offset may not be set multiple times"));
        }
        moment.offset = offset;
        self.node_mut(operand).end = narrow(end);
        Ok(())
    }

    /// `@` after an expression.
    pub(super) fn at(&mut self, operand: ExpressionId) -> Result<(), Error> {
        self.ahead = None;
        let start = self.start(operand);
        let at = self.timestamp(start)?;
        let end = self.last_closing;
        let Some(moment) = self.moment(operand) else {
            return Err(self.error(
                start,
                "@ modifier must be preceded by an instant vector selector or range vector selector or a subquery",
            ));
        };
        if moment.at != At::Unset {
            return Err(self.error(start, "@ <timestamp> may not be set multiple times"));
        }
        moment.at = at;
        self.node_mut(operand).end = narrow(end);
        Ok(())
    }

    /// What stands after `@`.
    fn timestamp(&mut self, operand: usize) -> Result<At, Error> {
        const CONTEXT: (&str, &str) = ("@", "timestamp");
        let mut token = self.next()?;
        if let Kind::Time(time @ (Time::Start | Time::End)) = token.kind {
            self.expect(Kind::LeftParen, CONTEXT.0, CONTEXT.1)?;
            self.expect(Kind::RightParen, CONTEXT.0, CONTEXT.1)?;
            return Ok(if time == Time::Start { At::Start } else { At::End });
        }
        let minus = token.kind == Kind::Operator(Operator::Subtract);
        if minus || token.kind == Kind::Operator(Operator::Add) {
            token = self.next()?;
        }
        if !matches!(token.kind, Kind::Number | Kind::Duration) {
            return Err(self.unexpected(token, CONTEXT.0, CONTEXT.1));
        }
        let mut seconds = self.number(token)?;
        if minus {
            seconds = -seconds;
        }
        // Milliseconds are whole numbers of 64 bits; the bound is that of seconds all the same.
        if !seconds.is_finite() || seconds.abs() >= super::duration::TWO_TO_63 {
            let shown = if seconds == f64::INFINITY { "+Inf".to_owned() } else { shown(seconds) };
            let message = format!("timestamp out of bounds for @ modifier: {shown}");
            return Err(self.error(operand, message));
        }
        Ok(At::Milliseconds(super::duration::whole((seconds * 1000.0).round())))
    }

    /// The time of an expression that has one.
    fn moment(&mut self, operand: ExpressionId) -> Option<&mut Moment> {
        if let Expression::Subquery { subquery, .. } = self.node(operand).expression {
            return Some(&mut self.tree.subqueries[subquery as usize].moment);
        }
        let next = NonZero::new(narrow(self.tree.moments.len() + 1))?;
        let selector = self.selector_of(operand)?;
        let index = *selector.moment.get_or_insert(next);
        if index == next {
            push(&mut self.tree.moments, Moment::NOW);
        }
        Some(&mut self.tree.moments[index.get() as usize - 1])
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
            match self.moment(operand) {
                Some(moment) if moment.edges == Edges::Plain || moment.edges == edges => {
                    moment.edges = edges;
                    return Ok(());
                }
                Some(_) => "anchored and smoothed modifiers cannot be used together".to_owned(),
                None => format!("{name} modifier not implemented"),
            }
        };
        Err(self.error(start, message))
    }

    /// The selector that an expression is or has values of.
    fn selector_of(&mut self, operand: ExpressionId) -> Option<&mut Selector> {
        let selector = match &self.node(operand).expression {
            Expression::Values { selector, .. } => *selector,
            _ => operand,
        };
        match &mut self.node_mut(selector).expression {
            Expression::Selector(selector) => Some(selector),
            _ => None,
        }
    }
}

/// A number with six digits after the point.
fn shown(number: f64) -> String {
    if number == f64::NEG_INFINITY { "-Inf".to_owned() } else { format!("{number:.6}") }
}
