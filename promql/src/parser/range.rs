//! Range selectors and subqueries.

use super::duration::Context;
use super::{Parser, push};
use crate::error::Error;
use crate::token::{Token, TokenKind};
use crate::tree::{At, Expression, ExpressionId, Modifiers, Subquery, TimeSpan, narrow};

impl Parser<'_> {
    /// The rest of a range selector or a subquery.
    pub(super) fn brackets(&mut self, operand: ExpressionId) -> Result<ExpressionId, Error> {
        let bracket = self.next()?;
        let context = Context {
            construct: "subquery or range selector",
            expected: "number, duration, step(), or range()",
        };
        let range = self.positive_duration(context)?;
        let after = self.next()?;
        match after.kind {
            TokenKind::RightBracket => self.matrix(operand, bracket, range),
            TokenKind::Colon => self.subquery(operand, range),
            _ => Err(self.unexpected(after, "subquery or range", "\":\" or \"]\"")),
        }
    }

    fn matrix(
        &mut self,
        operand: ExpressionId,
        bracket: Token,
        range: TimeSpan,
    ) -> Result<ExpressionId, Error> {
        let message = match &self.node(operand).expression {
            Expression::Selector(selector) => match self.tree.modifiers(selector) {
                Modifiers { offset: TimeSpan::Nanoseconds(offset), .. } if offset != 0 => {
                    "no offset modifiers allowed before range"
                }
                Modifiers { at: At::Milliseconds(_), .. } => "no @ modifiers allowed before range",
                Modifiers { .. } => "",
            },
            _ => "ranges only allowed for vector selectors",
        };
        if !message.is_empty() {
            return Err(self.error(bracket.start, message));
        }
        let start = self.start(operand);
        Ok(self.add(Expression::Matrix { selector: operand, range }, start, self.last_closing))
    }

    fn subquery(&mut self, operand: ExpressionId, range: TimeSpan) -> Result<ExpressionId, Error> {
        const CONTEXT: Context = Context {
            construct: "subquery selector",
            expected: "number, duration, step(), range(), or \"]\"",
        };
        let (step, end) = if let Some(bracket) = self.accept(TokenKind::RightBracket)? {
            (TimeSpan::NONE, bracket.end)
        } else {
            let step = self.positive_duration(CONTEXT)?;
            (step, self.expect(TokenKind::RightBracket, CONTEXT.construct, "\"]\"")?.end)
        };
        let start = self.start(operand);
        push(&mut self.tree.subqueries, Subquery { range, step, modifiers: Modifiers::NONE });
        let subquery = narrow(self.tree.subqueries.len() - 1);
        Ok(self.add(Expression::Subquery { operand, subquery }, start, end))
    }
}
