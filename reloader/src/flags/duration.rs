//! Durations in the syntax of the peer's flags: `1m30s`, `1.5h`, `250ms`, `2d`, `0`.

use std::time::Duration;

/// `ms` comes before `m`, because the first match is used.
const UNITS: [(&str, u64); 9] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60 * 1_000_000_000),
    ("h", 3_600 * 1_000_000_000),
    ("d", 86_400 * 1_000_000_000),
    ("w", 604_800 * 1_000_000_000),
];

/// Parses a duration that is not negative; `None` for anything else.
pub fn parse(text: &str) -> Option<Duration> {
    let mut rest = text.strip_prefix('+').unwrap_or(text);
    if rest == "0" {
        return Some(Duration::ZERO);
    }
    if rest.is_empty() {
        return None;
    }
    let mut nanoseconds = 0_u64;
    while !rest.is_empty() {
        let (whole, after) = split_digits(rest);
        let (fraction, after) = after.strip_prefix('.').map_or(("", after), split_digits);
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let (unit, size) = UNITS.iter().find(|(name, _)| after.starts_with(name))?;
        let whole = if whole.is_empty() { 0 } else { whole.parse::<u64>().ok()? };
        nanoseconds =
            nanoseconds.checked_add(whole.checked_mul(*size)?)?.checked_add(part(fraction, *size))?;
        rest = &after[unit.len()..];
    }
    Some(Duration::from_nanos(nanoseconds))
}

fn split_digits(text: &str) -> (&str, &str) {
    text.split_at(text.bytes().take_while(u8::is_ascii_digit).count())
}

/// The nanoseconds of the digits after a decimal point; fractions of a nanosecond are ignored.
fn part(fraction: &str, unit: u64) -> u64 {
    let mut nanoseconds = 0;
    let mut place = unit;
    for digit in fraction.bytes() {
        place /= 10;
        nanoseconds += u64::from(digit - b'0') * place;
    }
    nanoseconds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_parsed_as_in_go() {
        for (text, milliseconds) in [
            ("0", 0),
            ("0s", 0),
            ("3m0s", 180_000),
            ("1m30s", 90_000),
            ("1.5h", 5_400_000),
            (".5s", 500),
            ("1.s", 1_000),
            ("250ms", 250),
            ("+2s", 2_000),
            ("1d12h", 129_600_000),
            ("1w", 604_800_000),
            ("5000us", 5),
        ] {
            assert_eq!(parse(text), Some(Duration::from_millis(milliseconds)), "{text}");
        }
    }

    #[test]
    fn anything_else_is_not_a_duration() {
        for text in ["", "5", "s", "-1s", "1x", "1s2", ".s", "1 s", "99999999999999999999s", "9999999w"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
