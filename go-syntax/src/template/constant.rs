//! What is wrong with texts, letters and numbers of a template.

use super::token::Kind;
use crate::literal::{escape, is_float, is_integer, unquote};
use crate::quoted::Quoted;

/// What is said of a text or letter that cannot be read.
pub(super) const SYNTAX: &str = "invalid syntax";

/// Checks a constant.
pub(super) fn check(kind: Kind, constant: &str) -> Result<(), String> {
    match kind {
        Kind::Letter => letter(constant),
        Kind::Complex => complex(constant),
        Kind::Number => number(constant),
        _ => unquote(constant).map(|_| ()).ok_or_else(|| SYNTAX.to_owned()),
    }
}

fn letter(constant: &str) -> Result<(), String> {
    let inner = &constant[1..];
    let rest = match inner.strip_prefix('\\') {
        Some(after) => escape(after, '\'', &mut Vec::new()),
        None => {
            inner.chars().next().filter(|letter| *letter != '\'').map(|letter| &inner[letter.len_utf8()..])
        }
    };
    match rest {
        Some("'") => Ok(()),
        Some(_) => Err(format!("malformed character constant: {constant}")),
        None => Err(SYNTAX.to_owned()),
    }
}

fn number(constant: &str) -> Result<(), String> {
    if constant.strip_suffix('i').is_some_and(is_float) || is_integer(constant) {
        return Ok(());
    }
    if !is_float(constant) {
        return Err(format!("illegal number syntax: {}", Quoted(constant)));
    }
    if constant.contains(['.', 'e', 'E', 'p', 'P']) {
        return Ok(());
    }
    Err(format!("integer overflow: {}", Quoted(constant)))
}

/// A sum of a number and an imaginary one.
fn complex(constant: &str) -> Result<(), String> {
    let inner = constant.strip_suffix('i').unwrap_or(constant);
    let signs = inner.char_indices().skip(1).filter(|(_, letter)| matches!(letter, '+' | '-'));
    // The sign between the parts is the last one that does not belong to an exponent.
    let between = signs.filter(|(at, _)| !inner[..*at].ends_with(['e', 'E', 'p', 'P'])).last();
    match between {
        Some((at, _)) if is_float(&inner[..at]) && is_float(&inner[at..]) => Ok(()),
        _ => Err("syntax error scanning complex number".to_owned()),
    }
}
