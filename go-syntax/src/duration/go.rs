//! Durations of Go's standard library (`time.Duration`): `1.5h`, `-1m30s`. The largest unit is an hour.

use std::fmt;

use super::{HOUR, LIMIT, SECOND, split};
use crate::literal::sign;

/// Why a text is not a duration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidGoDuration {
    /// It is not a sequence of numbers with units, or is longer than 292 years.
    #[error("time: invalid duration {}", Shown(.0))]
    Syntax(String),
    /// A number has no unit.
    #[error("time: missing unit in duration {}", Shown(.0))]
    NoUnit(String),
    /// A unit is unknown.
    #[error("time: unknown unit {} in duration {}", Shown(.unit), Shown(.text))]
    Unit {
        /// The text in place of a unit.
        unit: String,
        /// The whole text.
        text: String,
    },
}

/// Quotes a text as Go's `time` package does: bytes beyond ASCII are escaped.
struct Shown<'t>(&'t str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for byte in self.0.bytes() {
            match byte {
                b'"' | b'\\' => write!(f, "\\{}", char::from(byte))?,
                b' '..=0x7f => write!(f, "{}", char::from(byte))?,
                _ => write!(f, "\\x{byte:02x}")?,
            }
        }
        f.write_str("\"")
    }
}

/// Parses a duration into nanoseconds.
pub fn parse(text: &str) -> Result<i64, InvalidGoDuration> {
    let syntax = || InvalidGoDuration::Syntax(text.to_owned());
    let (negative, mut rest) = sign(text);
    if rest == "0" {
        return Ok(0);
    }
    if rest.is_empty() {
        return Err(syntax());
    }
    let mut sum = 0_u64;
    while !rest.is_empty() {
        let (whole, after) = split(rest, |byte| byte.is_ascii_digit());
        let number = number(whole).ok_or_else(syntax)?;
        let (fraction, after) =
            after.strip_prefix('.').map_or(("", after), |after| split(after, |byte| byte.is_ascii_digit()));
        if whole.is_empty() && fraction.is_empty() {
            return Err(syntax());
        }
        let (unit, after) = split(after, |byte| !byte.is_ascii_digit() && byte != b'.');
        if unit.is_empty() {
            return Err(InvalidGoDuration::NoUnit(text.to_owned()));
        }
        let length = nanoseconds(unit)
            .ok_or_else(|| InvalidGoDuration::Unit { unit: unit.to_owned(), text: text.to_owned() })?;
        let within = |number: &u64| *number <= LIMIT;
        let part = number.checked_mul(length).filter(within);
        let part = part.and_then(|part| part.checked_add(of_unit(fraction, length))).filter(within);
        sum = part.and_then(|part| sum.checked_add(part)).filter(within).ok_or_else(syntax)?;
        rest = after;
    }
    let sum = if negative { 0_i64.checked_sub_unsigned(sum) } else { i64::try_from(sum).ok() };
    sum.ok_or_else(syntax)
}

fn nanoseconds(unit: &str) -> Option<u64> {
    Some(match unit {
        "ns" => 1,
        // The micro sign and the Greek letter mu look alike.
        "us" | "\u{b5}s" | "\u{3bc}s" => 1000,
        "ms" => SECOND / 1000,
        "s" => SECOND,
        "m" => 60 * SECOND,
        "h" => HOUR,
        _ => return None,
    })
}

/// A whole number. An empty text is zero.
fn number(digits: &str) -> Option<u64> {
    if digits.is_empty() { Some(0) } else { digits.parse().ok().filter(|number| *number <= LIMIT) }
}

/// The part of a unit that decimal places stand for. Places beyond the precision are ignored, as in Go.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "Go uses floating point here, and the result is at most the largest unit"
)]
fn of_unit(places: &str, unit: u64) -> u64 {
    let (mut number, mut scale) = (0_u64, 1_f64);
    for digit in places.bytes().map(|byte| u64::from(byte - b'0')) {
        if number > (LIMIT - 1) / 10 || number * 10 + digit > LIMIT {
            break;
        }
        number = number * 10 + digit;
        scale *= 10.0;
    }
    (number as f64 * (unit as f64 / scale)) as u64
}

/// Displays nanoseconds as `Duration.String` does: `1h0m0s`, and less than a second in a smaller unit.
#[derive(Debug, Clone, Copy)]
pub struct DisplayGoDuration(pub i64);

