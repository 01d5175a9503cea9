//! Calls of functions.

use go_syntax::quoted::Quoted;

use super::{Parser, expression};
use crate::error::Error;
use crate::function;
use crate::token::{Kind, Token};
use crate::tree::{Expression, ExpressionId, Part};

impl Parser<'_> {
    /// A call after its name. Mistakes in what it is given are named first.
    pub(super) fn call(&mut self, name: Token) -> Result<ExpressionId, Error> {
        let pending = self.arguments()?;
        let text = self.text(name);
        let Some(function) = function::find(text) else {
            return Err(self.error(name.start, format!("unknown function with name {}", Quoted(text))));
        };
        if function.experimental && !self.options.experimental_functions {
            return Err(self.error(name.start, format!("function {} is not enabled", Quoted(text))));
        }
        let first = self.tree.arguments.len();
        self.tree.arguments.extend(self.pending.drain(pending..));
        let arguments = Part::new(first, self.tree.arguments.len());
        Ok(self.add(Expression::Call { function, arguments }, name.start, self.last_closing))
    }

    /// What stands in parentheses. The expressions are left with those that are being read; the first one's place there
    /// is given.
    pub(super) fn arguments(&mut self) -> Result<usize, Error> {
        let first = self.pending.len();
        self.expect(Kind::LeftParen, self.context, "")?;
        if self.accept(Kind::RightParen)?.is_some() {
            return Ok(first);
        }
        loop {
            let argument = self.expression(0)?;
            self.pending.push(argument);
            let Some(comma) = self.accept(Kind::Comma)? else { break };
            if !expression::begins(self.peek()?.kind) {
                return Err(self.error(comma.start, "trailing commas not allowed in function call args"));
            }
        }
        self.expect(Kind::RightParen, self.context, "")?;
        Ok(first)
    }
}
