//! Items to a verdict.

use std::collections::BTreeMap;

use formats::quoted::Quoted;

use super::Invalid;
use super::item::{Item, Kind, Word};
use super::lexer::Lexer;
use super::literal;

/// How deep parentheses and blocks may be nested. Go goes deeper; nobody writes that, and our stack does not grow.
const DEEPEST: usize = 200;

type Result<T> = std::result::Result<T, Invalid>;

/// Whether a template can be read, if these functions exist.
pub(super) fn check(text: &str, functions: &[&str]) -> Result<()> {
    let mut parser = Parser {
        lexer: Lexer::new(text),
        pending: Vec::new(),
        functions,
        defined: BTreeMap::new(),
        scope: Scope::new(String::new()),
        depth: 0,
    };
    parser.template()
}

/// What belongs to one template: the whole text, or what is defined within it.
#[derive(Debug)]
struct Scope {
    name: String,
    variables: Vec<String>,
    /// The line of the item that was read last.
    line: usize,
    /// The line where the action in work began.
    action: Option<usize>,
    ranges: usize,
}

impl Scope {
    fn new(name: String) -> Self {
        Self { name, variables: vec!["$".to_owned()], line: 0, action: None, ranges: 0 }
    }
}

/// What stands beside other things in a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Node {
    /// Nothing but space.
    Blank,
    /// Something that gives something.
    Content,
    End,
    Else,
}

impl Node {
    fn shown(self) -> &'static str {
        match self {
            Self::Blank | Self::Content => "",
            Self::End => "{{end}}",
            Self::Else => "{{else}}",
        }
    }
}

/// A part of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Operand {
    /// A value as it is written: it cannot be called, and has no fields.
    Value(String),
    /// Anything else.
    Callable,
}

struct Parser<'t> {
    lexer: Lexer<'t>,
    /// Items that were read too early, the next one last.
    pending: Vec<Item<'t>>,
    functions: &'t [&'t str],
    /// Templates, and whether they are empty.
    defined: BTreeMap<String, bool>,
    scope: Scope,
    depth: usize,
}

