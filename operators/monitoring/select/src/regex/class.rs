//! Sets of characters between brackets, and escapes.

use super::{Fault, Invalid, unicode};

/// Names of sets, such as in `[[:alpha:]]`.
const NAMED: [&str; 14] = [
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space",
    "upper", "word", "xdigit",
];

/// Whether a text begins with a set of a letter, such as `\d`.
pub(super) fn is_perl(text: &str) -> bool {
    matches!(text.as_bytes(), [b'\\', b'd' | b'D' | b's' | b'S' | b'w' | b'W', ..])
}

/// What comes after a set between brackets, with which the text begins.
pub(super) fn skip(whole: &str) -> Result<&str, Invalid> {
    let mut rest = &whole[1..];
    rest = rest.strip_prefix('^').unwrap_or(rest);
    let mut first = true;
    while first || !rest.starts_with(']') {
        first = false;
        if let Some(after) = skip_named(rest)? {
            rest = after;
        } else if let Some(after) = unicode::skip(rest)? {
            rest = after;
        } else if is_perl(rest) {
            rest = &rest[2..];
        } else {
            rest = skip_range(rest, whole)?;
        }
    }
    Ok(&rest[1..])
}

/// What comes after a set with a name, if there is one.
fn skip_named(text: &str) -> Result<Option<&str>, Invalid> {
    let Some((name, rest)) = text.strip_prefix("[:").and_then(|text| text.split_once(":]")) else {
        return Ok(None);
    };
    if !NAMED.contains(&name.strip_prefix('^').unwrap_or(name)) {
        return Err(Fault::CharacterRange.at(&text[..text.len() - rest.len()]));
    }
    Ok(Some(rest))
}

/// What comes after a character, or after one, a dash and another.
fn skip_range<'t>(text: &'t str, whole: &str) -> Result<&'t str, Invalid> {
    let (low, rest) = character(text, whole)?;
    let Some(after) = rest.strip_prefix('-').filter(|after| !after.is_empty() && !after.starts_with(']'))
    else {
        return Ok(rest);
    };
    let (high, rest) = character(after, whole)?;
    if high < low {
        return Err(Fault::CharacterRange.at(&text[..text.len() - rest.len()]));
    }
    Ok(rest)
}

/// One character of a set.
fn character<'t>(text: &'t str, whole: &str) -> Result<(u32, &'t str), Invalid> {
    let first = text.chars().next().ok_or_else(|| Fault::OpenBracket.at(whole))?;
    if first == '\\' {
        return escape(text);
    }
    Ok((first.into(), &text[first.len_utf8()..]))
}

/// The character that an escape stands for.
pub(super) fn escape(text: &str) -> Result<(u32, &str), Invalid> {
    let mut rest = text[1..].chars();
    let Some(first) = rest.next() else {
        return Err(Fault::TrailingBackslash.at(""));
    };
    let value = match first {
        '0'..='7' => {
            let octal = |rest: &std::str::Chars<'_>| rest.clone().next().and_then(|digit| digit.to_digit(8));
            // One digit alone would be a reference back to a group.
            if first == '0' || octal(&rest).is_some() {
                let mut value = first.to_digit(8).unwrap_or_default();
                for _ in 0..2 {
                    let Some(digit) = octal(&rest) else { break };
                    value = value * 8 + digit;
                    rest.next();
                }
                Some(value)
            } else {
                None
            }
        }
        'x' => hexadecimal(&mut rest),
        'a' => Some(0x07),
        'f' => Some(0x0c),
        'n' => Some(0x0a),
        'r' => Some(0x0d),
        't' => Some(0x09),
        'v' => Some(0x0b),
        sign if sign.is_ascii() && !sign.is_ascii_alphanumeric() => Some(sign.into()),
        _ => None,
    };
    let rest = rest.as_str();
    value.map(|value| (value, rest)).ok_or_else(|| Fault::Escape.at(&text[..text.len() - rest.len()]))
}

/// Two digits, or any number of them in braces. Stops after the first character that does not fit.
fn hexadecimal(rest: &mut std::str::Chars<'_>) -> Option<u32> {
    let first = rest.next()?;
    if first != '{' {
        let second = rest.next().and_then(|digit| digit.to_digit(16));
        return Some(first.to_digit(16)? * 16 + second?);
    }
    let mut value = None;
    loop {
        match rest.next()? {
            '}' => return value,
            digit => {
                let sum = value.unwrap_or(0) * 16 + digit.to_digit(16)?;
                value = Some(sum).filter(|sum| *sum <= u32::from(char::MAX));
                value?;
            }
        }
    }
}
