//! The types that a YAML 1.1 reader resolves plain scalars to.

use super::value::Value;

const NULL_WORDS: [&str; 5] = ["", "~", "null", "Null", "NULL"];
const TRUE_WORDS: [&str; 11] = ["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"];
const FALSE_WORDS: [&str; 11] = ["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"];

/// The value of a plain scalar. Dates stay strings.
pub(super) fn resolve(text: &str) -> Value {
    non_string(text).unwrap_or_else(|| text.to_owned().into())
}

fn non_string(text: &str) -> Option<Value> {
    if NULL_WORDS.contains(&text) {
        return Some(Value::Null);
    }
    if TRUE_WORDS.contains(&text) || FALSE_WORDS.contains(&text) {
        return Some(Value::Bool(TRUE_WORDS.contains(&text)));
    }
    match text.as_bytes().first() {
        Some(b'.') => special(text).or_else(|| float(text)),
        Some(b'+' | b'-' | b'0'..=b'9') if is_time(text) => None,
        Some(b'+' | b'-' | b'0'..=b'9') => {
            let digits = text.replace('_', "");
            special(text).or_else(|| integer(&digits)).or_else(|| float(&digits))
        }
        _ => None,
    }
}

/// Whether every reader resolves a plain scalar to a string.
pub(super) fn is_text(text: &str) -> bool {
    non_string(text).is_none() && !is_time(text) && !is_base_60(text)
}

fn special(text: &str) -> Option<Value> {
    match text {
        ".nan" | ".NaN" | ".NAN" => Some(f64::NAN.into()),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => Some(f64::INFINITY.into()),
        "-.inf" | "-.Inf" | "-.INF" => Some(f64::NEG_INFINITY.into()),
        _ => None,
    }
}

/// Digits with an optional point and exponent.
fn float(text: &str) -> Option<Value> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let is_mantissa = match mantissa.split_once('.') {
        None => is_digits(mantissa),
        Some(("", fraction)) => is_digits(fraction),
        Some((whole, fraction)) => is_digits(whole) && (fraction.is_empty() || is_digits(fraction)),
    };
    let is_exponent =
        exponent.is_none_or(|exponent| is_digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent)));
    // A number that is too large is a string.
    let number = text.parse().ok().filter(|number: &f64| number.is_finite());
    number.filter(|_| is_mantissa && is_exponent).map(Value::Float)
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// An integer that fits into 64 bits: decimal, or with a prefix for the base. A leading zero means base 8.
fn integer(text: &str) -> Option<Value> {
    let (sign, number) = match text.as_bytes().first()? {
        b'-' => ("-", &text[1..]),
        b'+' => ("+", &text[1..]),
        _ => ("", text),
    };
    let lower = number.to_ascii_lowercase();
    let (base, digits) = match lower.as_bytes() {
        [b'0', b'x', ..] => (16, &lower[2..]),
        [b'0', b'o', ..] => (8, &lower[2..]),
        [b'0', b'b', ..] => (2, &lower[2..]),
        [b'0', _, ..] => (8, &lower[1..]),
        _ => (10, lower.as_str()),
    };
    if digits.starts_with(['+', '-']) {
        return None;
    }
    let signed = i64::from_str_radix(&format!("{sign}{digits}"), base).ok().map(Value::Int);
    // All 64 bits are available only without a sign.
    let all_bits = || u64::from_str_radix(digits, base).ok().filter(|_| sign.is_empty()).map(Value::Uint);
    signed.or_else(all_bits)
}

/// `1:30`, which YAML 1.1 reads as a number of base 60.
fn is_base_60(text: &str) -> bool {
    let text = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut parts = whole.split(':');
    let first = parts.next().unwrap_or_default();
    let is_first = first.starts_with(|character: char| character.is_ascii_digit()) && is_spaced(first);
    let rest: Vec<&str> = parts.collect();
    let is_part = |part: &&str| match part.as_bytes() {
        [one] => one.is_ascii_digit(),
        [ten, one] => (b'0'..=b'5').contains(ten) && one.is_ascii_digit(),
        _ => false,
    };
    is_first && !rest.is_empty() && rest.iter().all(is_part) && is_spaced(fraction)
}

/// Only digits and underscores. An empty text too.
fn is_spaced(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_')
}

