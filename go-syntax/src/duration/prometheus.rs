//! Durations of Prometheus (`model.Duration`): `1h30m`, from the largest unit to the smallest. A year has 365 days.

use std::fmt;

use super::{HOUR, LIMIT, SECOND, split};
use crate::quoted::Quoted;

/// Units in the order in which a duration must use them, in nanoseconds.
const UNITS: [(&str, u64); 7] = [
    ("y", 365 * 24 * HOUR),
    ("w", 7 * 24 * HOUR),
    ("d", 24 * HOUR),
    ("h", HOUR),
    ("m", 60 * SECOND),
    ("s", SECOND),
    ("ms", SECOND / 1000),
];

/// Why a text is not a duration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidPrometheusDuration {
    /// It is empty.
    #[error("empty duration string")]
    Empty,
    /// It is not a sequence of numbers with units, from the largest unit to the smallest.
    #[error("not a valid duration string: {}", Quoted(.0))]
    Syntax(String),
    /// A unit is unknown.
    #[error("unknown unit {} in duration {}", Quoted(.unit), Quoted(.text))]
    Unit {
        /// The text in place of a unit.
        unit: String,
        /// The whole text.
        text: String,
    },
    /// It is longer than about 292 years.
    #[error("duration out of range")]
    TooLong,
}

/// Parses a duration into nanoseconds, which are never negative.
pub fn parse(text: &str) -> Result<i64, InvalidPrometheusDuration> {
    match text {
        "0" => return Ok(0),
        "" => return Err(InvalidPrometheusDuration::Empty),
        _ => {}
    }
    let syntax = || InvalidPrometheusDuration::Syntax(text.to_owned());
    let mut rest = text;
    let mut sum = 0_i64;
    let mut units = UNITS.as_slice();
    while !rest.is_empty() {
        let (number, after) = split(rest, |byte| byte.is_ascii_digit());
        let number: u64 = number.parse().map_err(|_| syntax())?;
        let (unit, after) = split(after, |byte| !byte.is_ascii_digit());
        if unit.is_empty() {
            return Err(syntax());
        }
        if UNITS.iter().all(|(name, _)| *name != unit) {
            return Err(InvalidPrometheusDuration::Unit { unit: unit.to_owned(), text: text.to_owned() });
        }
        // Units that are larger than the last one, or equal to it, were removed.
        let place = units.iter().position(|(name, _)| *name == unit).ok_or_else(syntax)?;
        let part = number.checked_mul(units[place].1).filter(|part| *part <= LIMIT);
        sum =
            part.and_then(|part| sum.checked_add_unsigned(part)).ok_or(InvalidPrometheusDuration::TooLong)?;
        units = &units[place + 1..];
        rest = after;
    }
    Ok(sum)
}

/// Displays nanoseconds, without fractions of a millisecond. Years and weeks are used only if nothing remains: `90d`,
/// not `12w6d`.
#[derive(Debug, Clone, Copy)]
pub struct DisplayPrometheusDuration(pub i64);

impl fmt::Display for DisplayPrometheusDuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let milliseconds = self.0 / 1_000_000;
        if milliseconds == 0 {
            return f.write_str("0s");
        }
        if milliseconds < 0 {
            f.write_str("-")?;
        }
        let mut left = milliseconds.unsigned_abs();
        for (unit, nanoseconds) in UNITS {
            let length = nanoseconds / 1_000_000;
            let is_whole = matches!(unit, "y" | "w");
            let count = left / length;
            if count > 0 && (!is_whole || left.is_multiple_of(length)) {
                write!(f, "{count}{unit}")?;
                left -= count * length;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn durations_of_prometheus_are_parsed() {
        for (text, milliseconds) in [
            ("0", 0),
            ("0s", 0),
            ("5ms", 5),
            ("1500ms", 1500),
            ("30s", 30_000),
            ("1h30m", 5_400_000),
            ("1d", 86_400_000),
            ("1d12h", 36 * 3_600_000),
            ("1w1d", 8 * 86_400_000),
            ("292y", 292 * 365 * 86_400_000),
        ] {
            assert_eq!(parse(text), Ok(milliseconds * 1_000_000), "{text}");
        }
    }

    #[test]
    fn invalid_durations_are_rejected_as_in_prometheus() {
        for (text, message) in [
            ("", "empty duration string"),
            ("1", r#"not a valid duration string: "1""#),
            ("s", r#"not a valid duration string: "s""#),
            ("-1s", r#"not a valid duration string: "-1s""#),
            ("1m1d", r#"not a valid duration string: "1m1d""#),
            ("1s1s", r#"not a valid duration string: "1s1s""#),
            ("99999999999999999999s", r#"not a valid duration string: "99999999999999999999s""#),
            ("1.5h", r#"unknown unit "." in duration "1.5h""#),
            ("1hs", r#"unknown unit "hs" in duration "1hs""#),
            ("3 s", r#"unknown unit " s" in duration "3 s""#),
            ("1µs", r#"unknown unit "µs" in duration "1µs""#),
            ("293y", "duration out of range"),
            ("292y52w", "duration out of range"),
            ("292y200d", "duration out of range"),
            ("10000000000s", "duration out of range"),
        ] {
            assert_eq!(parse(text).unwrap_err().to_string(), message, "{text}");
        }
    }

    #[test]
    fn durations_are_displayed_in_their_shortest_form() {
        for (text, written) in [
            ("0", "0s"),
            ("90d", "90d"),
            ("14d", "2w"),
            ("365d", "1y"),
            ("90m", "1h30m"),
            ("1d12h", "1d12h"),
            ("1500ms", "1s500ms"),
            ("0s", "0s"),
        ] {
            assert_eq!(DisplayPrometheusDuration(parse(text).unwrap()).to_string(), written);
        }
        assert_eq!(DisplayPrometheusDuration(-90_000_000_001).to_string(), "-1m30s");
    }

    proptest! {
        #[test]
        fn a_displayed_duration_is_parsed_back(milliseconds in 0..i64::MAX / 1_000_000) {
            let text = DisplayPrometheusDuration(milliseconds * 1_000_000).to_string();
            prop_assert_eq!(parse(&text), Ok(milliseconds * 1_000_000));
        }

        #[test]
        fn any_text_is_parsed_or_rejected(text in "[0-9ywdhms ]{0,24}") {
            if let Ok(length) = parse(&text) {
                prop_assert!(length >= 0);
            }
        }
    }
}
