//! Templates of Go (`text/template`), parsed only to check them: the same grammar, the same errors. Nothing is
//! executed.
//!
//! | file | contents |
//! |---|---|
//! | `lexer` | splits a text into tokens |
//! | `token` | the tokens |
//! | `parser` | look-ahead, declarations, errors |
//! | `action` | the grammar of actions and definitions |
//! | `pipeline` | the grammar of pipelines |
//! | `constant` | strings, characters and numbers |

#![expect(clippy::wildcard_enum_match_arm, reason = "every token that is not expected is an error")]

mod action;
mod constant;
mod lexer;
mod parser;
mod pipeline;
#[cfg(test)]
mod tests;
mod token;

/// What a program adds to the predefined names of templates.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TemplateScope<'s> {
    /// The name of the template in errors. Many programs use none.
    pub name: &'s str,
    /// Functions in addition to those of Go.
    pub functions: &'s [&'s str],
    /// Variables that are declared before the text, with their dollar signs. `$` is always declared.
    pub variables: &'s [&'s str],
}

/// Why a text is not a template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("template: {name}:{line}: {message}")]
pub struct InvalidTemplate {
    /// The name of the template.
    pub name: String,
    /// The line of the error, counted from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

/// Functions that are predefined for every template.
const LANGUAGE: [&str; 19] = [
    "and", "call", "eq", "ge", "gt", "html", "index", "js", "le", "len", "lt", "ne", "not", "or", "print",
    "printf", "println", "slice", "urlquery",
];

/// Whether a text contains an action.
pub fn is_template(text: &str) -> bool {
    text.contains("{{")
}

/// Checks a template.
pub fn check(text: &str, scope: &TemplateScope<'_>) -> Result<(), InvalidTemplate> {
    parser::parse(text, scope).map_err(|failure| InvalidTemplate {
        name: scope.name.to_owned(),
        line: failure.line,
        message: failure.message,
    })
}
