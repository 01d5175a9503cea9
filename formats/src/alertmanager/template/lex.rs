//! Text to tokens.

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Error,
    End,
    Text,
    Open,
    Close,
    Space,
    Assign,
    Declare,
    Pipe,
    Quoted,
    Raw,
    Variable,
    Letter,
    Number,
    Dot,
    Field,
    Name,
    Truth,
    Keyword,
    LeftParen,
    RightParen,
    Sign,
}

/// A word of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) words: String,
    pub(super) line: usize,
}

const KEYWORDS: [&str; 11] =
    ["block", "break", "continue", "define", "else", "end", "if", "nil", "range", "template", "with"];

/// All tokens of a text; the last one is its end or an error.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut lexer = Lexer { letters: text.chars().collect(), at: 0, start: 0, depth: 0, tokens: Vec::new() };
    match lexer.text() {
        Ok(()) => lexer.push(Kind::End),
        Err(problem) => {
            let line = lexer.line();
            lexer.tokens.push(Token { kind: Kind::Error, words: problem, line });
        }
    }
    lexer.tokens
}

struct Lexer {
    letters: Vec<char>,
    at: usize,
    /// Where the token begins that is being read.
    start: usize,
    /// How many parentheses are open.
    depth: usize,
    tokens: Vec<Token>,
}

impl Lexer {
    fn line(&self) -> usize {
        1 + self.letters[..self.start].iter().filter(|letter| **letter == '\n').count()
    }

    fn push(&mut self, kind: Kind) {
        let words = self.letters[self.start..self.at].iter().collect();
        self.tokens.push(Token { kind, words, line: self.line() });
        self.start = self.at;
    }

    fn skip(&mut self, to: usize) {
        self.at = to;
        self.start = to;
    }

    fn peek(&self) -> Option<char> {
        self.letters.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let letter = self.peek();
        self.at += usize::from(letter.is_some());
        letter
    }

    fn is_at(&self, at: usize, words: &str) -> bool {
        words.chars().enumerate().all(|(offset, letter)| self.letters.get(at + offset) == Some(&letter))
    }

    fn is_space_at(&self, at: usize) -> bool {
        self.letters.get(at).is_some_and(|letter| is_space(*letter))
    }

    /// Whether an action ends here, and how long its end is.
    fn close_at(&self, at: usize) -> Option<usize> {
        if self.is_space_at(at) && self.is_at(at + 1, "-}}") {
            Some(4)
        } else {
            self.is_at(at, "}}").then_some(2)
        }
    }

    fn text(&mut self) -> Result<(), String> {
        while self.at < self.letters.len() {
            if !self.is_at(self.at, "{{") {
                self.at += 1;
                continue;
            }
            if self.at > self.start {
                self.push(Kind::Text);
            }
            let trims = self.is_at(self.at + 2, "-") && self.is_space_at(self.at + 3);
            let inside = self.at + if trims { 4 } else { 2 };
            if self.is_at(inside, "/*") {
                self.comment(inside)?;
                continue;
            }
            self.at += 2;
            self.push(Kind::Open);
            self.skip(inside);
            self.depth = 0;
            while !self.inside_action()? {}
        }
        if self.at > self.start {
            self.push(Kind::Text);
        }
        Ok(())
    }

    fn comment(&mut self, from: usize) -> Result<(), String> {
        let end = (from + 2..self.letters.len()).find(|at| self.is_at(*at, "*/"));
        let Some(end) = end else { return Err("unclosed comment".into()) };
        let Some(close) = self.close_at(end + 2) else {
            return Err("comment ends before closing delimiter".into());
        };
        self.skip(end + 2 + close);
        Ok(())
    }

    /// Reads one token; true, if it was the end of the action.
    fn inside_action(&mut self) -> Result<bool, String> {
        if let Some(length) = self.close_at(self.at) {
            if self.depth > 0 {
                return Err("unclosed left paren".into());
            }
            self.at += length;
            self.push(Kind::Close);
            return Ok(true);
        }
        let Some(letter) = self.next() else { return Err("unclosed action".into()) };
        let digit_follows = self.peek().is_some_and(|letter| letter.is_ascii_digit());
        match letter {
            _ if is_space(letter) => self.space(),
            '=' => self.push(Kind::Assign),
            ':' => {
                if self.next() != Some('=') {
                    return Err("expected :=".into());
                }
                self.push(Kind::Declare);
            }
            '|' => self.push(Kind::Pipe),
            '"' => self.quoted('"', Kind::Quoted, "unterminated quoted string")?,
            '\'' => self.quoted('\'', Kind::Letter, "unterminated character constant")?,
            '`' => self.raw()?,
            '$' => self.name_or_field(Kind::Variable, Kind::Variable)?,
            '.' if !digit_follows => self.name_or_field(Kind::Field, Kind::Dot)?,
            '.' | '+' | '-' | '0'..='9' => self.number()?,
            '(' => {
                self.depth += 1;
                self.push(Kind::LeftParen);
            }
            ')' => {
                self.depth = self.depth.checked_sub(1).ok_or("unexpected right paren")?;
                self.push(Kind::RightParen);
            }
            _ if is_word(letter) => self.word()?,
            ' '..='~' => self.push(Kind::Sign),
            other => return Err(format!("unrecognized character in action: {}", code(other))),
        }
        Ok(false)
    }

