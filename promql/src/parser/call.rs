//! Calls of functions.

use go_syntax::quoted::Quoted;

use super::{Parser, expression};
use crate::error::Error;
use crate::function;
use crate::token::{Token, TokenKind};
use crate::tree::{Expression, ExpressionId, IndexRange};

impl Parser<'_> {
    /// The rest of a call. Errors in its arguments take precedence.
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
        let arguments = IndexRange::new(first, self.tree.arguments.len());
        Ok(self.add(Expression::Call { function, arguments }, name.start, self.last_closing))
    }

    /// Arguments in parentheses. They are appended to `pending`. Returns the index of the first one.
    pub(super) fn arguments(&mut self) -> Result<usize, Error> {
        let first = self.pending.len();
        self.expect(TokenKind::LeftParen, self.context, "")?;
        if self.accept(TokenKind::RightParen)?.is_some() {
            return Ok(first);
        }
        loop {
            let argument = self.expression(0)?;
            self.pending.push(argument);
            let Some(comma) = self.accept(TokenKind::Comma)? else { break };
            if !expression::begins(self.peek()?.kind) {
                return Err(self.error(comma.start, "trailing commas not allowed in function call args"));
            }
        }
        self.expect(TokenKind::RightParen, self.context, "")?;
        Ok(first)
    }
}
