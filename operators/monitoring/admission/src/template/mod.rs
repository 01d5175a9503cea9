//! Templates of Go, read as far as it takes to know whether they can be read: the same grammar, the same refusals. They
//! are carried out by Alertmanager, not here.
//!
//! | file | owns |
//! |---|---|
//! | `item` | what a template consists of |
//! | `lexer` | text to items |
//! | `literal` | numbers, characters and quoted texts |
//! | `parser` | items to a verdict |

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "a kind of item that is not named is handled like all others"
)]
mod item;
mod lexer;
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "a kind of item that is not named is handled like all others"
)]
mod literal;
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "a kind of item that is not named is handled like all others"
)]
mod parser;

/// A template that cannot be read. Templates have no name here, hence nothing stands between the colons.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("template: :{line}: {words}")]
pub struct Invalid {
    /// The line where the reading ended, from 1.
    pub line: usize,
    /// What is wrong there.
    pub words: String,
}

/// Functions that every template may call.
const FUNCTIONS: &[&str] = &[
    "and", "call", "eq", "ge", "gt", "html", "index", "js", "le", "len", "lt", "ne", "not", "or", "print",
    "printf", "println", "slice", "urlquery",
];

/// Whether a text holds anything that makes it a template.
pub fn is_template(text: &str) -> bool {
    text.contains("{{")
}

/// Whether a template can be read.
pub fn check(text: &str) -> Result<(), Invalid> {
    parser::check(text, FUNCTIONS)
}

#[cfg(test)]
mod tests;
