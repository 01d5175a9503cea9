//! What stands in brackets: values over a time, or a query over a time.

use super::{Parser, push};
use crate::error::Error;
use crate::token::{Kind, Token};
use crate::tree::{At, Expression, ExpressionId, Moment, Span, Subquery, narrow};

impl Parser<'_> {
    /// An expression with the brackets after it.
    pub(super) fn brackets(&mut self, operand: ExpressionId) -> Result<ExpressionId, Error> {
        let bracket = self.next()?;
        let context = ("subquery or range selector", "number, duration, step(), or range()");
        let range = self.positive_duration(context)?;
        let after = self.next()?;
        match after.kind {
            Kind::RightBracket => self.values(operand, bracket, range),
            Kind::Colon => self.subquery(operand, range),
            _ => Err(self.unexpected(after, "subquery or range", "\":\" or \"]\"")),
        }
    }

    fn values(&mut self, operand: ExpressionId, bracket: Token, range: Span) -> Result<ExpressionId, Error> {
        let message = match &self.node(operand).expression {
            Expression::Selector(selector) => match self.tree.moment(selector) {
                Moment { offset: Span::Nanoseconds(offset), .. } if offset != 0 => {
                    "no offset modifiers allowed before range"
                }
                Moment { at: At::Milliseconds(_), .. } => "no @ modifiers allowed before range",
                Moment { .. } => "",
            },
            _ => "ranges only allowed for vector selectors",
        };
        if !message.is_empty() {
            return Err(self.error(bracket.start, message));
        }
        let start = self.start(operand);
        Ok(self.add(Expression::Values { selector: operand, range }, start, self.last_closing))
    }

    fn subquery(&mut self, operand: ExpressionId, range: Span) -> Result<ExpressionId, Error> {
        const CONTEXT: &str = "subquery selector";
        let (step, end) = if let Some(bracket) = self.accept(Kind::RightBracket)? {
            (Span::NONE, bracket.end)
        } else {
            let step = self.positive_duration((CONTEXT, "number, duration, step(), range(), or \"]\""))?;
            (step, self.expect(Kind::RightBracket, CONTEXT, "\"]\"")?.end)
        };
        let start = self.start(operand);
        push(&mut self.tree.subqueries, Subquery { range, step, moment: Moment::NOW });
        let subquery = narrow(self.tree.subqueries.len() - 1);
        Ok(self.add(Expression::Subquery { operand, subquery }, start, end))
    }
}
