//! String and number literals of Go, with escapes, bases and underscores.

/// The value of a string between double quotes or backquotes. None if an escape is invalid.
pub fn unquote(quoted: &str) -> Option<Vec<u8>> {
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

/// Appends the value of the escape sequence after a backslash, and returns the text after it. None if the escape is
/// not valid between these quotes.
pub fn escape<'t>(after: &'t str, quote: char, text: &mut Vec<u8>) -> Option<&'t str> {
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
        // Octal and hexadecimal escapes denote a byte, not a character.
        text.push(u8::try_from(number).ok()?);
    }
    Some(&from[digits..])
}

/// Whether a number is negative, and the text after its sign.
pub(crate) fn sign(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

/// The leading digits, and the rest.
pub(crate) fn digits(text: &str) -> (&str, &str) {
    text.split_at(text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len()))
}

/// Whether a text is an integer in any base that fits into 64 bits, with an optional sign.
pub(crate) fn is_integer(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if !has_fine_underscores(unsigned) {
        return false;
    }
    let plain = unsigned.replace('_', "");
    let (base, digits) = match plain.as_bytes() {
        [b'0', b'x' | b'X', _, ..] => (16, &plain[2..]),
        [b'0', b'o' | b'O', _, ..] => (8, &plain[2..]),
        [b'0', b'b' | b'B', _, ..] => (2, &plain[2..]),
        [b'0', _, ..] => (8, &plain[1..]),
        _ => (10, plain.as_str()),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| char::from(byte).is_digit(base)) {
        return false;
    }
    let Ok(number) = u64::from_str_radix(digits, base) else { return false };
    // All 64 bits are available only without a sign.
    match text.as_bytes().first() {
        Some(b'-') => number <= 1 << 63,
        Some(b'+') => number < 1 << 63,
        _ => true,
    }
}

/// Whether a text is a number with an optional fraction and exponent.
pub(crate) fn is_float(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if !has_fine_underscores(unsigned) {
        return false;
    }
    let plain = unsigned.replace('_', "").to_ascii_lowercase();
    if let Some(hexadecimal) = plain.strip_prefix("0x") {
        return is_hexadecimal_float(hexadecimal);
    }
    let is_number = plain.starts_with(|character: char| character.is_ascii_digit() || character == '.');
    is_number && plain.parse::<f64>().is_ok_and(f64::is_finite)
}

/// Digits with an optional point, and a mandatory exponent.
fn is_hexadecimal_float(unsigned: &str) -> bool {
    let Some((mantissa, exponent)) = unsigned.split_once('p') else { return false };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |text: &str| -> Option<Vec<f64>> {
        text.chars().map(|digit| digit.to_digit(16).map(f64::from)).collect()
    };
    let (Some(whole), Some(fraction)) = (digits(whole), digits(fraction)) else { return false };
    let magnitude = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    if magnitude.is_empty() || !magnitude.bytes().all(|byte| byte.is_ascii_digit()) {
        return false;
    }
    let Ok(exponent) = exponent.parse::<f64>() else { return false };
    if whole.is_empty() && fraction.is_empty() {
        return false;
    }
    let mantissa = whole.iter().fold(0.0, |sum, digit| sum * 16.0 + digit)
        + fraction.iter().rfold(0.0, |sum, digit| (sum + digit) / 16.0);
    mantissa == 0.0 || mantissa.log2() + exponent < f64::from(f64::MAX_EXP)
}

/// Whether each underscore separates digits of an unsigned number. A base prefix counts as a digit.
pub fn has_fine_underscores(unsigned: &str) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_denote_characters_and_bytes() {
        for (quoted, text) in [
            (r#""plain""#, b"plain".as_slice()),
            ("`a\\n\r`", b"a\\n"),
            (r#""\a\b\f\n\r\t\v\\\"""#, b"\x07\x08\x0c\n\r\t\x0b\\\""),
            (r#""\x41\101\u00e4\U0001F600\xff""#, b"AA\xc3\xa4\xf0\x9f\x98\x80\xff"),
        ] {
            assert_eq!(unquote(quoted).as_deref(), Some(text), "{quoted}");
        }
        for quoted in [r#""\q""#, r#""\'""#, r#""\x4""#, r#""\400""#, r#""\ud800""#, r#""\u+123""#, "\""] {
            assert_eq!(unquote(quoted), None, "{quoted}");
        }
    }

    #[test]
    fn whole_numbers_have_bases_and_fit_into_64_bits() {
        for text in ["0", "-0", "1_000", "0x1F", "0b_1", "0o17", "017", "18446744073709551615"] {
            assert!(is_integer(text), "{text}");
        }
        for text in ["", "+", "08", "0x", "1__0", "1_", "1.5", "+-1", "-9223372036854775809", "1e3"] {
            assert!(!is_integer(text), "{text}");
        }
    }

    #[test]
    fn other_numbers_have_a_point_or_an_exponent() {
        for text in ["0", "1.5e3", ".5", "5.", "-1_0.5", "0x1p-2", "0x.8p1", "0x1p1023", "0x0p9999"] {
            assert!(is_float(text), "{text}");
        }
        for text in ["", ".", "e1", "1e", "0x1", "0x.p1", "0x1p", "0x1p1024", "1e999", "inf", "nan", "1._5"] {
            assert!(!is_float(text), "{text}");
        }
    }
}
