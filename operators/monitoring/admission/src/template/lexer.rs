//! Text to items.

use formats::quoted::{CodePoint, Quoted};

use super::item::{Item, Kind, Word};

const LEFT: &str = "{{";
const RIGHT: &str = "}}";
const LEFT_COMMENT: &str = "/*";
const RIGHT_COMMENT: &str = "*/";

/// Characters that count as space.
const SPACES: [char; 4] = [' ', '\t', '\r', '\n'];

/// A minus and the space that must be beside it.
const TRIM: usize = 2;

/// Cuts a template into items, one at a time.
#[derive(Debug)]
pub(super) struct Lexer<'t> {
    text: &'t str,
    /// Where the item in work begins.
    start: usize,
    /// How far it reaches.
    at: usize,
    /// The line of `start`.
    line: usize,
    inside: bool,
    depth: usize,
    failed: bool,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, start: 0, at: 0, line: 1, inside: false, depth: 0, failed: false }
    }

    /// The next item. After an error and at the end there is only the end.
    pub(super) fn next(&mut self) -> Item<'t> {
        if self.failed {
            return Item { kind: Kind::End, text: "", line: self.line, error: String::new() };
        }
        if self.inside { self.inside_action() } else { self.outside() }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn advance(&mut self) -> Option<char> {
        let character = self.peek()?;
        self.at += character.len_utf8();
        Some(character)
    }

    fn accept(&mut self, wanted: &str) -> bool {
        let found = self.peek().is_some_and(|character| wanted.contains(character));
        if found {
            self.advance();
        }
        found
    }

    fn accept_run(&mut self, wanted: &str) {
        while self.accept(wanted) {}
    }

    /// Ends the item in work.
    fn item(&mut self, kind: Kind) -> Item<'t> {
        let item =
            Item { kind, text: &self.text[self.start..self.at], line: self.line, error: String::new() };
        self.skip();
        item
    }

    /// Forgets the item in work.
    fn skip(&mut self) {
        self.line += self.text[self.start..self.at].matches('\n').count();
        self.start = self.at;
    }

    fn error(&mut self, words: impl Into<String>) -> Item<'t> {
        self.failed = true;
        Item { kind: Kind::Error, text: "", line: self.line, error: words.into() }
    }

    fn outside(&mut self) -> Item<'t> {
        loop {
            let Some(found) = self.rest().find(LEFT) else {
                self.at = self.text.len();
                return self.item(if self.start < self.at { Kind::Text } else { Kind::End });
            };
            let action = self.at + found;
            let before = &self.text[self.at..action];
            let kept = if trims_left(&self.text[action + LEFT.len()..]) {
                before.trim_end_matches(SPACES)
            } else {
                before
            };
            self.at += kept.len();
            if !kept.is_empty() {
                let item = self.item(Kind::Text);
                self.at = action;
                self.skip();
                return item;
            }
            self.at = action;
            self.skip();
            if let Some(item) = self.left_delimiter() {
                return item;
            }
        }
    }

    /// The beginning of an action; nothing, if a comment was skipped.
    fn left_delimiter(&mut self) -> Option<Item<'t>> {
        self.at += LEFT.len();
        let marker = if trims_left(self.rest()) { TRIM } else { 0 };
        if self.text[self.at + marker..].starts_with(LEFT_COMMENT) {
            self.at += marker;
            self.skip();
            return self.comment();
        }
        let item = self.item(Kind::LeftDelimiter);
        self.inside = true;
        self.depth = 0;
        self.at += marker;
        self.skip();
        Some(item)
    }

    fn comment(&mut self) -> Option<Item<'t>> {
        self.at += LEFT_COMMENT.len();
        let Some(end) = self.rest().find(RIGHT_COMMENT) else {
            return Some(self.error("unclosed comment"));
        };
        self.at += end + RIGHT_COMMENT.len();
        let Some(trims) = self.right_delimiter_ahead() else {
            return Some(self.error("comment ends before closing delimiter"));
        };
        self.pass_right_delimiter(trims);
        self.skip();
        None
    }

    /// Whether an action ends here, and whether the end takes the space that follows with it.
    fn right_delimiter_ahead(&self) -> Option<bool> {
        let rest = self.rest();
        if trims_right(rest) && rest[TRIM..].starts_with(RIGHT) {
            return Some(true);
        }
        rest.starts_with(RIGHT).then_some(false)
    }

    fn pass_right_delimiter(&mut self, trims: bool) {
        if trims {
            self.at += TRIM;
        }
        self.at += RIGHT.len();
        if trims {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start_matches(SPACES).len();
        }
    }

    fn right_delimiter(&mut self, trims: bool) -> Item<'t> {
        if trims {
            self.at += TRIM;
            self.skip();
        }
        self.at += RIGHT.len();
        let item = self.item(Kind::RightDelimiter);
        if trims {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start_matches(SPACES).len();
            self.skip();
        }
        self.inside = false;
        item
    }

    fn inside_action(&mut self) -> Item<'t> {
        if let Some(trims) = self.right_delimiter_ahead() {
            if self.depth > 0 {
                return self.error("unclosed left paren");
            }
            return self.right_delimiter(trims);
        }
        let Some(character) = self.peek() else { return self.error("unclosed action") };
        match character {
            ' ' | '\t' | '\r' | '\n' => self.space(),
            '"' => self.quoted('"', Kind::QuotedText, "unterminated quoted string"),
            '\'' => self.quoted('\'', Kind::Character, "unterminated character constant"),
            '`' => self.raw(),
            '$' => self.name(Kind::Variable),
            '.' if !self.text[self.at + 1..].bytes().next().is_none_or(|next| next.is_ascii_digit()) => {
                self.name(Kind::Field)
            }
            '.' | '+' | '-' | '0'..='9' => self.number(),
            _ if is_letter(character) => self.word(),
            _ => self.sign(character),
        }
    }

    fn sign(&mut self, character: char) -> Item<'t> {
        self.advance();
        match character {
            '=' => self.item(Kind::Assign),
            ':' if self.accept("=") => self.item(Kind::Declare),
            ':' => self.error("expected :="),
            '|' => self.item(Kind::Pipe),
            '(' => {
                self.depth += 1;
                self.item(Kind::LeftParenthesis)
            }
            ')' if self.depth == 0 => self.error("unexpected right paren"),
            ')' => {
                self.depth -= 1;
                self.item(Kind::RightParenthesis)
            }
            ' '..='~' => self.item(Kind::Sign),
            _ => self.error(format!("unrecognized character in action: {}", CodePoint(character))),
        }
    }

    /// Space, except for the last one if it belongs to the end of the action.
    fn space(&mut self) -> Item<'t> {
        let rest = self.rest();
        let spaces = rest.len() - rest.trim_start_matches(SPACES).len();
        self.at += spaces - 1;
        if self.right_delimiter_ahead() == Some(true) {
            if spaces == 1 {
                return self.right_delimiter(true);
            }
        } else {
            self.at += 1;
        }
        self.item(Kind::Space)
    }

    /// A text between quotes, with escapes that are looked at later.
    fn quoted(&mut self, quote: char, kind: Kind, unterminated: &str) -> Item<'t> {
        self.advance();
        loop {
            match self.advance() {
                Some('\\') => {
                    if matches!(self.advance(), None | Some('\n')) {
                        return self.error(unterminated);
                    }
                }
                None | Some('\n') => return self.error(unterminated),
                Some(character) if character == quote => return self.item(kind),
                Some(_) => {}
            }
        }
    }

    fn raw(&mut self) -> Item<'t> {
        self.advance();
        match self.rest().find('`') {
            Some(end) => {
                self.at += end + 1;
                self.item(Kind::RawText)
            }
            None => self.error("unterminated raw quoted string"),
        }
    }

    /// A field or a variable: its sign, then letters.
    fn name(&mut self, kind: Kind) -> Item<'t> {
        self.advance();
        if self.at_terminator() {
            return self.item(if kind == Kind::Field { Kind::Word(Word::Dot) } else { kind });
        }
        self.letters(|_| kind)
    }

    fn word(&mut self) -> Item<'t> {
        self.letters(|word| match Word::of(word) {
            Some(word) => Kind::Word(word),
            None if matches!(word, "true" | "false") => Kind::Bool,
            None => Kind::Identifier,
        })
    }

    fn letters(&mut self, kind: impl Fn(&str) -> Kind) -> Item<'t> {
        while self.peek().is_some_and(is_letter) {
            self.advance();
        }
        if self.at_terminator() {
            let kind = kind(&self.text[self.start..self.at]);
            return self.item(kind);
        }
        // The end of the text is a terminator, so there is a character.
        let character = self.peek().unwrap_or_default();
        self.error(format!("bad character {}", CodePoint(character)))
    }

    fn at_terminator(&self) -> bool {
        match self.peek() {
            None => true,
            Some(character) => {
                SPACES.contains(&character) || ".,|:)(".contains(character) || self.rest().starts_with(RIGHT)
            }
        }
    }

    fn number(&mut self) -> Item<'t> {
        if !self.scan_number() {
            return self.bad_number();
        }
        if !matches!(self.peek(), Some('+' | '-')) {
            return self.item(Kind::Number);
        }
        if !self.scan_number() || !self.text[..self.at].ends_with('i') {
            return self.bad_number();
        }
        self.item(Kind::Complex)
    }

    fn bad_number(&mut self) -> Item<'t> {
        let words = format!("bad number syntax: {}", Quoted(&self.text[self.start..self.at]));
        self.error(words)
    }

    fn scan_number(&mut self) -> bool {
        const DECIMAL: &str = "0123456789_";
        const HEXADECIMAL: &str = "0123456789abcdefABCDEF_";
        self.accept("+-");
        let mut digits = DECIMAL;
        if self.accept("0") {
            if self.accept("xX") {
                digits = HEXADECIMAL;
            } else if self.accept("oO") {
                digits = "01234567_";
            } else if self.accept("bB") {
                digits = "01_";
            }
        }
        self.accept_run(digits);
        if self.accept(".") {
            self.accept_run(digits);
        }
        let exponent = match digits {
            DECIMAL => "eE",
            HEXADECIMAL => "pP",
            _ => "",
        };
        if self.accept(exponent) {
            self.accept("+-");
            self.accept_run(DECIMAL);
        }
        self.accept("i");
        if self.peek().is_some_and(is_letter) {
            self.advance();
            return false;
        }
        true
    }
}

fn is_letter(character: char) -> bool {
    character == '_' || character.is_alphanumeric()
}

fn trims_left(text: &str) -> bool {
    text.strip_prefix('-').is_some_and(|rest| rest.starts_with(SPACES))
}

fn trims_right(text: &str) -> bool {
    text.strip_prefix(SPACES).is_some_and(|rest| rest.starts_with('-'))
}
