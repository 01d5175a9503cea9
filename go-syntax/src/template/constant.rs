//! Checks of string, character and number constants.

use super::token::Kind;
use crate::literal::{escape, is_float, is_integer, unquote};
use crate::quoted::Quoted;

/// The error for a string or character that cannot be unquoted.
pub(super) const SYNTAX: &str = "invalid syntax";

pub(super) fn check(kind: Kind, constant: &str) -> Result<(), String> {
    match kind {
        Kind::Character => character(constant),
        Kind::Complex => complex(constant),
        Kind::Number => number(constant),
        _ => unquote(constant).map(|_| ()).ok_or_else(|| SYNTAX.to_owned()),
    }
}

fn character(constant: &str) -> Result<(), String> {
    let inner = &constant[1..];
    let rest = match inner.strip_prefix('\\') {
        Some(after) => escape(after, '\'', &mut Vec::new()),
        None => inner
            .chars()
            .next()
            .filter(|character| *character != '\'')
            .map(|character| &inner[character.len_utf8()..]),
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

/// A sum of a real and an imaginary number.
fn complex(constant: &str) -> Result<(), String> {
    let inner = constant.strip_suffix('i').unwrap_or(constant);
    let signs = inner.char_indices().skip(1).filter(|(_, character)| matches!(character, '+' | '-'));
    // The sign between the parts is the last one that does not belong to an exponent.
    let between = signs.filter(|(at, _)| !inner[..*at].ends_with(['e', 'E', 'p', 'P'])).last();
    match between {
        Some((at, _)) if is_float(&inner[..at]) && is_float(&inner[at..]) => Ok(()),
        _ => Err("syntax error scanning complex number".to_owned()),
    }
}
