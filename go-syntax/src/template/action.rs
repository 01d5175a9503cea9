//! The grammar of templates: nested actions and definitions.

use super::constant;
use super::lexer::Failure;
use super::parser::Parser;
use super::token::{Keyword, Kind};
use crate::literal::unquote;
use crate::quoted::QuotedBytes;

/// The action that ended a list of texts and actions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    End,
    Else,
}

/// A text or an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Node {
    /// A text of whitespace only.
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

impl Parser<'_> {
    /// Parses the whole text, and returns whether it is blank.
    pub(super) fn document(&mut self) -> Result<bool, Failure> {
        let mut blank = true;
        loop {
            let token = self.next();
            match token.kind {
                Kind::End => return Ok(blank),
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
            match self.text_or_action()? {
                Node::Ending(ending) => return self.fail(format!("unexpected {}", ending.text())),
                Node::Blank => {}
                Node::Something => blank = false,
            }
        }
    }

    /// A definition, after its keyword.
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

    /// Parses a template that does not see variables and ranges around it.
    fn separate<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Failure>) -> Result<T, Failure> {
        let variables = std::mem::replace(&mut self.variables, vec!["$"]);
        let ranges = std::mem::take(&mut self.ranges);
        let action_line = std::mem::take(&mut self.action_line);
        let result = self.nested(read);
        (self.variables, self.ranges, self.action_line) = (variables, ranges, action_line);
        result
    }

    /// A template can be defined twice only if one of the definitions is blank.
    pub(super) fn define(&mut self, name: Vec<u8>, blank: bool) -> Result<(), Failure> {
        match self.definitions.get(&name) {
            None | Some(true) => {
                self.definitions.insert(name, blank);
                Ok(())
            }
            Some(false) if blank => Ok(()),
            Some(false) => {
                self.fail(format!("template: multiple definition of template {}", QuotedBytes(&name)))
            }
        }
    }

    fn template_name(&mut self, context: &str) -> Result<Vec<u8>, Failure> {
        let token = self.next_word();
        if !matches!(token.kind, Kind::Text | Kind::RawText) {
            return self.unexpected(token, context);
        }
        unquote(token.text).map_or_else(|| self.fail(constant::SYNTAX), Ok)
    }

    /// Texts and actions up to the one that ends them. Returns whether they are blank, and what ended them.
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

    /// The rest of an action, after its left delimiter.
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

    /// A template that is defined and executed at once.
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

    /// An action that contains others, up to its end. Another condition may follow `else`.
    fn control(&mut self, keyword: Keyword, context: &'static str) -> Result<(), Failure> {
        let declared = self.variables.len();
        let is_range = keyword == Keyword::Range;
        self.nested(|parser| {
            loop {
                parser.pipeline(context, Kind::RightDelimiter)?;
                parser.ranges += usize::from(is_range);
                let (_, ending) = parser.list()?;
                parser.ranges -= usize::from(is_range);
                if ending == Ending::End {
                    return Ok(());
                }
                if is_range || parser.peek().kind != Kind::Keyword(keyword) {
                    break;
                }
                parser.next();
            }
            match parser.list()? {
                (_, Ending::End) => Ok(()),
                (_, Ending::Else) => parser.fail("expected end; found {{else}}"),
            }
        })?;
        self.variables.truncate(declared);
        Ok(())
    }
}