    fn space(&mut self) {
        while self.is_space_at(self.at) && self.close_at(self.at).is_none() {
            self.at += 1;
        }
        self.push(Kind::Space);
    }

    fn quoted(&mut self, quote: char, kind: Kind, unterminated: &str) -> Result<(), String> {
        loop {
            match self.next() {
                Some('\\') if !matches!(self.next(), None | Some('\n')) => {}
                None | Some('\n' | '\\') => return Err(unterminated.into()),
                Some(letter) if letter == quote => break,
                Some(_) => {}
            }
        }
        self.push(kind);
        Ok(())
    }

    fn raw(&mut self) -> Result<(), String> {
        loop {
            match self.next() {
                None => return Err("unterminated raw quoted string".into()),
                Some('`') => break,
                Some(_) => {}
            }
        }
        self.push(Kind::Raw);
        Ok(())
    }

    /// What follows a dollar or a dot; it may be nothing.
    fn name_or_field(&mut self, kind: Kind, bare: Kind) -> Result<(), String> {
        if self.is_at_end_of_word() {
            self.push(bare);
            return Ok(());
        }
        self.rest_of_word()?;
        self.push(kind);
        Ok(())
    }

    fn word(&mut self) -> Result<(), String> {
        self.rest_of_word()?;
        let word: String = self.letters[self.start..self.at].iter().collect();
        let kind = match word.as_str() {
            "true" | "false" => Kind::Truth,
            word if KEYWORDS.contains(&word) => Kind::Keyword,
            _ => Kind::Name,
        };
        self.push(kind);
        Ok(())
    }

    fn rest_of_word(&mut self) -> Result<(), String> {
        while self.peek().is_some_and(is_word) {
            self.at += 1;
        }
        match self.peek() {
            Some(letter) if !self.is_at_end_of_word() => Err(format!("bad character {}", code(letter))),
            _ => Ok(()),
        }
    }

    fn is_at_end_of_word(&self) -> bool {
        let ends = |letter: char| is_space(letter) || matches!(letter, '.' | ',' | '|' | ':' | ')' | '(');
        self.peek().is_none_or(ends) || self.is_at(self.at, "}}")
    }

    fn number(&mut self) -> Result<(), String> {
        while self
            .peek()
            .is_some_and(|letter| is_word(letter) || letter == '.' || self.is_exponent_sign(letter))
        {
            self.at += 1;
        }
        let words: String = self.letters[self.start..self.at].iter().collect();
        if !is_number(&words) {
            return Err(format!("bad number syntax: {words:?}"));
        }
        self.push(Kind::Number);
        Ok(())
    }

    /// A sign behind the `e` of a number.
    fn is_exponent_sign(&self, letter: char) -> bool {
        let before = self.letters.get(self.at.wrapping_sub(1));
        matches!(letter, '+' | '-') && matches!(before, Some('e' | 'E' | 'p' | 'P'))
    }
}

fn is_number(words: &str) -> bool {
    let unsigned = words.strip_prefix(['+', '-']).unwrap_or(words).replace('_', "");
    let unsigned = unsigned.strip_suffix('i').unwrap_or(&unsigned);
    let in_base = |prefixes: [&str; 2], base: u32| {
        let digits = prefixes.iter().find_map(|prefix| unsigned.strip_prefix(prefix));
        digits.is_some_and(|digits| u64::from_str_radix(digits, base).is_ok())
    };
    let is_decimal = unsigned.starts_with(|letter: char| letter.is_ascii_digit() || letter == '.')
        && unsigned.parse::<f64>().is_ok();
    is_decimal || in_base(["0x", "0X"], 16) || in_base(["0o", "0O"], 8) || in_base(["0b", "0B"], 2)
}

fn is_space(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\r' | '\n')
}

fn is_word(letter: char) -> bool {
    letter == '_' || letter.is_alphabetic() || letter.is_numeric()
}

/// A letter by its number, and as it is if it can be shown.
fn code(letter: char) -> String {
    let number = format!("U+{:04X}", u32::from(letter));
    if letter.is_control() { number } else { format!("{number} '{letter}'") }
}