impl<'t> Parser<'t> {
    fn next(&mut self) -> Item<'t> {
        self.pending.pop().unwrap_or_else(|| {
            let item = self.lexer.next();
            self.scope.line = item.line;
            item
        })
    }

    fn peek(&mut self) -> Item<'t> {
        let item = self.next();
        self.pending.push(item.clone());
        item
    }

    fn next_after_space(&mut self) -> Item<'t> {
        loop {
            let item = self.next();
            if item.kind != Kind::Space {
                return item;
            }
        }
    }

    fn peek_after_space(&mut self) -> Item<'t> {
        let item = self.next_after_space();
        self.pending.push(item.clone());
        item
    }

    fn fail<T>(&self, words: impl Into<String>) -> Result<T> {
        Err(Invalid { line: self.scope.line, words: words.into() })
    }

    fn deeper(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth > DEEPEST { self.fail("max expression depth exceeded") } else { Ok(()) }
    }

    fn unexpected<T>(&self, item: &Item<'_>, context: &str) -> Result<T> {
        if item.kind != Kind::Error {
            return self.fail(format!("unexpected {item} in {context}"));
        }
        match self.scope.action {
            Some(line) if line != item.line => {
                let joint = if item.error.ends_with(" action") { "" } else { " in action" };
                self.fail(format!("{item}{joint} started at :{line}"))
            }
            _ => self.fail(item.to_string()),
        }
    }

    fn expect(&mut self, kind: Kind, context: &str) -> Result<Item<'t>> {
        let item = self.next_after_space();
        if item.kind == kind { Ok(item) } else { self.unexpected(&item, context) }
    }

    /// The whole text.
    fn template(&mut self) -> Result<()> {
        let mut empty = true;
        while self.peek().kind != Kind::End {
            if self.peek().kind == Kind::LeftDelimiter {
                let delimiter = self.next();
                let word = self.next_after_space();
                if word.kind == Kind::Word(Word::Define) {
                    self.definition()?;
                    continue;
                }
                self.pending.extend([word, delimiter]);
            }
            match self.text_or_action()? {
                node @ (Node::End | Node::Else) => return self.fail(format!("unexpected {}", node.shown())),
                node @ (Node::Blank | Node::Content) => empty &= node == Node::Blank,
            }
        }
        self.define(empty)
    }

    /// A template within the text, up to its end.
    fn definition(&mut self) -> Result<()> {
        const CONTEXT: &str = "define clause";
        let outer = std::mem::replace(&mut self.scope, Scope::new(String::new()));
        let name = self.next_after_space();
        self.scope.name = self.template_name(&name, CONTEXT)?;
        self.expect(Kind::RightDelimiter, CONTEXT)?;
        let (empty, end) = self.list()?;
        if end != Node::End {
            return self.fail(format!("unexpected {} in {CONTEXT}", end.shown()));
        }
        self.define(empty)?;
        self.scope = outer;
        Ok(())
    }

    fn define(&mut self, empty: bool) -> Result<()> {
        let known = self.defined.get(&self.scope.name);
        if known.is_none_or(|empty| *empty) {
            self.defined.insert(self.scope.name.clone(), empty);
        } else if !empty {
            let name = Quoted(&self.scope.name);
            return self.fail(format!("template: multiple definition of template {name}"));
        }
        Ok(())
    }

    /// Everything up to an end or an else; whether it is empty, and what ended it.
    fn list(&mut self) -> Result<(bool, Node)> {
        let mut empty = true;
        while self.peek_after_space().kind != Kind::End {
            match self.text_or_action()? {
                node @ (Node::End | Node::Else) => return Ok((empty, node)),
                node @ (Node::Blank | Node::Content) => empty &= node == Node::Blank,
            }
        }
        self.fail("unexpected EOF")
    }

    fn text_or_action(&mut self) -> Result<Node> {
        let item = self.next_after_space();
        match item.kind {
            Kind::Text if item.text.trim().is_empty() => Ok(Node::Blank),
            Kind::Text => Ok(Node::Content),
            Kind::LeftDelimiter => {
                self.scope.action = Some(item.line);
                let node = self.action();
                self.scope.action = None;
                node
            }
            _ => self.unexpected(&item, "input"),
        }
    }

    fn action(&mut self) -> Result<Node> {
        let item = self.next_after_space();
        let Kind::Word(word) = item.kind else {
            self.pending.push(item);
            self.pipeline("command", Kind::RightDelimiter)?;
            return Ok(Node::Content);
        };
        match word {
            Word::Block => self.block()?,
            Word::Break => self.leave_range("{{break}}")?,
            Word::Continue => self.leave_range("{{continue}}")?,
            Word::Else => return self.otherwise(),
            Word::End => {
                self.expect(Kind::RightDelimiter, "end")?;
                return Ok(Node::End);
            }
            Word::If => self.control("if")?,
            Word::Range => self.control("range")?,
            Word::With => self.control("with")?,
            Word::Template => self.call()?,
            Word::Dot | Word::Nil | Word::Define => {
                self.pending.push(item);
                self.pipeline("command", Kind::RightDelimiter)?;
            }
        }
        Ok(Node::Content)
    }

    fn leave_range(&mut self, word: &str) -> Result<()> {
        self.expect(Kind::RightDelimiter, word)?;
        if self.scope.ranges == 0 {
            return self.fail(format!("{word} outside {{{{range}}}}"));
        }
        Ok(())
    }

    /// An else, before the word that may follow it.
    fn otherwise(&mut self) -> Result<Node> {
        if !matches!(self.peek_after_space().kind, Kind::Word(Word::If | Word::With)) {
            self.expect(Kind::RightDelimiter, "else")?;
        }
        Ok(Node::Else)
    }

    /// `if`, `range` and `with`, up to their end. Variables live until there.
    fn control(&mut self, context: &'static str) -> Result<()> {
        self.deeper()?;
        let variables = self.scope.variables.len();
        self.pipeline(context, Kind::RightDelimiter)?;
        let range = usize::from(context == "range");
        self.scope.ranges += range;
        let (_, mut ended) = self.list()?;
        self.scope.ranges -= range;
        if ended == Node::Else {
            let word = match context {
                "if" => Some(Word::If),
                "with" => Some(Word::With),
                _ => None,
            };
            if word.is_some_and(|word| self.peek().kind == Kind::Word(word)) {
                self.next();
                self.control(context)?;
            } else {
                (_, ended) = self.list()?;
                if ended != Node::End {
                    return self.fail(format!("expected end; found {}", ended.shown()));
                }
            }
        }
        self.scope.variables.truncate(variables);
        self.depth -= 1;
        Ok(())
    }

    /// A template that is defined where it is called.
    fn block(&mut self) -> Result<()> {
        const CONTEXT: &str = "block clause";
        let name = self.next_after_space();
        let name = self.template_name(&name, CONTEXT)?;
        self.pipeline(CONTEXT, Kind::RightDelimiter)?;
        self.deeper()?;
        let outer = std::mem::replace(&mut self.scope, Scope::new(name));
        let (empty, end) = self.list()?;
        if end != Node::End {
            self.scope = outer;
            return self.fail(format!("unexpected {} in {CONTEXT}", end.shown()));
        }
        self.define(empty)?;
        self.scope = outer;
        self.depth -= 1;
        Ok(())
    }

    fn call(&mut self) -> Result<()> {
        const CONTEXT: &str = "template clause";
        let name = self.next_after_space();
        self.template_name(&name, CONTEXT)?;
        let item = self.next_after_space();
        if item.kind == Kind::RightDelimiter {
            return Ok(());
        }
        self.pending.push(item);
        self.pipeline(CONTEXT, Kind::RightDelimiter)
    }

    fn template_name(&self, item: &Item<'_>, context: &str) -> Result<String> {
        match item.kind {
            Kind::QuotedText | Kind::RawText => literal::text(item.text).or_else(|words| self.fail(words)),
            _ => self.unexpected(item, context),
        }
    }

    /// Declarations, then commands up to an end.
    fn pipeline(&mut self, context: &str, end: Kind) -> Result<()> {
        self.declarations(context)?;
        let mut commands = Vec::new();
        loop {
            let item = self.next_after_space();
            if item.kind == end {
                break;
            }
            if !starts_operand(item.kind) {
                return self.unexpected(&item, context);
            }
            self.pending.push(item);
            commands.push(self.command()?);
        }
        if commands.is_empty() {
            return self.fail(format!("missing value for {context}"));
        }
        match commands.iter().skip(1).position(|first| *first != Operand::Callable) {
            Some(stage) => self.fail(format!("non executable command in pipeline stage {}", stage + 2)),
            None => Ok(()),
        }
    }

    fn declarations(&mut self, context: &str) -> Result<()> {
        for count in 1.. {
            let variable = self.peek_after_space();
            if variable.kind != Kind::Variable {
                return Ok(());
            }
            self.next();
            let beside = self.peek();
            let next = self.peek_after_space();
            if matches!(next.kind, Kind::Assign | Kind::Declare) {
                self.next_after_space();
                self.scope.variables.push(variable.text.to_owned());
                return Ok(());
            }
            if next.kind != Kind::Sign || next.text != "," {
                // No declaration: the variable is an operand, and the space after it separates it from the next.
                if beside.kind == Kind::Space {
                    self.pending.push(beside);
                }
                self.pending.push(variable);
                return Ok(());
            }
            self.next_after_space();
            self.scope.variables.push(variable.text.to_owned());
            if context != "range" || count > 1 {
                return self.fail(format!("too many declarations in {context}"));
            }
            let after = self.peek_after_space().kind;
            if !matches!(after, Kind::Variable | Kind::RightDelimiter | Kind::RightParenthesis) {
                return self.fail("range can only initialize variables");
            }
        }
        Ok(())
    }

    /// Operands with space between them; gives the first.
    fn command(&mut self) -> Result<Operand> {
        let mut first = None;
        loop {
            self.peek_after_space();
            if let Some(operand) = self.operand()? {
                first.get_or_insert(operand);
            }
            let item = self.next();
            match item.kind {
                Kind::Space => continue,
                Kind::RightDelimiter | Kind::RightParenthesis => self.pending.push(item),
                Kind::Pipe => {}
                _ => return self.unexpected(&item, "operand"),
            }
            break;
        }
        first.map_or_else(|| self.fail("empty command"), Ok)
    }

    /// A term with its fields.
    fn operand(&mut self) -> Result<Option<Operand>> {
        let Some(term) = self.term()? else { return Ok(None) };
        if self.peek().kind != Kind::Field {
            return Ok(Some(term));
        }
        while self.peek().kind == Kind::Field {
            self.next();
        }
        match term {
            Operand::Value(text) => self.fail(format!("unexpected . after term {}", Quoted(&text))),
            Operand::Callable => Ok(Some(Operand::Callable)),
        }
    }

    fn term(&mut self) -> Result<Option<Operand>> {
        let item = self.next_after_space();
        let value = || Operand::Value(item.text.to_owned());
        Ok(Some(match item.kind {
            Kind::Identifier => {
                if !self.functions.contains(&item.text) {
                    return self.fail(format!("function {} not defined", Quoted(item.text)));
                }
                Operand::Callable
            }
            Kind::Word(Word::Dot | Word::Nil) | Kind::Bool => value(),
            Kind::Variable => {
                if !self.scope.variables.iter().any(|known| known == item.text) {
                    return self.fail(format!("undefined variable {}", Quoted(item.text)));
                }
                Operand::Callable
            }
            Kind::Field => Operand::Callable,
            Kind::Character | Kind::Complex | Kind::Number => {
                literal::number(item.kind, item.text).or_else(|words| self.fail(words))?;
                value()
            }
            Kind::LeftParenthesis => {
                self.deeper()?;
                self.pipeline("parenthesized pipeline", Kind::RightParenthesis)?;
                self.depth -= 1;
                Operand::Callable
            }
            Kind::QuotedText | Kind::RawText => {
                literal::text(item.text).or_else(|words| self.fail(words))?;
                value()
            }
            _ => {
                self.pending.push(item);
                return Ok(None);
            }
        }))
    }
}

/// Whether an operand can begin with this.
fn starts_operand(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Bool
            | Kind::Character
            | Kind::Complex
            | Kind::Word(Word::Dot | Word::Nil)
            | Kind::Field
            | Kind::Identifier
            | Kind::Number
            | Kind::RawText
            | Kind::QuotedText
            | Kind::Variable
            | Kind::LeftParenthesis
    )
}
