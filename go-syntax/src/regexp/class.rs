//! What stands for one letter: the letter itself, an escape, a named group, or brackets with all of these.

use super::{Fault, Invalid, names};

/// Names of classes, such as in `[[:alpha:]]`.
const NAMED: [&[u8]; 14] = [
    b"alnum", b"alpha", b"ascii", b"blank", b"cntrl", b"digit", b"graph", b"lower", b"print", b"punct",
    b"space", b"upper", b"word", b"xdigit",
];

/// The first letter of a text and the rest. After the end comes the letter that stands for a broken one.
pub(super) fn letter(text: &[u8]) -> Result<(char, &[u8]), Invalid> {
    let Some(first) = text.first() else { return Ok((char::REPLACEMENT_CHARACTER, text)) };
    let length = match first {
        0..0xc0 => 1,
        0xc0..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0.. => 4,
    };
    let letter = text.get(..length).and_then(|bytes| str::from_utf8(bytes).ok());
    match letter.and_then(|letter| letter.chars().next()) {
        Some(letter) => Ok((letter, &text[length..])),
        None => Err(Fault::Encoding.at(text)),
    }
}

/// Refuses bytes that are no letters.
pub(super) fn check_letters(text: &[u8]) -> Result<(), Invalid> {
    match str::from_utf8(text) {
        Ok(_) => Ok(()),
        Err(error) => Err(Fault::Encoding.at(&text[error.valid_up_to()..])),
    }
}

/// What comes after a group such as `\d` or `\p{Greek}`, if there is one.
pub(super) fn group(text: &[u8]) -> Result<Option<&[u8]>, Invalid> {
    match text {
        [b'\\', b'd' | b'D' | b's' | b'S' | b'w' | b'W', rest @ ..] => Ok(Some(rest)),
        [b'\\', b'p' | b'P', rest @ ..] => named_group(text, rest).map(Some),
        _ => Ok(None),
    }
}

fn named_group<'t>(text: &'t [u8], rest: &'t [u8]) -> Result<&'t [u8], Invalid> {
    let (first, after) = letter(rest)?;
    let (name, whole) = if first == '{' {
        let Some(end) = text.iter().position(|byte| *byte == b'}') else {
            check_letters(text)?;
            return Err(Fault::CharacterRange.at(text));
        };
        (&text[3..end], end + 1)
    } else {
        (&rest[..rest.len() - after.len()], text.len() - after.len())
    };
    check_letters(name)?;
    let name = str::from_utf8(name).unwrap_or_default();
    if names::is_group(name.strip_prefix('^').unwrap_or(name)) {
        Ok(&text[whole..])
    } else {
        Err(Fault::CharacterRange.at(&text[..whole]))
    }
}

/// The letter that an escape stands for, and what comes after it.
pub(super) fn escape(text: &[u8]) -> Result<(u32, &[u8]), Invalid> {
    if text.len() == 1 {
        return Err(Fault::TrailingBackslash.at(b""));
    }
    let (first, mut rest) = letter(&text[1..])?;
    let value = match first {
        // A single digit would mean what an earlier group matched.
        '1'..='7' if !matches!(rest.first(), Some(b'0'..=b'7')) => None,
        '0'..='7' => {
            let mut value = u32::from(first) - u32::from('0');
            for _ in 0..2 {
                let Some(digit @ b'0'..=b'7') = rest.first() else { break };
                value = value * 8 + u32::from(digit - b'0');
                rest = &rest[1..];
            }
            Some(value)
        }
        'x' => hexadecimal(&mut rest)?,
        'a' => Some(0x07),
        'f' => Some(0x0c),
        'n' => Some(0x0a),
        'r' => Some(0x0d),
        't' => Some(0x09),
        'v' => Some(0x0b),
        _ if first.is_ascii() && !first.is_ascii_alphanumeric() => Some(u32::from(first)),
        _ => None,
    };
    match value {
        Some(value) => Ok((value, rest)),
        None => Err(Fault::Escape.at(&text[..text.len() - rest.len()])),
    }
}

/// Two digits, or any number of them between braces.
fn hexadecimal(rest: &mut &[u8]) -> Result<Option<u32>, Invalid> {
    if rest.is_empty() {
        return Ok(None);
    }
    let mut next = || -> Result<char, Invalid> {
        let (found, after) = letter(rest)?;
        *rest = after;
        Ok(found)
    };
    let first = next()?;
    if first != '{' {
        let second = next()?;
        return Ok(first.to_digit(16).zip(second.to_digit(16)).map(|(high, low)| high * 16 + low));
    }
    let mut value = None;
    loop {
        let digit = next()?;
        if digit == '}' {
            return Ok(value);
        }
        let Some(digit) = digit.to_digit(16) else { return Ok(None) };
        let larger = value.unwrap_or(0) * 16 + digit;
        if larger > u32::from(char::MAX) {
            return Ok(None);
        }
        value = Some(larger);
    }
}

/// What comes after a class in brackets.
pub(super) fn brackets(text: &[u8]) -> Result<&[u8], Invalid> {
    let mut rest = text[1..].strip_prefix(b"^").unwrap_or(&text[1..]);
    let mut first = true;
    while first || rest.first() != Some(&b']') {
        first = false;
        if let Some(after) = posix_class(rest)? {
            rest = after;
            continue;
        }
        if let Some(after) = group(rest)? {
            rest = after;
            continue;
        }
        let begin = rest;
        let (low, after) = class_letter(rest, text)?;
        rest = after;
        if let [b'-', next, ..] = rest
            && *next != b']'
        {
            let (high, after) = class_letter(&rest[1..], text)?;
            rest = after;
            if high < low {
                let range = &begin[..begin.len() - rest.len()];
                return Err(Fault::CharacterRange.at(range));
            }
        }
    }
    Ok(&rest[1..])
}

fn class_letter<'t>(text: &'t [u8], class: &[u8]) -> Result<(u32, &'t [u8]), Invalid> {
    match text.first() {
        None => Err(Fault::OpenBracket.at(class)),
        Some(b'\\') => escape(text),
        Some(_) => letter(text).map(|(letter, rest)| (u32::from(letter), rest)),
    }
}

/// What comes after a class such as `[:alpha:]`, if there is one.
fn posix_class(text: &[u8]) -> Result<Option<&[u8]>, Invalid> {
    let Some(inner) = text.strip_prefix(b"[:") else { return Ok(None) };
    let Some(end) = inner.windows(2).position(|pair| pair == b":]") else { return Ok(None) };
    let name = inner[..end].strip_prefix(b"^").unwrap_or(&inner[..end]);
    if NAMED.contains(&name) {
        Ok(Some(&inner[end + 2..]))
    } else {
        Err(Fault::CharacterRange.at(&text[..end + 4]))
    }
}