impl fmt::Display for DisplayGoDuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 < 0 {
            f.write_str("-")?;
        }
        let length = self.0.unsigned_abs();
        match length {
            0 => f.write_str("0s"),
            1..1_000 => write!(f, "{length}ns"),
            1_000..1_000_000 => decimal(f, length, 1_000).and_then(|()| f.write_str("µs")),
            1_000_000..SECOND => decimal(f, length, 1_000_000).and_then(|()| f.write_str("ms")),
            SECOND.. => {
                let (hours, minutes) = (length / HOUR, length / (60 * SECOND) % 60);
                if hours > 0 {
                    write!(f, "{hours}h")?;
                }
                if hours > 0 || minutes > 0 {
                    write!(f, "{minutes}m")?;
                }
                decimal(f, length % (60 * SECOND), SECOND)?;
                f.write_str("s")
            }
        }
    }
}

/// Writes a number of units, without trailing zeros. A unit is a power of ten.
fn decimal(f: &mut fmt::Formatter<'_>, length: u64, unit: u64) -> fmt::Result {
    write!(f, "{}", length / unit)?;
    if length.is_multiple_of(unit) {
        return Ok(());
    }
    // The leading one keeps the leading zeros of the fraction.
    let places = (unit + length % unit).to_string();
    write!(f, ".{}", places[1..].trim_end_matches('0'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn durations_are_sums_of_numbers_with_units() {
        for (text, nanoseconds) in [
            ("0", 0),
            ("-0", 0),
            ("+0", 0),
            ("1ns", 1),
            ("10s", 10_000_000_000),
            ("-5ms", -5_000_000),
            ("3µs", 3_000),
            ("1us1µs1μs", 3_000),
            ("1.5h", 5_400_000_000_000),
            ("1h30m", 5_400_000_000_000),
            ("1m1h", 3_660_000_000_000),
            (".5s", 500_000_000),
            ("1.s", 1_000_000_000),
            ("0.3333333333333333333h", 1_200_000_000_000),
            ("9223372036854775807ns", i64::MAX),
            ("-9223372036854775808ns", i64::MIN),
        ] {
            assert_eq!(parse(text), Ok(nanoseconds), "{text}");
        }
    }

    #[test]
    fn invalid_durations_are_rejected_as_in_go() {
        for (text, message) in [
            ("", r#"invalid duration """#),
            ("-", r#"invalid duration "-""#),
            ("s", r#"invalid duration "s""#),
            (".s", r#"invalid duration ".s""#),
            ("--1s", r#"invalid duration "--1s""#),
            ("3000000h", r#"invalid duration "3000000h""#),
            ("9223372036854775808ns", r#"invalid duration "9223372036854775808ns""#),
            ("-9223372036854775808ns1ns", r#"invalid duration "-9223372036854775808ns1ns""#),
            ("10", r#"missing unit in duration "10""#),
            ("00", r#"missing unit in duration "00""#),
            ("1.2.3s", r#"missing unit in duration "1.2.3s""#),
            ("1d", r#"unknown unit "d" in duration "1d""#),
            ("1 s", r#"unknown unit " s" in duration "1 s""#),
            ("1é\"", r#"unknown unit "\xc3\xa9\"" in duration "1\xc3\xa9\"""#),
        ] {
            assert_eq!(parse(text).unwrap_err().to_string(), format!("time: {message}"), "{text}");
        }
    }

    #[test]
    fn durations_are_displayed_as_in_go() {
        for (nanoseconds, written) in [
            (0, "0s"),
            (1, "1ns"),
            (1_100, "1.1µs"),
            (2_200_000, "2.2ms"),
            (1_500_000_000, "1.5s"),
            (1_000_000_001, "1.000000001s"),
            (60_000_000_000, "1m0s"),
            (3_600_000_000_000, "1h0m0s"),
            (5_430_250_000_000, "1h30m30.25s"),
            (-500_000_000, "-500ms"),
            (i64::MIN, "-2562047h47m16.854775808s"),
        ] {
            assert_eq!(DisplayGoDuration(nanoseconds).to_string(), written);
        }
    }

    proptest! {
        #[test]
        fn a_displayed_duration_is_parsed_back(nanoseconds: i64) {
            prop_assert_eq!(parse(&DisplayGoDuration(nanoseconds).to_string()), Ok(nanoseconds));
        }
    }
}
