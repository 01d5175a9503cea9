//! Durations as Prometheus reads them, as far as one must know which of two is longer.

/// Units from the longest to the shortest, in nanoseconds.
const UNITS: [(&str, u64); 7] = [
    ("y", 365 * 24 * 3_600_000_000_000),
    ("w", 7 * 24 * 3_600_000_000_000),
    ("d", 24 * 3_600_000_000_000),
    ("h", 3_600_000_000_000),
    ("m", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
];

/// Why a text is no duration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DurationError {
    /// Nothing is there.
    #[error("empty duration string")]
    Empty,
    /// It is not numbers with units, from the longest unit to the shortest.
    #[error("not a valid duration string: {0:?}")]
    Invalid(String),
    /// A unit that nobody knows.
    #[error("unknown unit {unit:?} in duration {text:?}")]
    Unit {
        /// The unit.
        unit: String,
        /// The whole text.
        text: String,
    },
    /// Longer than about 292 years.
    #[error("duration out of range")]
    Range,
}

/// Reads a duration into nanoseconds.
pub(crate) fn nanoseconds(text: &str) -> Result<u64, DurationError> {
    match text {
        "0" => return Ok(0),
        "" => return Err(DurationError::Empty),
        _ => {}
    }
    let invalid = || DurationError::Invalid(text.to_owned());
    let (mut rest, mut sum, mut units) = (text, 0_u64, &UNITS[..]);
    while !rest.is_empty() {
        let end = rest.find(|letter: char| !letter.is_ascii_digit()).ok_or_else(invalid)?;
        let (digits, after) = rest.split_at(end);
        let number: u64 = digits.parse().map_err(|_| invalid())?;
        let end = after.find(|letter: char| letter.is_ascii_digit()).unwrap_or(after.len());
        let (unit, after) = after.split_at(end);
        let known = |(name, _): &(&str, u64)| *name == unit;
        if !UNITS.iter().any(known) {
            return Err(DurationError::Unit { unit: unit.to_owned(), text: text.to_owned() });
        }
        let at = units.iter().position(known).ok_or_else(invalid)?;
        let length = number.checked_mul(units[at].1).ok_or(DurationError::Range)?;
        sum =
            sum.checked_add(length).filter(|sum| i64::try_from(*sum).is_ok()).ok_or(DurationError::Range)?;
        (rest, units) = (after, &units[at + 1..]);
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_and_others_refused() {
        for (text, expected) in [
            ("0", Ok(0)),
            ("30s", Ok(30_000_000_000)),
            ("1d12h", Ok(36 * 3_600_000_000_000)),
            ("5ms", Ok(5_000_000)),
            ("", Err("empty duration string")),
            ("s", Err("not a valid duration string: \"s\"")),
            ("5", Err("not a valid duration string: \"5\"")),
            ("5m1h", Err("not a valid duration string: \"5m1h\"")),
            ("5m5m", Err("not a valid duration string: \"5m5m\"")),
            ("5x", Err("unknown unit \"x\" in duration \"5x\"")),
            ("300y", Err("duration out of range")),
            ("292y52w", Err("duration out of range")),
            ("99999999999999999999s", Err("not a valid duration string: \"99999999999999999999s\"")),
        ] {
            assert_eq!(nanoseconds(text).map_err(|error| error.to_string()), expected.map_err(str::to_owned));
        }
    }
}
