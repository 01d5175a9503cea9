//! What may follow what in a template: actions that nest, and definitions.

use std::collections::BTreeMap;

use promql::quote::quoted;

use super::lexer::{Failure, Lexer};
use super::literal;
use super::token::{Keyword, Kind, Token};

/// How deep actions and parentheses may be nested. It keeps a hostile text from using up the stack.
pub(super) const DEEPEST: usize = 200;

/// Variables that Prometheus declares before the text.
const VARIABLES: [&str; 5] = ["$", "$labels", "$externalLabels", "$externalURL", "$value"];

/// Reads a template of a name.
pub(super) fn parse(name: &str, text: &str) -> Result<(), Failure> {
    let mut parser = Parser {
        lexer: Lexer::new(text),
        ahead: Vec::with_capacity(3),
        line: 0,
        failure: String::new(),
        action_line: 0,
        name,
        variables: VARIABLES.to_vec(),
        definitions: BTreeMap::new(),
        ranges: 0,
        depth: 0,
    };
    parser.document()?;
    // The declarations of Prometheus are never nothing.
    parser.define(name.as_bytes().to_vec(), false)
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
    action_line: usize,
    name: &'t str,
    /// Variables that are declared here.
    pub(super) variables: Vec<&'t str>,
    /// Templates that were defined, and whether they are empty.
    definitions: BTreeMap<Vec<u8>, bool>,
    /// How many ranges are around this place.
    ranges: usize,
    pub(super) depth: usize,
}

/// What ended a list of texts and actions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    End,
    Else,
}

/// A text or an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Node {
    /// A text of spaces only.
    Blank,
    Something,
    Ending(Ending),
}

