//! Texts and numbers as the Go language writes them.

use promql::quote::quoted;

/// What a text in quotes says; nothing, if its signs are wrong.
pub(super) fn unquote(quoted: &str) -> Option<Vec<u8>> {
    let inner = quoted.get(1..quoted.len().checked_sub(1)?)?;
    if quoted.starts_with('`') {
        return Some(inner.bytes().filter(|byte| *byte != b'\r').collect());
    }
    let mut text = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while let Some((before, after)) = rest.split_once('\\') {
        text.extend_from_slice(before.as_bytes());
        rest = escape(after, '"', &mut text)?;
    }
    text.extend_from_slice(rest.as_bytes());
    Some(text)
}

/// Adds what the sign after a backslash stands for, and gives what comes after it.
fn escape<'t>(after: &'t str, quote: char, text: &mut Vec<u8>) -> Option<&'t str> {
    let first = after.chars().next()?;
    let rest = &after[first.len_utf8()..];
    let (digits, base, from) = match first {
        '0'..='7' => (3, 8, after),
        'x' => (2, 16, rest),
        'u' => (4, 16, rest),
        'U' => (8, 16, rest),
        _ => {
            text.push(match first {
                'a' => 0x07,
                'b' => 0x08,
                'f' => 0x0c,
                'n' => b'\n',
                'r' => b'\r',
                't' => b'\t',
                'v' => 0x0b,
                '\\' => b'\\',
                _ if first == quote => after.as_bytes()[0],
                _ => return None,
            });
            return Some(rest);
        }
    };
    let number = from.get(..digits)?;
    if !number.bytes().all(|byte| char::from(byte).is_digit(base)) {
        return None;
    }
    let number = u32::from_str_radix(number, base).ok()?;
    if matches!(first, 'u' | 'U') {
        text.extend_from_slice(char::from_u32(number)?.encode_utf8(&mut [0; 4]).as_bytes());
    } else {
        text.push(u8::try_from(number).ok()?);
    }
    Some(&from[digits..])
}

/// What is wrong with a letter in quotes.
pub(super) fn check_letter(constant: &str) -> Result<(), String> {
    let invalid = || Err("invalid syntax".to_owned());
    let inner = &constant[1..];
    let rest = match inner.strip_prefix('\\') {
        Some(after) => match escape(after, '\'', &mut Vec::new()) {
            Some(rest) => rest,
            None => return invalid(),
        },
        None => match inner.chars().next() {
            Some(letter) if letter != '\'' => &inner[letter.len_utf8()..],
            _ => return invalid(),
        },
    };
    if rest == "'" { Ok(()) } else { Err(format!("malformed character constant: {constant}")) }
}

/// What is wrong with a number.
pub(super) fn check_number(text: &str) -> Result<(), String> {
    if text.strip_suffix('i').is_some_and(is_float) || is_integer(text) {
        return Ok(());
    }
    if !is_float(text) {
        return Err(format!("illegal number syntax: {}", quoted(text)));
    }
    if text.contains(['.', 'e', 'E', 'p', 'P']) {
        Ok(())
    } else {
        Err(format!("integer overflow: {}", quoted(text)))
    }
}

/// What is wrong with a sum of a number and an imaginary one.
pub(super) fn check_complex(text: &str) -> Result<(), String> {
    let inner = text.strip_suffix('i').unwrap_or(text);
    let sign = inner
        .char_indices()
        .skip(1)
        .filter(|(at, letter)| matches!(letter, '+' | '-') && !inner[..*at].ends_with(['e', 'E', 'p', 'P']))
        .last();
    match sign {
        Some((at, _)) if is_float(&inner[..at]) && is_float(&inner[at..]) => Ok(()),
        _ => Err("syntax error scanning complex number".to_owned()),
    }
}

/// The base of a number and its digits.
fn base(unsigned: &str) -> (u32, &str) {
    let bytes = unsigned.as_bytes();
    match bytes {
        [b'0', b'x' | b'X', _, ..] => (16, &unsigned[2..]),
        [b'0', b'o' | b'O', _, ..] => (8, &unsigned[2..]),
        [b'0', b'b' | b'B', _, ..] => (2, &unsigned[2..]),
        [b'0', _, ..] => (8, &unsigned[1..]),
        _ => (10, unsigned),
    }
}

fn is_integer(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if !has_fine_underscores(unsigned) {
        return false;
    }
    let plain = unsigned.replace('_', "");
    let (base, digits) = base(&plain);
    if digits.is_empty() || !digits.bytes().all(|byte| char::from(byte).is_digit(base)) {
        return false;
    }
    let Ok(number) = u64::from_str_radix(digits, base) else { return false };
    // Only without a sign do all 64 bits count.
    match text.as_bytes().first() {
        Some(b'-') => number <= 1 << 63,
        Some(b'+') => number < 1 << 63,
        _ => true,
    }
}

fn is_float(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if !has_fine_underscores(unsigned) {
        return false;
    }
    let plain = unsigned.replace('_', "").to_ascii_lowercase();
    if let Some(hexadecimal) = plain.strip_prefix("0x") {
        let Some((mantissa, exponent)) = hexadecimal.split_once('p') else { return false };
        let digits = mantissa.replacen('.', "", 1);
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        return !digits.is_empty()
            && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
            && !exponent.is_empty()
            && exponent.bytes().all(|byte| byte.is_ascii_digit());
    }
    let is_number = plain.starts_with(|letter: char| letter.is_ascii_digit() || letter == '.');
    is_number && plain.parse::<f64>().is_ok_and(f64::is_finite)
}

/// Whether underscores only stand between digits; what names the base counts as a digit.
fn has_fine_underscores(unsigned: &str) -> bool {
    let (prefix, hexadecimal) = match unsigned.as_bytes() {
        [b'0', b'x' | b'X', ..] => (2, true),
        [b'0', b'b' | b'B' | b'o' | b'O', ..] => (2, false),
        _ => (0, false),
    };
    let mut digit_before = prefix > 0;
    let mut underscore_before = false;
    for byte in unsigned.bytes().skip(prefix) {
        let is_digit = byte.is_ascii_digit() || hexadecimal && byte.is_ascii_hexdigit();
        if byte == b'_' && !digit_before || underscore_before && !is_digit {
            return false;
        }
        underscore_before = byte == b'_';
        digit_before = is_digit;
    }
    !underscore_before
}
