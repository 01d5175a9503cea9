//! What a template consists of.

use std::fmt;

use formats::quoted::Quoted;

/// A piece of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item<'t> {
    /// What it is.
    pub(super) kind: Kind,
    /// How it is written; for an error, nothing.
    pub(super) text: &'t str,
    /// The line where it begins.
    pub(super) line: usize,
    /// What is wrong, if this is an error.
    pub(super) error: String,
}

/// Kinds of pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Error,
    Bool,
    /// A sign without a meaning of its own, such as a comma.
    Sign,
    Character,
    Complex,
    Assign,
    Declare,
    End,
    Field,
    Identifier,
    LeftDelimiter,
    LeftParenthesis,
    Number,
    Pipe,
    RawText,
    RightDelimiter,
    RightParenthesis,
    Space,
    QuotedText,
    Text,
    Variable,
    Word(Word),
}

/// Words that mean something. A dot counts among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    Block,
    Break,
    Continue,
    Dot,
    Define,
    Else,
    End,
    If,
    Nil,
    Range,
    Template,
    With,
}

impl Word {
    /// A word by how it is written.
    pub(super) fn of(text: &str) -> Option<Self> {
        Some(match text {
            "block" => Self::Block,
            "break" => Self::Break,
            "continue" => Self::Continue,
            "." => Self::Dot,
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

/// Longest text that messages show whole.
const SHOWN: usize = 10;

impl fmt::Display for Item<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Kind::End => f.write_str("EOF"),
            Kind::Error => f.write_str(&self.error),
            Kind::Word(_) => write!(f, "<{}>", self.text),
            _ if self.text.len() > SHOWN => {
                let end = self.text.char_indices().nth(SHOWN).map_or(self.text.len(), |(end, _)| end);
                write!(f, "{}...", Quoted(&self.text[..end]))
            }
            _ => write!(f, "{}", Quoted(self.text)),
        }
    }
}
