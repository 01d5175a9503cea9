//! Numbers, characters and quoted texts of templates: whether Go could read them.

use formats::quoted::Quoted;

use super::item::Kind;

/// What Go says about a literal that it cannot read.
const SYNTAX: &str = "invalid syntax";

/// A quoted text, with its quotes; gives what it says.
pub(super) fn text(written: &str) -> Result<String, String> {
    let syntax = || SYNTAX.to_owned();
    if let Some(raw) = written.strip_prefix('`') {
        return raw.strip_suffix('`').map(|raw| raw.replace('\r', "")).ok_or_else(syntax);
    }
    let mut rest = written.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).ok_or_else(syntax)?;
    let mut said = Vec::new();
    while !rest.is_empty() {
        rest = character(rest, '"', &mut said).ok_or_else(syntax)?;
    }
    Ok(String::from_utf8_lossy(&said).into_owned())
}

/// A number or a character.
pub(super) fn number(kind: Kind, written: &str) -> Result<(), String> {
    match kind {
        Kind::Character => constant(written),
        Kind::Complex => complex(written),
        _ => plain(written),
    }
}

fn constant(written: &str) -> Result<(), String> {
    let rest = character(&written[1..], '\'', &mut Vec::new()).ok_or_else(|| SYNTAX.to_owned())?;
    if rest == "'" { Ok(()) } else { Err(format!("malformed character constant: {written}")) }
}

fn complex(written: &str) -> Result<(), String> {
    let body = written.strip_suffix('i').unwrap_or(written);
    let signs = body.char_indices().skip(1).filter(|(_, sign)| matches!(sign, '+' | '-'));
    // The sign between the parts is the last one that is not part of an exponent.
    let middle = signs.filter(|(at, _)| !body[..*at].ends_with(['e', 'E', 'p', 'P'])).last();
    let good = middle.is_some_and(|(at, _)| is_float(&body[..at]) && is_float(&body[at..]));
    if good { Ok(()) } else { Err("syntax error scanning complex number".to_owned()) }
}

fn plain(written: &str) -> Result<(), String> {
    if written.strip_suffix('i').is_some_and(is_float) || is_whole(written) {
        return Ok(());
    }
    if !is_float(written) {
        return Err(format!("illegal number syntax: {}", Quoted(written)));
    }
    if written.contains(['.', 'e', 'E', 'p', 'P']) {
        return Ok(());
    }
    Err(format!("integer overflow: {}", Quoted(written)))
}

/// Whether a whole number fits into 64 bits, with or without a sign.
fn is_whole(written: &str) -> bool {
    let (negative, signed, digits) = match written.as_bytes().first() {
        Some(b'-') => (true, true, &written[1..]),
        Some(b'+') => (false, true, &written[1..]),
        _ => (false, false, written),
    };
    if !underscores_separate_digits(digits) {
        return false;
    }
    let lower = digits.to_ascii_lowercase();
    let (base, digits) = match lower.get(..2) {
        Some("0x") => (16, &lower[2..]),
        Some("0o") => (8, &lower[2..]),
        Some("0b") => (2, &lower[2..]),
        _ if lower.len() > 1 && lower.starts_with('0') => (8, &lower[1..]),
        _ => (10, lower.as_str()),
    };
    let largest = match (negative, signed) {
        (true, _) => i64::MAX.unsigned_abs() + 1,
        (false, true) => i64::MAX.unsigned_abs(),
        (false, false) => u64::MAX,
    };
    let digits = digits.replace('_', "");
    // A sign here would be a second one.
    !digits.starts_with(['+', '-'])
        && u64::from_str_radix(&digits, base).is_ok_and(|number| number <= largest)
}

fn is_float(written: &str) -> bool {
    let digits = written.strip_prefix(['+', '-']).unwrap_or(written);
    if !underscores_separate_digits(digits) {
        return false;
    }
    let digits = digits.replace('_', "").to_ascii_lowercase();
    match digits.strip_prefix("0x") {
        Some(hexadecimal) => is_hexadecimal_float(hexadecimal),
        None => {
            digits.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'+' | b'-'))
                && digits.parse::<f64>().is_ok_and(f64::is_finite)
        }
    }
}

/// Digits with or without a point, and an exponent that must be there.
fn is_hexadecimal_float(digits: &str) -> bool {
    let Some((mantissa, exponent)) = digits.split_once('p') else { return false };
    let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    mantissa.bytes().any(|byte| byte.is_ascii_hexdigit())
        && mantissa.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'.')
        && mantissa.matches('.').count() <= 1
        && !exponent.is_empty()
        && exponent.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether every underscore stands between two digits, or between a base and a digit.
fn underscores_separate_digits(digits: &str) -> bool {
    if !digits.contains('_') {
        return true;
    }
    let lower = digits.to_ascii_lowercase();
    let prefix = ["0x", "0o", "0b"].into_iter().find(|prefix| lower.starts_with(prefix));
    let is_digit = |byte: u8| byte.is_ascii_digit() || (prefix == Some("0x") && byte.is_ascii_hexdigit());
    let mut after_digit = prefix.is_some();
    let mut after_underscore = false;
    for byte in lower.bytes().skip(prefix.map_or(0, str::len)) {
        if byte == b'_' {
            if !after_digit {
                return false;
            }
        } else if after_underscore && !is_digit(byte) {
            return false;
        }
        after_digit = is_digit(byte);
        after_underscore = byte == b'_';
    }
    !after_underscore
}

/// Reads one character with its escape, if it has one; gives what follows it.
fn character<'t>(text: &'t str, quote: char, said: &mut Vec<u8>) -> Option<&'t str> {
    let mut characters = text.chars();
    let first = characters.next()?;
    if first == quote || first == '\n' {
        return None;
    }
    if first != '\\' {
        said.extend(first.encode_utf8(&mut [0; 4]).bytes());
        return Some(characters.as_str());
    }
    let escape = characters.next()?;
    let rest = characters.as_str();
    let (length, base) = match escape {
        'x' => (2, 16),
        'u' => (4, 16),
        'U' => (8, 16),
        '0'..='7' => (3, 8),
        _ => {
            said.push(simple(escape, quote)?);
            return Some(rest);
        }
    };
    let digits = if base == 8 { &text[1..] } else { rest };
    let value = digits.get(..length).filter(|digits| digits.chars().all(|digit| digit.is_digit(base)))?;
    let value = u32::from_str_radix(value, base).ok()?;
    if matches!(escape, 'u' | 'U') {
        said.extend(char::from_u32(value)?.encode_utf8(&mut [0; 4]).bytes());
    } else {
        said.push(u8::try_from(value).ok()?);
    }
    Some(&digits[length..])
}

/// An escape of one letter.
fn simple(escape: char, quote: char) -> Option<u8> {
    Some(match escape {
        'a' => 0x07,
        'b' => 0x08,
        'f' => 0x0c,
        'n' => b'\n',
        'r' => b'\r',
        't' => b'\t',
        'v' => 0x0b,
        '\\' => b'\\',
        '\'' | '"' if escape == quote => u8::try_from(quote).ok()?,
        _ => return None,
    })
}
