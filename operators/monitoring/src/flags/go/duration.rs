//! Durations such as `1m30s`. To be replaced by the crate that reads all syntaxes of Go.

use std::time::Duration;

/// The size of what lies on either side of zero, as far as Go counts.
const LIMIT: u64 = 1 << 63;

/// Reads a duration, as nanoseconds.
pub(crate) fn parse(text: &str) -> Option<i64> {
    let (negative, mut rest) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    if rest == "0" {
        return Some(0);
    }
    if rest.is_empty() {
        return None;
    }
    let mut sum = 0_u64;
    while !rest.is_empty() {
        let (part, after) = part(rest)?;
        sum = sum.checked_add(part).filter(|sum| *sum <= LIMIT)?;
        rest = after;
    }
    if negative { 0_i64.checked_sub_unsigned(sum) } else { i64::try_from(sum).ok() }
}

/// Writes a duration: hours and minutes from the first that is not zero, and seconds.
pub(crate) fn show(duration: Duration) -> String {
    let seconds = duration.as_secs();
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    let rest = duration.saturating_sub(Duration::from_secs(seconds / 60 * 60)).as_secs_f64();
    match (hours, minutes) {
        (0, 0) => format!("{rest}s"),
        (0, _) => format!("{minutes}m{rest}s"),
        _ => format!("{hours}h{minutes}m{rest}s"),
    }
}

/// One number with its unit, and what follows.
fn part(text: &str) -> Option<(u64, &str)> {
    let (whole, after) = digits(text);
    let (fraction, after) = after.strip_prefix('.').map_or(("", after), digits);
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let end = after.find(|letter: char| letter == '.' || letter.is_ascii_digit()).unwrap_or(after.len());
    let (unit, after) = after.split_at(end);
    let unit = nanoseconds(unit)?;
    let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let whole = whole.checked_mul(unit).filter(|whole| *whole <= LIMIT)?;
    let sum = whole.checked_add(of_unit(fraction, unit)).filter(|sum| *sum <= LIMIT)?;
    Some((sum, after))
}

fn digits(text: &str) -> (&str, &str) {
    text.split_at(text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len()))
}

/// How much of a unit decimal places are. Those that make no difference any more are left out.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "Go computes it in floating point, and the result is below the largest unit"
)]
fn of_unit(places: &str, unit: u64) -> u64 {
    let (mut number, mut scale) = (0_u64, 1_f64);
    for digit in places.bytes().map(|byte| u64::from(byte - b'0')) {
        let Some(next) = number.checked_mul(10).and_then(|ten| ten.checked_add(digit)) else { break };
        if next > LIMIT {
            break;
        }
        number = next;
        scale *= 10.0;
    }
    (number as f64 * (unit as f64 / scale)) as u64
}

fn nanoseconds(unit: &str) -> Option<u64> {
    Some(match unit {
        "ns" => 1,
        // The sign for micro and the Greek letter look alike.
        "us" | "\u{b5}s" | "\u{3bc}s" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_sums_of_numbers_with_units() {
        for (text, expected) in [
            ("0", Some(0)),
            ("-0", Some(0)),
            ("+0", Some(0)),
            ("1ns", Some(1)),
            ("1us1µs1μs", Some(3_000)),
            ("1.5h", Some(5_400_000_000_000)),
            ("1h30m", Some(5_400_000_000_000)),
            ("1m1h", Some(3_660_000_000_000)),
            (".5s", Some(500_000_000)),
            ("1.s", Some(1_000_000_000)),
            ("-1.5s", Some(-1_500_000_000)),
            ("0.3333333333333333333h", Some(1_200_000_000_000)),
            ("9223372036854775807ns", Some(i64::MAX)),
            ("-9223372036854775808ns", Some(i64::MIN)),
            ("9223372036854775808ns", None),
            ("-9223372036854775808ns1ns", None),
            ("9223372036854775.808us", None),
            ("3000000h", None),
            ("", None),
            ("-", None),
            ("00", None),
            ("1", None),
            ("1 s", None),
            (".s", None),
            ("1d", None),
            ("1s ", None),
            ("--1s", None),
            ("s", None),
        ] {
            assert_eq!(parse(text), expected, "{text}");
        }
    }

    #[test]
    fn durations_are_shown_as_go_shows_them() {
        for (duration, shown) in [
            (Duration::ZERO, "0s"),
            (Duration::from_millis(1_500), "1.5s"),
            (Duration::from_mins(1), "1m0s"),
            (Duration::from_mins(3), "3m0s"),
            (Duration::from_hours(1), "1h0m0s"),
            (Duration::from_millis(5_430_250), "1h30m30.25s"),
        ] {
            assert_eq!(show(duration), shown);
        }
    }
}
