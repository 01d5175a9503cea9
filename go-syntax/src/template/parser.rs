//! The state of the parser: look-ahead, declarations, errors.

use std::collections::BTreeMap;

use super::TemplateScope;
use super::lexer::{Failure, Lexer};
use super::token::{Kind, Token};

/// How deep actions and parentheses can be nested. Go allows more, but no template needs it, and the stack is limited.
pub(super) const DEEPEST: usize = 500;

/// Parses a template.
pub(super) fn parse<'t>(text: &'t str, scope: &'t TemplateScope<'t>) -> Result<(), Failure> {
    let mut parser = Parser {
        lexer: Lexer::new(text),
        ahead: Vec::with_capacity(3),
        line: 0,
        failure: String::new(),
        action_line: 0,
        scope,
        variables: [&["$"], scope.variables].concat(),
        definitions: BTreeMap::new(),
        ranges: 0,
        depth: 0,
    };
    let blank = parser.document()?;
    // The declarations before a text are part of it.
    parser.define(scope.name.as_bytes().to_vec(), blank && scope.variables.is_empty())
}

/// Parses one template.
pub(super) struct Parser<'t> {
    lexer: Lexer<'t>,
    /// Tokens that were read and not yet used, the next one last.
    ahead: Vec<Token<'t>>,
    /// The line of the token that was read last.
    pub(super) line: usize,
    /// Why the last token is invalid.
    failure: String,
    /// The line on which the current action starts. Zero outside of actions.
    pub(super) action_line: usize,
    pub(super) scope: &'t TemplateScope<'t>,
    /// Variables that are declared here.
    pub(super) variables: Vec<&'t str>,
    /// Templates that were defined, and whether they are blank.
    pub(super) definitions: BTreeMap<Vec<u8>, bool>,
    /// The number of ranges around the current position.
    pub(super) ranges: usize,
    pub(super) depth: usize,
}

impl<'t> Parser<'t> {
    /// The next token. An invalid one is returned as a token too, because an earlier error takes precedence.
    pub(super) fn next(&mut self) -> Token<'t> {
        if let Some(token) = self.ahead.pop() {
            return token;
        }
        let token = self.lexer.next().unwrap_or_else(|failure| {
            let token = Token { kind: Kind::Failure, text: "", line: failure.line };
            self.failure = failure.message;
            token
        });
        self.line = token.line;
        token
    }

    pub(super) fn push_back(&mut self, token: Token<'t>) {
        self.ahead.push(token);
    }

    pub(super) fn peek(&mut self) -> Token<'t> {
        let token = self.next();
        self.push_back(token);
        token
    }

    pub(super) fn next_word(&mut self) -> Token<'t> {
        loop {
            let token = self.next();
            if token.kind != Kind::Space {
                return token;
            }
        }
    }

    pub(super) fn peek_word(&mut self) -> Token<'t> {
        let token = self.next_word();
        self.push_back(token);
        token
    }

    pub(super) fn fail<T>(&self, message: impl Into<String>) -> Result<T, Failure> {
        Err(Failure { line: self.line, message: message.into() })
    }

    pub(super) fn unexpected<T>(&self, token: Token<'t>, context: &str) -> Result<T, Failure> {
        if token.kind != Kind::Failure {
            return self.fail(format!("unexpected {token} in {context}"));
        }
        let mut message = self.failure.clone();
        // Adds where the action starts, if that is on another line.
        if self.action_line != 0 && self.action_line != token.line {
            let action = if message.ends_with(" action") { "" } else { " in action" };
            message = format!("{message}{action} started at {}:{}", self.scope.name, self.action_line);
        }
        self.fail(message)
    }

    pub(super) fn expect(&mut self, kind: Kind, context: &str) -> Result<(), Failure> {
        let token = self.next_word();
        if token.kind == kind { Ok(()) } else { self.unexpected(token, context) }
    }

    /// Parses something one level deeper, unless it is too deep.
    pub(super) fn nested<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        if self.depth >= DEEPEST {
            return self.fail("max expression depth exceeded");
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }
}
