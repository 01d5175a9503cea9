//! Durations as Prometheus writes them: `1h30m`, the largest unit first, a year of 365 days.

use std::fmt::Write;

use thiserror::Error;

use crate::quote::quoted;

/// A text that is no duration.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NotADuration {
    /// There is no text.
    #[error("empty duration string")]
    Empty,
    /// It is written wrongly.
    #[error("not a valid duration string: {}", quoted(.0))]
    Invalid(String),
    /// It has a unit that there is not.
    #[error("unknown unit {} in duration {}", quoted(unit), quoted(text))]
    UnknownUnit {
        /// The unit.
        unit: String,
        /// The whole.
        text: String,
    },
    /// It is longer than about 292 years.
    #[error("duration out of range")]
    OutOfRange,
}

/// Units, the largest first, with their nanoseconds.
const UNITS: [(&str, u64); 7] = [
    ("y", 365 * DAY),
    ("w", 7 * DAY),
    ("d", DAY),
    ("h", 3600 * SECOND),
    ("m", 60 * SECOND),
    ("s", SECOND),
    ("ms", SECOND / 1000),
];
const SECOND: u64 = 1_000_000_000;
const DAY: u64 = 24 * 3600 * SECOND;

/// Its nanoseconds.
pub fn parse(text: &str) -> Result<i64, NotADuration> {
    match text {
        "0" => return Ok(0),
        "" => return Err(NotADuration::Empty),
        _ => {}
    }
    let invalid = || NotADuration::Invalid(text.to_owned());
    let mut rest = text;
    let mut total: u64 = 0;
    let mut units = UNITS.as_slice();
    while !rest.is_empty() {
        let digits = rest.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
        let (number, after) = rest.split_at(digits);
        let number: u64 = number.parse().map_err(|_| invalid())?;
        let letters = after.bytes().position(|byte| byte.is_ascii_digit()).unwrap_or(after.len());
        let (unit, after) = after.split_at(letters);
        if unit.is_empty() {
            return Err(invalid());
        }
        if !UNITS.iter().any(|(name, _)| *name == unit) {
            return Err(NotADuration::UnknownUnit { unit: unit.to_owned(), text: text.to_owned() });
        }
        // What came already, or is larger than what came, is no longer among them.
        let index = units.iter().position(|(name, _)| *name == unit).ok_or_else(invalid)?;
        let nanoseconds = units[index].1;
        units = &units[index + 1..];
        if number > (1 << 63) / nanoseconds {
            return Err(NotADuration::OutOfRange);
        }
        total = total.wrapping_add(number * nanoseconds);
        if i64::try_from(total).is_err() {
            return Err(NotADuration::OutOfRange);
        }
        rest = after;
    }
    i64::try_from(total).map_err(|_| NotADuration::OutOfRange)
}

/// Writes nanoseconds, as far as they are whole milliseconds. Years and weeks are written only if nothing is left: 90
/// days read better than 12 weeks and 6 days.
pub fn write(out: &mut String, nanoseconds: i64) {
    let milliseconds = nanoseconds / 1_000_000;
    if milliseconds == 0 {
        out.push_str("0s");
        return;
    }
    if milliseconds < 0 {
        out.push('-');
    }
    let mut left = milliseconds.unsigned_abs();
    for (unit, nanoseconds) in UNITS {
        let length = nanoseconds / 1_000_000;
        let whole = unit == "y" || unit == "w";
        let count = left / length;
        if count > 0 && (!whole || left.is_multiple_of(length)) {
            let _ = write!(out, "{count}{unit}");
            left -= count * length;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_no_duration_is_named() {
        for (text, error) in [
            ("", "empty duration string"),
            ("5", "not a valid duration string: \"5\""),
            ("m", "not a valid duration string: \"m\""),
            ("1m1h", "not a valid duration string: \"1m1h\""),
            ("1m1m", "not a valid duration string: \"1m1m\""),
            ("-1m", "not a valid duration string: \"-1m\""),
            ("1x", "unknown unit \"x\" in duration \"1x\""),
            ("1hs", "unknown unit \"hs\" in duration \"1hs\""),
            ("300y", "duration out of range"),
            ("292y200d", "duration out of range"),
            ("99999999999999999999s", "not a valid duration string: \"99999999999999999999s\""),
        ] {
            assert_eq!(parse(text).unwrap_err().to_string(), error);
        }
        assert_eq!(parse("0"), Ok(0));
        assert_eq!(parse("1h30m"), Ok(5_400_000_000_000));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(milliseconds in 0_i64..9_000_000_000_000) {
            let mut text = String::new();
            write(&mut text, milliseconds * 1_000_000);
            prop_assert_eq!(parse(&text), Ok(milliseconds * 1_000_000));
        }
    }
}
