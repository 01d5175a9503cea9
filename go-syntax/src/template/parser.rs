//! Reads words ahead, knows what is declared, and says what is wrong.

use std::collections::BTreeMap;

use super::Given;
use super::lexer::{Failure, Lexer};
use super::token::{Kind, Token};

/// How deep actions and parentheses may be nested. Go goes deeper; nobody writes that, and our stack does not grow.
pub(super) const DEEPEST: usize = 500;

/// Reads a template.
pub(super) fn parse<'t>(text: &'t str, given: &'t Given<'t>) -> Result<(), Failure> {
    let mut parser = Parser {
        lexer: Lexer::new(text),
        ahead: Vec::with_capacity(3),
        line: 0,
        failure: String::new(),
        action_line: 0,
        given,
        variables: [&["$"], given.variables].concat(),
        definitions: BTreeMap::new(),
        ranges: 0,
        depth: 0,
    };
    let blank = parser.document()?;
    // The declarations before a text are part of it.
    parser.define(given.name.as_bytes().to_vec(), blank && given.variables.is_empty())
}

/// Reads one template.
pub(super) struct Parser<'t> {
    lexer: Lexer<'t>,
    /// Words that were read and not yet used, the next one last.
    ahead: Vec<Token<'t>>,
    /// The line of the word that was read last.
    pub(super) line: usize,
    /// Why the last word could not be read.
    failure: String,
    /// The line on which the action began that is being read; zero outside.
    pub(super) action_line: usize,
    pub(super) given: &'t Given<'t>,
    /// Variables that are declared here.
    pub(super) variables: Vec<&'t str>,
    /// Templates that were defined, and whether they are blank.
    pub(super) definitions: BTreeMap<Vec<u8>, bool>,
    /// How many ranges are around this place.
    pub(super) ranges: usize,
    pub(super) depth: usize,
}

impl<'t> Parser<'t> {
    /// The next word. One that could not be read is a word too: a mistake before it is told first.
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
        // Says where the action began, if that was on another line.
        if self.action_line != 0 && self.action_line != token.line {
            let action = if message.ends_with(" action") { "" } else { " in action" };
            message = format!("{message}{action} started at {}:{}", self.given.name, self.action_line);
        }
        self.fail(message)
    }

    pub(super) fn expect(&mut self, kind: Kind, context: &str) -> Result<(), Failure> {
        let token = self.next_word();
        if token.kind == kind { Ok(()) } else { self.unexpected(token, context) }
    }

    /// Goes one level deeper, as far as that is allowed.
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