/// A date with an optional time: `2020-1-2`, `2020-01-02T03:04:05.6Z`, `2020-1-2 3:4:5`.
fn is_time(text: &str) -> bool {
    let Some((year, rest)) = text.split_once('-') else { return false };
    if year.len() != 4 || !is_digits(year) {
        return false;
    }
    let Some((month, rest)) = rest.split_once('-') else { return false };
    let end = rest.find(|character: char| !character.is_ascii_digit()).unwrap_or(rest.len());
    let (day, rest) = rest.split_at(end);
    let (Some(year), Some(month), Some(day)) = (year.parse().ok(), short(month, 12), short(day, 31)) else {
        return false;
    };
    if month == 0 || day == 0 || day > days(year, month) {
        return false;
    }
    match rest.as_bytes().first() {
        None => true,
        Some(b'T' | b't') => after_clock(&rest[1..]).is_some_and(is_zone),
        Some(b' ') => after_clock(&rest[1..]) == Some(""),
        Some(_) => false,
    }
}

/// A number of one or two digits, up to a limit.
fn short(text: &str, most: u32) -> Option<u32> {
    let fits = (1..=2).contains(&text.len()) && is_digits(text);
    text.parse().ok().filter(|number| fits && *number <= most)
}

fn days(year: u32, month: u32) -> u32 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The text after a time, which can have fractions of a second. None if there is no time.
fn after_clock(text: &str) -> Option<&str> {
    let (hour, rest) = text.split_once(':')?;
    let (minute, rest) = rest.split_once(':')?;
    let end = rest.find(|character: char| !character.is_ascii_digit()).unwrap_or(rest.len());
    let (second, rest) = rest.split_at(end);
    (short(hour, 23).is_some() && short(minute, 59).is_some() && short(second, 59).is_some()).then_some(())?;
    let digits = |fraction: &str| fraction.bytes().take_while(u8::is_ascii_digit).count();
    match rest.strip_prefix(['.', ',']) {
        Some(fraction) if digits(fraction) > 0 => Some(&fraction[digits(fraction)..]),
        _ => Some(rest),
    }
}

fn is_zone(text: &str) -> bool {
    if text == "Z" {
        return true;
    }
    let Some((hours, minutes)) = text.strip_prefix(['+', '-']).and_then(|zone| zone.split_once(':')) else {
        return false;
    };
    let is_part = |part: &str, most: u32| part.len() == 2 && short(part, most).is_some();
    is_part(hours, 24) && is_part(minutes, 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_of_other_types_are_not_strings() {
        for no_text in [
            "",
            "~",
            "yes",
            "N",
            "1",
            "-1",
            "+1",
            "012",
            "08",
            "0x1F",
            "0o14",
            "0b11",
            "1_000",
            "1e3",
            "5.",
            ".5",
            "-.inf",
            "-.INF",
            "1:30",
            "190:20:30",
            "12:30:45.5",
            "2020-01-01",
            "2020-1-1",
            "2020-01-01T00:00:00Z",
            "2020-01-01t00:00:00.5+01:00",
            "2024-2-29 1:2:3",
            "18446744073709551615",
            "1_2:30",
        ] {
            assert!(!is_text(no_text), "{no_text:?}");
        }
    }

    #[test]
    fn numbers_and_booleans_are_resolved() {
        for (text, expected) in [
            ("017", Value::Int(15)),
            ("0o17", Value::Int(15)),
            ("-0b11", Value::Int(-3)),
            ("1_000", Value::Int(1000)),
            ("+12", Value::Int(12)),
            ("08", Value::Float(8.0)),
            ("1e3", Value::Float(1000.0)),
            ("18446744073709551615", Value::Uint(u64::MAX)),
            ("18446744073709551616", Value::Float(18_446_744_073_709_551_616.0)),
            ("-9223372036854775808", Value::Int(i64::MIN)),
            ("-.Inf", Value::Float(f64::NEG_INFINITY)),
            ("Off", Value::Bool(false)),
            ("y", Value::Bool(true)),
            ("~", Value::Null),
            ("1:30", "1:30".into()),
            ("2020-01-01", "2020-01-01".into()),
            ("1e999", "1e999".into()),
        ] {
            assert_eq!(resolve(text), expected, "{text:?}");
        }
    }

    #[test]
    fn all_other_scalars_are_strings() {
        for text in [
            "nil",
            "tRue",
            "_1",
            "1e",
            "NaN",
            "Infinity",
            "3d",
            "10.0.0.1",
            "10.0.0.1:9090",
            "=",
            "<<",
            "-",
            "--",
            ".",
            "..",
            "+",
            "1,000",
            "2001-12-14 21:59:43.10 -5",
            "2023-2-29",
            "2020-13-01",
            "1:60",
            "1:",
            "é",
            "0b12",
            "2020-01-01T00:00:00",
            "0x",
            "a",
        ] {
            assert!(is_text(text), "{text:?}");
        }
    }
}
