//! The tokens of a template.

use std::fmt;

use crate::quoted::Quoted;

/// A token and its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'t> {
    pub(super) kind: Kind,
    pub(super) text: &'t str,
    pub(super) line: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The end of the text.
    End,
    /// An invalid token.
    Failure,
    /// Text outside of actions.
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
    /// Another punctuation character.
    Sign,
    Text,
    RawText,
    Character,
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

/// Keywords.
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
    /// The keyword for a word.
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

/// The longest text that errors show whole, in bytes. A longer one is cut after as many characters.
const SHOWN: usize = 10;

impl fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Kind::End => f.write_str("EOF"),
            Kind::Keyword(_) => write!(f, "<{}>", self.text),
            _ if self.text.len() > SHOWN => {
                let end = self.text.char_indices().nth(SHOWN).map_or(self.text.len(), |(end, _)| end);
                write!(f, "{}...", Quoted(&self.text[..end]))
            }
            _ => write!(f, "{}", Quoted(self.text)),
        }
    }
}
