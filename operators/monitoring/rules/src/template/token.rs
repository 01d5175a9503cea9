//! The words of a template.

use promql::quote::quoted;

/// A word and where it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'t> {
    pub(super) kind: Kind,
    pub(super) text: &'t str,
    pub(super) line: usize,
}

/// Kinds of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing comes after it.
    End,
    /// It could not be read.
    Failure,
    /// What stands outside actions.
    Plain,
    LeftDelimiter,
    RightDelimiter,
    Space,
    /// `=`.
    Assign,
    /// `:=`.
    Declare,
    Pipe,
    LeftParen,
    RightParen,
    /// Another sign.
    Sign,
    Text,
    RawText,
    Letter,
    Number,
    Complex,
    Bool,
    Identifier,
    /// `.name`.
    Field,
    /// `$name`.
    Variable,
    Keyword(Keyword),
}

/// Words with a meaning of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keyword {
    Dot,
    Block,
    Break,
    Continue,
    Define,
    Else,
    End,
    If,
    Nil,
    Range,
    Template,
    With,
}

impl Keyword {
    /// What a word means.
    pub(super) fn of(word: &str) -> Option<Self> {
        Some(match word {
            "block" => Self::Block,
            "break" => Self::Break,
            "continue" => Self::Continue,
            "define" => Self::Define,
            "else" => Self::Else,
            "end" => Self::End,
            "if" => Self::If,
            "nil" => Self::Nil,
            "range" => Self::Range,
            "template" => Self::Template,
            "with" => Self::With,
            _ => return None,
        })
    }
}

impl Token<'_> {
    /// How it is named to a person.
    pub(super) fn described(&self) -> String {
        match self.kind {
            Kind::End => "EOF".to_owned(),
            Kind::Keyword(_) => format!("<{}>", self.text),
            _ if self.text.len() > 10 => {
                let start = self.text.char_indices().nth(10).map_or(self.text, |(end, _)| &self.text[..end]);
                format!("{}...", quoted(start))
            }
            _ => quoted(self.text),
        }
    }
}
