//! Templates of Go (`text/template`), read as far as it takes to know whether they can be read: the same grammar, the
//! same refusals. Nothing is filled in.
//!
//! | file | owns |
//! |---|---|
//! | `lexer` | cuts a text into words |
//! | `token` | the words |
//! | `parser` | words ahead, what is declared, what is wrong |
//! | `action` | what may follow what |
//! | `pipeline` | what stands in an action |
//! | `constant` | texts and numbers |

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a word that is not expected is a mistake of the text, whatever it is"
)]

mod action;
mod constant;
mod lexer;
mod parser;
mod pipeline;
#[cfg(test)]
mod tests;
mod token;

/// What a program gives to a template besides what every template has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Given<'g> {
    /// The name of the template, for messages. Many programs give none.
    pub name: &'g str,
    /// Functions beyond those of the language.
    pub functions: &'g [&'g str],
    /// Variables that are declared before the text, with their dollar signs. `$` is always there.
    pub variables: &'g [&'g str],
}

/// A text that is no template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("template: {name}:{line}: {words}")]
pub struct Invalid {
    /// The name of the template.
    pub name: String,
    /// The line where the reading ended, from 1.
    pub line: usize,
    /// What is wrong there.
    pub words: String,
}

/// Functions that every template may call.
const LANGUAGE: [&str; 19] = [
    "and", "call", "eq", "ge", "gt", "html", "index", "js", "le", "len", "lt", "ne", "not", "or", "print",
    "printf", "println", "slice", "urlquery",
];

/// Whether a text holds anything that makes it a template.
pub fn is_template(text: &str) -> bool {
    text.contains("{{")
}

/// Checks a text.
pub fn check(text: &str, given: &Given<'_>) -> Result<(), Invalid> {
    parser::parse(text, given).map_err(|failure| Invalid {
        name: given.name.to_owned(),
        line: failure.line,
        words: failure.message,
    })
}