impl Ending {
    fn text(self) -> &'static str {
        match self {
            Self::End => "{{end}}",
            Self::Else => "{{else}}",
        }
    }
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
            return self.fail(format!("unexpected {} in {context}", token.described()));
        }
        let mut message = self.failure.clone();
        // Says where the action began, if that was on another line.
        if self.action_line != 0 && self.action_line != token.line {
            let action = if message.ends_with(" action") { "" } else { " in action" };
            message = format!("{message}{action} started at {}:{}", self.name, self.action_line);
        }
        self.fail(message)
    }

    fn expect(&mut self, kind: Kind, context: &str) -> Result<(), Failure> {
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

    fn document(&mut self) -> Result<(), Failure> {
        loop {
            let token = self.next();
            match token.kind {
                Kind::End => return Ok(()),
                Kind::LeftDelimiter => {
                    let word = self.next_word();
                    if word.kind == Kind::Keyword(Keyword::Define) {
                        self.definition()?;
                        continue;
                    }
                    self.push_back(word);
                    self.push_back(token);
                }
                _ => self.push_back(token),
            }
            if let Node::Ending(ending) = self.text_or_action()? {
                return self.fail(format!("unexpected {}", ending.text()));
            }
        }
    }

    /// A definition after its keyword.
    fn definition(&mut self) -> Result<(), Failure> {
        const CONTEXT: &str = "define clause";
        let name = self.template_name(CONTEXT)?;
        self.expect(Kind::RightDelimiter, CONTEXT)?;
        let (blank, ending) = self.separate(Self::list)?;
        if ending != Ending::End {
            return self.fail(format!("unexpected {} in {CONTEXT}", ending.text()));
        }
        self.define(name, blank)
    }

    /// Reads what sees nothing of what is around it.
    fn separate<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Failure>) -> Result<T, Failure> {
        let variables = std::mem::replace(&mut self.variables, vec!["$"]);
        let ranges = std::mem::take(&mut self.ranges);
        let action_line = std::mem::take(&mut self.action_line);
        let result = self.nested(read);
        (self.variables, self.ranges, self.action_line) = (variables, ranges, action_line);
        result
    }

    /// Two templates of one name are too many, unless one of them is empty.
    fn define(&mut self, name: Vec<u8>, blank: bool) -> Result<(), Failure> {
        match self.definitions.get(&name) {
            None | Some(true) => {
                self.definitions.insert(name, blank);
                Ok(())
            }
            Some(false) if blank => Ok(()),
            Some(false) => self.fail(format!("template: multiple definition of template {}", quoted(&name))),
        }
    }

    pub(super) fn template_name(&mut self, context: &str) -> Result<Vec<u8>, Failure> {
        let token = self.next_word();
        if !matches!(token.kind, Kind::Text | Kind::RawText) {
            return self.unexpected(token, context);
        }
        literal::unquote(token.text).map_or_else(|| self.fail("invalid syntax"), Ok)
    }

    /// Texts and actions up to an end; whether there are none, and what the end is.
    fn list(&mut self) -> Result<(bool, Ending), Failure> {
        let mut blank = true;
        while self.peek_word().kind != Kind::End {
            match self.text_or_action()? {
                Node::Ending(ending) => return Ok((blank, ending)),
                Node::Blank => {}
                Node::Something => blank = false,
            }
        }
        self.fail("unexpected EOF")
    }

    fn text_or_action(&mut self) -> Result<Node, Failure> {
        let token = self.next_word();
        match token.kind {
            Kind::Plain if token.text.trim().is_empty() => Ok(Node::Blank),
            Kind::Plain => Ok(Node::Something),
            Kind::LeftDelimiter => {
                self.action_line = token.line;
                let node = self.action();
                self.action_line = 0;
                node
            }
            _ => self.unexpected(token, "input"),
        }
    }

    /// What follows the beginning of an action.
    fn action(&mut self) -> Result<Node, Failure> {
        let token = self.next_word();
        match token.kind {
            Kind::Keyword(Keyword::Block) => self.block()?,
            Kind::Keyword(Keyword::Break) => self.leave_range("{{break}}")?,
            Kind::Keyword(Keyword::Continue) => self.leave_range("{{continue}}")?,
            Kind::Keyword(Keyword::Else) => {
                let after = self.peek_word().kind;
                if !matches!(after, Kind::Keyword(Keyword::If | Keyword::With)) {
                    self.expect(Kind::RightDelimiter, "else")?;
                }
                return Ok(Node::Ending(Ending::Else));
            }
            Kind::Keyword(Keyword::End) => {
                self.expect(Kind::RightDelimiter, "end")?;
                return Ok(Node::Ending(Ending::End));
            }
            Kind::Keyword(Keyword::If) => self.control(Keyword::If, "if")?,
            Kind::Keyword(Keyword::Range) => self.control(Keyword::Range, "range")?,
            Kind::Keyword(Keyword::With) => self.control(Keyword::With, "with")?,
            Kind::Keyword(Keyword::Template) => {
                const CONTEXT: &str = "template clause";
                self.template_name(CONTEXT)?;
                let after = self.next_word();
                if after.kind != Kind::RightDelimiter {
                    self.push_back(after);
                    self.pipeline(CONTEXT, Kind::RightDelimiter)?;
                }
            }
            _ => {
                self.push_back(token);
                self.pipeline("command", Kind::RightDelimiter)?;
            }
        }
        Ok(Node::Something)
    }

    fn leave_range(&mut self, action: &str) -> Result<(), Failure> {
        self.expect(Kind::RightDelimiter, action)?;
        if self.ranges == 0 { self.fail(format!("{action} outside {{{{range}}}}")) } else { Ok(()) }
    }

    /// A template that is defined and used at once.
    fn block(&mut self) -> Result<(), Failure> {
        const CONTEXT: &str = "block clause";
        let name = self.template_name(CONTEXT)?;
        self.pipeline(CONTEXT, Kind::RightDelimiter)?;
        let line = self.line;
        let (blank, ending) = self.separate(Self::list)?;
        if ending != Ending::End {
            return Err(Failure { line, message: format!("unexpected {} in {CONTEXT}", ending.text()) });
        }
        self.define(name, blank)
    }

    /// An action with others within it, up to its end.
    fn control(&mut self, keyword: Keyword, context: &'static str) -> Result<(), Failure> {
        let declared = self.variables.len();
        let is_range = keyword == Keyword::Range;
        self.nested(|parser| {
            parser.pipeline(context, Kind::RightDelimiter)?;
            parser.ranges += usize::from(is_range);
            let (_, ending) = parser.list()?;
            parser.ranges -= usize::from(is_range);
            if ending == Ending::Else {
                parser.otherwise(keyword, context)?;
            }
            Ok(())
        })?;
        self.variables.truncate(declared);
        Ok(())
    }

    /// What follows `else`: another condition, or the rest up to the end.
    fn otherwise(&mut self, keyword: Keyword, context: &'static str) -> Result<(), Failure> {
        if keyword != Keyword::Range && self.peek().kind == Kind::Keyword(keyword) {
            self.next();
            return self.control(keyword, context);
        }
        match self.list()? {
            (_, Ending::End) => Ok(()),
            (_, Ending::Else) => self.fail("expected end; found {{else}}"),
        }
    }
}
