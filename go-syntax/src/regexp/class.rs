//! Expressions for a single character: the character itself, an escape, a named class, or a class in brackets.

use super::{InvalidRegexp, RegexpFault, names};

/// Names of POSIX classes, as in `[[:alpha:]]`.
const NAMED: [&[u8]; 14] = [
    b"alnum", b"alpha", b"ascii", b"blank", b"cntrl", b"digit", b"graph", b"lower", b"print", b"punct",
    b"space", b"upper", b"word", b"xdigit",
];

/// The first character and the rest. After the end of the text, the replacement character.
pub(super) fn character(text: &[u8]) -> Result<(char, &[u8]), InvalidRegexp> {
    let Some(first) = text.first() else { return Ok((char::REPLACEMENT_CHARACTER, text)) };
    let length = match first {
        0..0xc0 => 1,
        0xc0..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0.. => 4,
    };
    let character = text.get(..length).and_then(|bytes| str::from_utf8(bytes).ok());
    match character.and_then(|character| character.chars().next()) {
        Some(character) => Ok((character, &text[length..])),
        None => Err(RegexpFault::Encoding.at(text)),
    }
}

/// Rejects bytes that are not UTF-8.
pub(super) fn check_utf8(text: &[u8]) -> Result<(), InvalidRegexp> {
    match str::from_utf8(text) {
        Ok(_) => Ok(()),
        Err(error) => Err(RegexpFault::Encoding.at(&text[error.valid_up_to()..])),
    }
}

/// The text after a class such as `\d` or `\p{Greek}`, if the text starts with one.
pub(super) fn group(text: &[u8]) -> Result<Option<&[u8]>, InvalidRegexp> {
    match text {
        [b'\\', b'd' | b'D' | b's' | b'S' | b'w' | b'W', rest @ ..] => Ok(Some(rest)),
        [b'\\', b'p' | b'P', rest @ ..] => named_group(text, rest).map(Some),
        _ => Ok(None),
    }
}

fn named_group<'t>(text: &'t [u8], rest: &'t [u8]) -> Result<&'t [u8], InvalidRegexp> {
    let (first, after) = character(rest)?;
    let (name, whole) = if first == '{' {
        let Some(end) = text.iter().position(|byte| *byte == b'}') else {
            check_utf8(text)?;
            return Err(RegexpFault::CharacterRange.at(text));
        };
        (&text[3..end], end + 1)
    } else {
        (&rest[..rest.len() - after.len()], text.len() - after.len())
    };
    check_utf8(name)?;
    let name = str::from_utf8(name).unwrap_or_default();
    if names::is_group(name.strip_prefix('^').unwrap_or(name)) {
        Ok(&text[whole..])
    } else {
        Err(RegexpFault::CharacterRange.at(&text[..whole]))
    }
}

/// The character that an escape denotes, and the text after it.
pub(super) fn escape(text: &[u8]) -> Result<(u32, &[u8]), InvalidRegexp> {
    if text.len() == 1 {
        return Err(RegexpFault::TrailingBackslash.at(b""));
    }
    let (first, mut rest) = character(&text[1..])?;
    let value = match first {
        // A single digit would be a back reference, which Go does not support.
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
        None => Err(RegexpFault::Escape.at(&text[..text.len() - rest.len()])),
    }
}

/// Two digits, or any number of digits in braces.
fn hexadecimal(rest: &mut &[u8]) -> Result<Option<u32>, InvalidRegexp> {
    if rest.is_empty() {
        return Ok(None);
    }
    let mut next = || -> Result<char, InvalidRegexp> {
        let (found, after) = character(rest)?;
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

/// The number of bytes after the last `:]`. A class such as `[:alpha:]` cannot end in these, so they are not searched
/// for its end. Otherwise, many classes without an end would take quadratic time.
pub(super) fn after_last_posix_end(text: &[u8]) -> usize {
    text.windows(2).rposition(|pair| pair == b":]").map_or(text.len(), |at| text.len() - at - 2)
}

/// The text after a class in brackets.
pub(super) fn brackets(text: &[u8], after_last_end: usize) -> Result<&[u8], InvalidRegexp> {
    let mut rest = text[1..].strip_prefix(b"^").unwrap_or(&text[1..]);
    let mut first = true;
    while first || rest.first() != Some(&b']') {
        first = false;
        if let Some(after) = posix_class(rest, after_last_end)? {
            rest = after;
            continue;
        }
        if let Some(after) = group(rest)? {
            rest = after;
            continue;
        }
        let begin = rest;
        let (low, after) = class_character(rest, text)?;
        rest = after;
        if let [b'-', next, ..] = rest
            && *next != b']'
        {
            let (high, after) = class_character(&rest[1..], text)?;
            rest = after;
            if high < low {
                let range = &begin[..begin.len() - rest.len()];
                return Err(RegexpFault::CharacterRange.at(range));
            }
        }
    }
    Ok(&rest[1..])
}

fn class_character<'t>(text: &'t [u8], class: &[u8]) -> Result<(u32, &'t [u8]), InvalidRegexp> {
    match text.first() {
        None => Err(RegexpFault::OpenBracket.at(class)),
        Some(b'\\') => escape(text),
        Some(_) => character(text).map(|(character, rest)| (u32::from(character), rest)),
    }
}

/// The text after a class such as `[:alpha:]`, if the text starts with one.
fn posix_class(text: &[u8], after_last_end: usize) -> Result<Option<&[u8]>, InvalidRegexp> {
    let Some(inner) = text.strip_prefix(b"[:") else { return Ok(None) };
    if inner.len() < after_last_end + 2 {
        return Ok(None);
    }
    let Some(end) = inner.windows(2).position(|pair| pair == b":]") else { return Ok(None) };
    let name = inner[..end].strip_prefix(b"^").unwrap_or(&inner[..end]);
    if NAMED.contains(&name) {
        Ok(Some(&inner[end + 2..]))
    } else {
        Err(RegexpFault::CharacterRange.at(&text[..end + 4]))
    }
}
