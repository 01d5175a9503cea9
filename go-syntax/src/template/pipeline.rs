//! The grammar of pipelines: declarations, and commands that pass on their results.

use super::lexer::Failure;
use super::parser::Parser;
use super::token::{Keyword, Kind};
use super::{LANGUAGE, constant};
use crate::quoted::Quoted;

/// What the first operand of a command is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operand {
    /// A constant: it cannot be called and has no fields.
    Literal,
    Other,
}

impl Parser<'_> {
    /// Commands up to a token that ends the pipeline.
    pub(super) fn pipeline(&mut self, context: &'static str, end: Kind) -> Result<(), Failure> {
        self.declarations(context)?;
        let mut stage = 0;
        let mut refused = None;
        loop {
            let token = self.next_word();
            if token.kind == end {
                break;
            }
            if !begins_command(token.kind) {
                return self.unexpected(token, context);
            }
            self.push_back(token);
            let first = self.command()?;
            stage += 1;
            if stage > 1 && first == Operand::Literal && refused.is_none() {
                refused = Some(stage);
            }
        }
        match refused {
            _ if stage == 0 => self.fail(format!("missing value for {context}")),
            Some(stage) => self.fail(format!("non executable command in pipeline stage {stage}")),
            None => Ok(()),
        }
    }

    /// Variables that are declared or assigned, if any.
    fn declarations(&mut self, context: &'static str) -> Result<(), Failure> {
        for count in 1.. {
            let variable = self.peek_word();
            if variable.kind != Kind::Variable {
                return Ok(());
            }
            self.next_word();
            let adjacent = self.peek();
            let after = self.next_word();
            match after.kind {
                Kind::Assign | Kind::Declare => {
                    self.variables.push(variable.text);
                    return Ok(());
                }
                Kind::Sign if after.text == "," => {
                    self.variables.push(variable.text);
                    if context != "range" || count == 2 {
                        return self.fail(format!("too many declarations in {context}"));
                    }
                    let next = self.peek_word().kind;
                    if !matches!(next, Kind::Variable | Kind::RightDelimiter | Kind::RightParen) {
                        return self.fail("range can only initialize variables");
                    }
                }
                _ => {
                    self.push_back(after);
                    if adjacent.kind == Kind::Space {
                        self.push_back(adjacent);
                    }
                    self.push_back(variable);
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Operands separated by spaces. Returns what the first one is.
    fn command(&mut self) -> Result<Operand, Failure> {
        let mut first = None;
        loop {
            self.peek_word();
            if let Some(operand) = self.operand()? {
                first.get_or_insert(operand);
            }
            let token = self.next();
            match token.kind {
                Kind::Space => continue,
                Kind::RightDelimiter | Kind::RightParen => self.push_back(token),
                Kind::Pipe => {}
                _ => return self.unexpected(token, "operand"),
            }
            break;
        }
        first.map_or_else(|| self.fail("empty command"), Ok)
    }

    /// A term and its fields.
    fn operand(&mut self) -> Result<Option<Operand>, Failure> {
        let token = self.peek_word();
        let Some(term) = self.term()? else { return Ok(None) };
        if self.peek().kind != Kind::Field {
            return Ok(Some(term));
        }
        while self.peek().kind == Kind::Field {
            self.next();
        }
        match term {
            Operand::Literal => self.fail(format!("unexpected . after term {}", Quoted(token.text))),
            Operand::Other => Ok(Some(Operand::Other)),
        }
    }

    fn term(&mut self) -> Result<Option<Operand>, Failure> {
        let token = self.next_word();
        Ok(Some(match token.kind {
            Kind::Identifier => self.function(token.text)?,
            Kind::Variable => self.variable(token.text)?,
            Kind::Field => Operand::Other,
            Kind::Keyword(Keyword::Dot | Keyword::Nil) | Kind::Bool => Operand::Literal,
            Kind::Character | Kind::Complex | Kind::Number | Kind::Text | Kind::RawText => {
                constant::check(token.kind, token.text).or_else(|message| self.fail(message))?;
                Operand::Literal
            }
            Kind::LeftParen => {
                self.nested(|parser| parser.pipeline("parenthesized pipeline", Kind::RightParen))?;
                Operand::Other
            }
            _ => {
                self.push_back(token);
                return Ok(None);
            }
        }))
    }

    fn function(&self, name: &str) -> Result<Operand, Failure> {
        if LANGUAGE.contains(&name) || self.scope.functions.contains(&name) {
            Ok(Operand::Other)
        } else {
            self.fail(format!("function {} not defined", Quoted(name)))
        }
    }

    fn variable(&self, name: &str) -> Result<Operand, Failure> {
        if self.variables.contains(&name) {
            Ok(Operand::Other)
        } else {
            self.fail(format!("undefined variable {}", Quoted(name)))
        }
    }
}

/// Whether a token can start a command.
fn begins_command(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Bool
            | Kind::Character
            | Kind::Complex
            | Kind::Keyword(Keyword::Dot | Keyword::Nil)
            | Kind::Field
            | Kind::Identifier
            | Kind::Number
            | Kind::RawText
            | Kind::Text
            | Kind::Variable
            | Kind::LeftParen
    )
}
