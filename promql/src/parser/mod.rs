//! A recursive descent parser with one token of look-ahead. The next token is read only when it is needed. So the
//! first error of a query is the same as in Prometheus.
//!
//! | file | contents |
//! |---|---|
//! | `expression` | operators by their precedence, and operands |
//! | `aggregation` | `sum by (…)` and lists of labels |
//! | `call` | functions |
//! | `matching` | `bool`, `on`, `group_left`, `fill` |
//! | `selector` | metric names and label matchers |
//! | `range` | brackets |
//! | `modifiers` | `offset`, `@`, `anchored`, `smoothed` |
//! | `duration` | duration expressions |

#![expect(clippy::wildcard_enum_match_arm, reason = "every token that is not expected is an error")]

mod aggregation;
mod call;
mod duration;
mod expression;
mod matching;
mod modifiers;
mod range;
mod selector;

pub(crate) use duration::whole;
use go_syntax::duration::prometheus;
pub(crate) use selector::{NAME, write_label};

use crate::error::Error;
use crate::growing::Growing;
use crate::lexer::Lexer;
use crate::token::{Token, TokenKind};
use crate::tree::{Expression, ExpressionId, Node, Tree, narrow};
use crate::{Options, check, number};

/// How deep expressions can be nested. No real query is nested so deeply, and the limit protects the stack.
const DEEPEST: usize = 200;

/// Parses and checks a query.
pub(crate) fn parse(query: &str, options: Options) -> Result<Tree<'_>, Error> {
    if u32::try_from(query.len()).is_err() {
        return Err(Error::new(query, 0, "the query is too long"));
    }
    let mut parser = Parser {
        lexer: Lexer::new(query),
        ahead: None,
        last_closing: 0,
        context: "",
        depth: 0,
        pending: Vec::new(),
        options,
        nodes: Growing::new(Node { expression: Expression::Text(0), start: 0, end: 0 }),
        tree: Tree::new(query),
    };
    if parser.peek()?.kind == TokenKind::End {
        return Err(Error::new(query, 0, "no expression found in input"));
    }
    let root = parser.expression(0)?;
    let token = parser.peek()?;
    if token.kind != TokenKind::End {
        return Err(parser.unexpected(token, "", ""));
    }
    let mut tree = parser.tree;
    tree.expressions = parser.nodes.into_vec();
    tree.root = root;
    check::check(&mut tree, query)?;
    Ok(tree)
}

/// Appends to a list that usually has at most one element.
fn push<T>(list: &mut Vec<T>, element: T) {
    if list.capacity() == 0 {
        list.reserve_exact(1);
    }
    list.push(element);
}

/// Parses one query.
struct Parser<'q> {
    lexer: Lexer<'q>,
    /// The token that was read and not yet used.
    ahead: Option<Token>,
    /// The end of the last token that can end an expression.
    last_closing: usize,
    /// The construct that is being parsed, for errors about unexpected tokens.
    context: &'static str,
    depth: usize,
    /// Arguments of calls that are being parsed.
    pending: Vec<ExpressionId>,
    options: Options,
    /// The expressions of the tree.
    nodes: Growing<Node, 16>,
    tree: Tree<'q>,
}

impl<'q> Parser<'q> {
    /// The next token, which stays unused.
    fn peek(&mut self) -> Result<Token, Error> {
        if let Some(token) = self.ahead {
            return Ok(token);
        }
        let token = self
            .lexer
            .next()
            .map_err(|failure| Error::new(self.lexer.query, failure.position, failure.message))?;
        if matches!(
            token.kind,
            TokenKind::RightBrace
                | TokenKind::RightParen
                | TokenKind::RightBracket
                | TokenKind::Duration
                | TokenKind::Number
        ) {
            self.last_closing = token.end;
        }
        self.ahead = Some(token);
        Ok(token)
    }

    /// Uses the next token.
    fn next(&mut self) -> Result<Token, Error> {
        let token = self.peek()?;
        self.ahead = None;
        Ok(token)
    }

    /// Uses the next token if it is of this kind.
    fn accept(&mut self, kind: TokenKind) -> Result<Option<Token>, Error> {
        let token = self.peek()?;
        let accepted = token.kind == kind;
        if accepted {
            self.ahead = None;
        }
        Ok(accepted.then_some(token))
    }

    /// Uses the next token, which must be of this kind.
    fn expect(&mut self, kind: TokenKind, context: &str, expected: &str) -> Result<Token, Error> {
        let token = self.peek()?;
        if token.kind != kind {
            return Err(self.unexpected(token, context, expected));
        }
        self.ahead = None;
        Ok(token)
    }

    /// The text of a token.
    fn text(&self, token: Token) -> &'q str {
        &self.lexer.query[token.start..token.end]
    }

    fn error(&self, position: usize, message: impl Into<String>) -> Error {
        Error::new(self.lexer.query, position, message)
    }

    /// The error for a token that is not allowed where it is.
    fn unexpected(&self, token: Token, context: &str, expected: &str) -> Error {
        let mut message = format!("unexpected {}", token.described(self.lexer.query));
        for (word, what) in [(" in ", context), (", expected ", expected)] {
            if !what.is_empty() {
                message.push_str(word);
                message.push_str(what);
            }
        }
        self.error(token.start, message)
    }

    fn node(&self, id: ExpressionId) -> &Node {
        self.nodes.get(id.0 as usize)
    }

    fn node_mut(&mut self, id: ExpressionId) -> &mut Node {
        self.nodes.get_mut(id.0 as usize)
    }

    fn start(&self, id: ExpressionId) -> usize {
        self.node(id).start as usize
    }

    fn end(&self, id: ExpressionId) -> usize {
        self.node(id).end as usize
    }

    fn add(&mut self, expression: Expression, start: usize, end: usize) -> ExpressionId {
        let id = ExpressionId(narrow(self.nodes.len()));
        self.nodes.push(Node { expression, start: narrow(start), end: narrow(end) });
        id
    }

    /// Parses something one level deeper, unless it is too deep.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        if self.depth >= DEEPEST {
            let position = self.peek()?.start;
            return Err(self.error(position, "expression nests too deeply"));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// The value of a number or a duration, in seconds.
    fn number(&self, token: Token) -> Result<f64, Error> {
        let text = self.text(token);
        if token.kind == TokenKind::Duration {
            let nanoseconds =
                prometheus::parse(text).map_err(|error| self.error(token.start, error.to_string()))?;
            return Ok(duration::seconds(nanoseconds));
        }
        number::value(text).map_err(|error| self.error(token.start, format!("error parsing number: {error}")))
    }
}
