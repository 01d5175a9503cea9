//! Spans of time as Prometheus and Alertmanager write them: `1d12h`, `30s`.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A span of time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Duration {
    nanoseconds: u64,
}

/// A text that is no span of time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadDuration {
    /// Nothing at all.
    #[error("empty duration string")]
    Empty,
    /// It is not made of numbers with units, from the largest to the smallest.
    #[error("not a valid duration string: {0:?}")]
    Form(String),
    /// It has a unit that there is not.
    #[error("unknown unit {unit:?} in duration {text:?}")]
    Unit {
        /// The unit.
        unit: String,
        /// The text.
        text: String,
    },
    /// It is longer than anybody can count.
    #[error("duration out of range")]
    Range,
}

const MILLISECOND: u64 = 1_000_000;
const DAY: u64 = 24 * 60 * 60 * 1000 * MILLISECOND;

/// Units from the largest to the smallest, in nanoseconds.
const UNITS: [(&str, u64); 7] = [
    ("y", 365 * DAY),
    ("w", 7 * DAY),
    ("d", DAY),
    ("h", 60 * 60 * 1000 * MILLISECOND),
    ("m", 60 * 1000 * MILLISECOND),
    ("s", 1000 * MILLISECOND),
    ("ms", MILLISECOND),
];

/// Longest span that there is.
const LONGEST: u64 = i64::MAX.unsigned_abs();

impl Duration {
    /// Reads a span of time.
    pub fn parse(text: &str) -> Result<Self, BadDuration> {
        match text {
            "" => return Err(BadDuration::Empty),
            "0" => return Ok(Self::default()),
            _ => {}
        }
        let form = || BadDuration::Form(text.to_owned());
        let (mut rest, mut nanoseconds, mut units) = (text, 0_u64, UNITS.as_slice());
        while !rest.is_empty() {
            let end = rest.find(|letter: char| !letter.is_ascii_digit()).ok_or_else(form)?;
            let number: u64 = rest[..end].parse().map_err(|_| form())?;
            rest = &rest[end..];
            let end = rest.find(|letter: char| letter.is_ascii_digit()).unwrap_or(rest.len());
            let unit = &rest[..end];
            rest = &rest[end..];
            let (_, size) = UNITS
                .iter()
                .find(|(name, _)| *name == unit)
                .ok_or_else(|| BadDuration::Unit { unit: unit.to_owned(), text: text.to_owned() })?;
            let at = units.iter().position(|(name, _)| *name == unit).ok_or_else(form)?;
            units = &units[at + 1..];
            let added = number.checked_mul(*size).and_then(|more| nanoseconds.checked_add(more));
            nanoseconds = added.filter(|sum| *sum <= LONGEST).ok_or(BadDuration::Range)?;
        }
        Ok(Self { nanoseconds })
    }

    /// Whether it is no time at all.
    pub fn is_zero(&self) -> bool {
        self.nanoseconds == 0
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.nanoseconds / MILLISECOND;
        if rest == 0 {
            return f.write_str("0s");
        }
        for (unit, size) in UNITS {
            let size = size / MILLISECOND;
            // Years and weeks are written only if nothing is left: 90d reads better than 12w6d.
            if matches!(unit, "y" | "w") && !rest.is_multiple_of(size) {
                continue;
            }
            if rest >= size {
                write!(f, "{}{unit}", rest / size)?;
                rest %= size;
            }
        }
        Ok(())
    }
}

impl Serialize for Duration {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Duration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Without a value it is no time at all; an empty text is none.
        let text = Option::<String>::deserialize(deserializer)?;
        text.map_or(Ok(Self::default()), |text| Self::parse(&text).map_err(de::Error::custom))
    }
}

/// Whether a text is a span of time for a program in Go, which has no days: some fields must be both.
pub(super) fn is_go(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if unsigned == "0" {
        return true;
    }
    let mut rest = unsigned;
    while !rest.is_empty() {
        let end = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(rest.len());
        let number = &rest[..end];
        let is_number = number.bytes().any(|byte| byte.is_ascii_digit()) && number.matches('.').count() <= 1;
        rest = &rest[end..];
        let end = rest.find(|letter: char| letter.is_ascii_digit() || letter == '.').unwrap_or(rest.len());
        if !is_number || !["ns", "us", "µs", "μs", "ms", "s", "m", "h"].contains(&&rest[..end]) {
            return false;
        }
        rest = &rest[end..];
    }
    !unsigned.is_empty()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn spans_are_written_in_their_shortest_form() {
        for (text, expected) in [
            ("0", "0s"),
            ("90d", "90d"),
            ("14d", "2w"),
            ("365d", "1y"),
            ("90m", "1h30m"),
            ("1d12h", "1d12h"),
            ("1500ms", "1s500ms"),
            ("0s", "0s"),
        ] {
            assert_eq!(Duration::parse(text).unwrap().to_string(), expected);
        }
    }

    #[test]
    fn what_is_no_span_is_told() {
        for (text, expected) in [
            ("", "empty duration string"),
            ("5", "not a valid duration string: \"5\""),
            ("m", "not a valid duration string: \"m\""),
            ("1.5h", "unknown unit \".\" in duration \"1.5h\""),
            ("1m1h", "not a valid duration string: \"1m1h\""),
            ("1m1m", "not a valid duration string: \"1m1m\""),
            ("300y", "duration out of range"),
            ("-1s", "not a valid duration string: \"-1s\""),
        ] {
            assert_eq!(Duration::parse(text).unwrap_err().to_string(), expected, "{text}");
        }
    }

    #[test]
    fn programs_in_go_have_no_days() {
        assert!(["10s", "1h30m", "1.5h", "0", "-5ms", "3µs"].iter().all(|text| is_go(text)));
        assert!(["1d", "", "10", "s", "1.2.3s", "-"].iter().all(|text| !is_go(text)));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(milliseconds in 0..LONGEST / MILLISECOND) {
            let span = Duration { nanoseconds: milliseconds * MILLISECOND };
            prop_assert_eq!(Duration::parse(&span.to_string()), Ok(span));
        }
    }
}
