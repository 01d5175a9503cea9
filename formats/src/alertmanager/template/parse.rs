//! Whether tokens are in an order that means something.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "every token that is not expected is refused, also a kind that comes later"
)]

use super::BadTemplate;
use super::lex::{Kind, Token};

/// Functions that every template has.
const FUNCTIONS: [&str; 19] = [
    "and", "call", "eq", "ge", "gt", "html", "index", "js", "le", "len", "lt", "ne", "not", "or", "print",
    "printf", "println", "slice", "urlquery",
];
/// How deep parentheses may be inside of each other.
const DEEPEST: usize = 500;

pub(super) fn check(tokens: Vec<Token>) -> Result<(), BadTemplate> {
    let mut parser = Parser { tokens, at: 0, variables: vec!["$".into()], ranges: 0, depth: 0 };
    parser.document()
}

/// How a list of actions ends.
#[derive(Debug, PartialEq, Eq)]
enum Stop {
    End,
    Else,
}

/// What an operand is, as far as it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operand {
    /// It can be the target of a pipe.
    Callable,
    /// It is a value; a field of it cannot be named.
    Constant,
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    variables: Vec<String>,
    ranges: usize,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> &Token {
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.at += 1;
        token
    }

    fn peek_word(&mut self) -> &Token {
        while self.peek().kind == Kind::Space {
            self.at += 1;
        }
        self.peek()
    }

    fn next_word(&mut self) -> Token {
        self.peek_word();
        self.next()
    }

    fn error<T>(&self, problem: impl Into<String>) -> Result<T, BadTemplate> {
        let last = &self.tokens[self.at.saturating_sub(1).min(self.tokens.len() - 1)];
        Err(BadTemplate { line: last.line, problem: problem.into() })
    }

    fn unexpected<T>(&self, token: &Token, place: &str) -> Result<T, BadTemplate> {
        if token.kind == Kind::Error {
            return self.error(token.words.clone());
        }
        self.error(format!("unexpected {} in {place}", shown(token)))
    }

    fn expect(&mut self, kind: Kind, place: &str) -> Result<(), BadTemplate> {
        let token = self.next_word();
        if token.kind == kind { Ok(()) } else { self.unexpected(&token, place) }
    }

    fn is_keyword(&mut self, word: &str) -> bool {
        let token = self.peek_word();
        token.kind == Kind::Keyword && token.words == word
    }

    fn document(&mut self) -> Result<(), BadTemplate> {
        while self.peek().kind != Kind::End {
            if self.peek().kind == Kind::Open {
                let before = self.at;
                self.next();
                if self.is_keyword("define") {
                    self.next();
                    self.definition()?;
                    continue;
                }
                self.at = before;
            }
            match self.text_or_action()? {
                None => {}
                Some(Stop::End) => return self.error("unexpected {{end}}"),
                Some(Stop::Else) => return self.error("unexpected {{else}}"),
            }
        }
        Ok(())
    }

    fn definition(&mut self) -> Result<(), BadTemplate> {
        let outer = std::mem::replace(&mut self.variables, vec!["$".into()]);
        self.template_name("define clause")?;
        self.expect(Kind::Close, "define clause")?;
        self.body("define clause")?;
        self.variables = outer;
        Ok(())
    }

    /// Actions up to an end that belongs to them.
    fn body(&mut self, place: &str) -> Result<(), BadTemplate> {
        match self.list()? {
            Stop::End => Ok(()),
            Stop::Else => self.error(format!("unexpected {{{{else}}}} in {place}")),
        }
    }

    fn list(&mut self) -> Result<Stop, BadTemplate> {
        while self.peek_word().kind != Kind::End {
            if let Some(stop) = self.text_or_action()? {
                return Ok(stop);
            }
        }
        self.next();
        self.error("unexpected EOF")
    }

    fn text_or_action(&mut self) -> Result<Option<Stop>, BadTemplate> {
        let token = self.next_word();
        match token.kind {
            Kind::Text => Ok(None),
            Kind::Open => self.action(),
            _ => self.unexpected(&token, "input"),
        }
    }

    fn action(&mut self) -> Result<Option<Stop>, BadTemplate> {
        let before = self.at;
        let token = self.next_word();
        let keyword = if token.kind == Kind::Keyword { token.words.as_str() } else { "" };
        match keyword {
            "block" => {
                self.template_name("block clause")?;
                self.pipeline("block clause", Kind::Close)?;
                let outer = std::mem::replace(&mut self.variables, vec!["$".into()]);
                self.body("block clause")?;
                self.variables = outer;
            }
            "break" | "continue" => self.leave_loop(keyword)?,
            "else" => {
                if !self.is_keyword("if") && !self.is_keyword("with") {
                    self.expect(Kind::Close, "else")?;
                }
                return Ok(Some(Stop::Else));
            }
            "end" => {
                self.expect(Kind::Close, "end")?;
                return Ok(Some(Stop::End));
            }
            "if" | "range" | "with" => self.control(keyword)?,
            "template" => {
                self.template_name("template clause")?;
                if self.peek_word().kind == Kind::Close {
                    self.next();
                } else {
                    self.pipeline("template clause", Kind::Close)?;
                }
            }
            _ => {
                self.at = before;
                self.pipeline("command", Kind::Close)?;
            }
        }
        Ok(None)
    }

    fn leave_loop(&mut self, word: &str) -> Result<(), BadTemplate> {
        self.expect(Kind::Close, &format!("{{{{{word}}}}}"))?;
        if self.ranges == 0 {
            return self.error(format!("{{{{{word}}}}} outside {{{{range}}}}"));
        }
        Ok(())
    }

    /// `if`, `range` and `with`.
    fn control(&mut self, word: &str) -> Result<(), BadTemplate> {
        let known = self.variables.len();
        self.pipeline(word, Kind::Close)?;
        let loops = usize::from(word == "range");
        self.ranges += loops;
        let stop = self.list()?;
        self.ranges -= loops;
        if stop == Stop::Else {
            if word != "range" && self.is_keyword(word) {
                self.next();
                self.control(word)?;
            } else if self.list()? == Stop::Else {
                return self.error("expected end; found {{else}}");
            }
        }
        self.variables.truncate(known);
        Ok(())
    }

    fn template_name(&mut self, place: &str) -> Result<(), BadTemplate> {
        let token = self.next_word();
        match token.kind {
            Kind::Quoted | Kind::Raw => self.check_quoted(&token),
            _ => self.unexpected(&token, place),
        }
    }

    fn pipeline(&mut self, place: &str, end: Kind) -> Result<(), BadTemplate> {
        self.declarations(place)?;
        let mut stages = 0;
        loop {
            let token = self.next_word();
            match token.kind {
                kind if kind == end => {
                    return if stages == 0 {
                        self.error(format!("missing value for {place}"))
                    } else {
                        Ok(())
                    };
                }
                Kind::Truth
                | Kind::Letter
                | Kind::Dot
                | Kind::Field
                | Kind::Name
                | Kind::Number
                | Kind::Raw
                | Kind::Quoted
                | Kind::Variable
                | Kind::LeftParen => {}
                Kind::Keyword if token.words == "nil" => {}
                _ => return self.unexpected(&token, place),
            }
            self.at -= 1;
            stages += 1;
            let first = self.command()?;
            if stages > 1 && first == Operand::Constant {
                return self.error(format!("non executable command in pipeline stage {stages}"));
            }
        }
    }

    /// Variables that are declared or set at the beginning of a pipeline.
    fn declarations(&mut self, place: &str) -> Result<(), BadTemplate> {
        for count in 1.. {
            if self.peek_word().kind != Kind::Variable {
                return Ok(());
            }
            let before = self.at;
            let name = self.next().words;
            let token = self.peek_word().clone();
            match token.kind {
                Kind::Assign | Kind::Declare => {
                    self.next();
                    self.variables.push(name);
                    return Ok(());
                }
                Kind::Sign if token.words == "," => {
                    self.next();
                    self.variables.push(name);
                    if place != "range" || count > 1 {
                        return self.error(format!("too many declarations in {place}"));
                    }
                    if !matches!(self.peek_word().kind, Kind::Variable | Kind::Close | Kind::RightParen) {
                        return self.error("range can only initialize variables");
                    }
                }
                _ => {
                    self.at = before;
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Operands up to a pipe or an end; what the first one is.
    fn command(&mut self) -> Result<Operand, BadTemplate> {
        let mut first = None;
        loop {
            self.peek_word();
            let operand = self.operand()?;
            first = first.or(operand);
            let token = self.next();
            match token.kind {
                Kind::Space => {}
                Kind::Close | Kind::RightParen => {
                    self.at -= 1;
                    break;
                }
                Kind::Pipe => break,
                _ => return self.unexpected(&token, "operand"),
            }
        }
        first.map_or_else(|| self.error("empty command"), Ok)
    }

    fn operand(&mut self) -> Result<Option<Operand>, BadTemplate> {
        let word = self.peek_word().words.clone();
        let Some(term) = self.term()? else { return Ok(None) };
        if self.peek().kind == Kind::Field && term == Operand::Constant {
            self.next();
            return self.error(format!("unexpected . after term {word:?}"));
        }
        while self.peek().kind == Kind::Field {
            self.next();
        }
        Ok(Some(term))
    }

    fn term(&mut self) -> Result<Option<Operand>, BadTemplate> {
        let token = self.next_word();
        match token.kind {
            Kind::Name if !FUNCTIONS.contains(&token.words.as_str()) => {
                self.error(format!("function {:?} not defined", token.words))
            }
            Kind::Variable if !self.variables.contains(&token.words) => {
                self.error(format!("undefined variable {:?}", token.words))
            }
            Kind::Name | Kind::Variable | Kind::Field => Ok(Some(Operand::Callable)),
            Kind::Dot | Kind::Truth | Kind::Number | Kind::Letter => Ok(Some(Operand::Constant)),
            Kind::Keyword if token.words == "nil" => Ok(Some(Operand::Constant)),
            Kind::Quoted | Kind::Raw => self.check_quoted(&token).map(|()| Some(Operand::Constant)),
            Kind::LeftParen => {
                self.depth += 1;
                if self.depth > DEEPEST {
                    return self.error("max expression depth exceeded");
                }
                self.pipeline("parenthesized pipeline", Kind::RightParen)?;
                self.depth -= 1;
                Ok(Some(Operand::Callable))
            }
            _ => {
                self.at -= 1;
                Ok(None)
            }
        }
    }

    /// Refuses escapes that mean nothing.
    fn check_quoted(&self, token: &Token) -> Result<(), BadTemplate> {
        if token.kind == Kind::Raw {
            return Ok(());
        }
        let mut letters = token.words.chars().skip(1);
        while let Some(letter) = letters.next() {
            if letter != '\\' {
                continue;
            }
            let digits = match letters.next() {
                Some('a' | 'b' | 'f' | 'n' | 'r' | 't' | 'v' | '\\' | '"') => continue,
                Some('x') => 2,
                Some('u') => 4,
                Some('U') => 8,
                Some('0'..='7') => {
                    let rest: Vec<char> = letters.by_ref().take(2).collect();
                    if rest.len() == 2 && rest.iter().all(|digit| digit.is_digit(8)) {
                        continue;
                    }
                    return self.error("invalid syntax");
                }
                _ => return self.error("invalid syntax"),
            };
            let number: Vec<char> = letters.by_ref().take(digits).collect();
            if number.len() < digits || !number.iter().all(char::is_ascii_hexdigit) {
                return self.error("invalid syntax");
            }
        }
        Ok(())
    }
}

/// A token in an error.
fn shown(token: &Token) -> String {
    match token.kind {
        Kind::End => "EOF".into(),
        Kind::Keyword => format!("<{}>", token.words),
        _ if token.words.chars().count() > 10 => {
            format!("{:?}...", token.words.chars().take(10).collect::<String>())
        }
        _ => format!("{:?}", token.words),
    }
}
