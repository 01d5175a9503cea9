//! Durations as Prometheus reads them, and the rule that a scrape must end before the next one begins.

use formats::quoted::Quoted;

/// Units from the largest to the smallest, with nanoseconds. They must come in this order.
const UNITS: [(&str, u64); 7] = [
    ("y", 365 * 24 * HOUR),
    ("w", 7 * 24 * HOUR),
    ("d", 24 * HOUR),
    ("h", HOUR),
    ("m", 60 * SECOND),
    ("s", SECOND),
    ("ms", SECOND / 1000),
];
const SECOND: u64 = 1_000_000_000;
const HOUR: u64 = 3600 * SECOND;

/// The longest duration: about 292 years.
const LONGEST: u64 = i64::MAX as u64;

/// Why a duration is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Invalid {
    /// Nothing is written.
    #[error("empty duration string")]
    Empty,
    /// It is not a row of numbers with units, from the largest unit to the smallest.
    #[error("not a valid duration string: {}", Quoted(.0))]
    Syntax(String),
    /// There is no such unit.
    #[error("unknown unit {} in duration {}", Quoted(.unit), Quoted(.text))]
    Unit {
        /// What stands in place of a unit.
        unit: String,
        /// The whole duration.
        text: String,
    },
    /// It is longer than 292 years.
    #[error("duration out of range")]
    TooLong,
    /// The interval cannot be read.
    #[error("invalid scrapeInterval {}: {problem}", Quoted(.text))]
    Interval {
        /// What is written.
        text: String,
        /// What is wrong with it.
        problem: Box<Invalid>,
    },
    /// The timeout cannot be read.
    #[error("invalid scrapeTimeout: {}: {problem}", Quoted(.text))]
    Timeout {
        /// What is written.
        text: String,
        /// What is wrong with it.
        problem: Box<Invalid>,
    },
    /// A scrape could last until after the next one has begun.
    #[error("scrapeTimeout {} greater than scrapeInterval {}", Quoted(.timeout), Quoted(.interval))]
    Order {
        /// The timeout.
        timeout: String,
        /// The interval.
        interval: String,
    },
}

/// Reads a duration, as nanoseconds.
pub fn parse(text: &str) -> Result<u64, Invalid> {
    match text {
        "0" => return Ok(0),
        "" => return Err(Invalid::Empty),
        _ => {}
    }
    let syntax = || Invalid::Syntax(text.to_owned());
    let mut rest = text;
    let mut sum = 0_u64;
    let mut units = UNITS.as_slice();
    while !rest.is_empty() {
        let (number, after) = split(rest, |byte| byte.is_ascii_digit());
        let number: u64 = number.parse().map_err(|_| syntax())?;
        let (unit, after) = split(after, |byte| !byte.is_ascii_digit());
        if unit.is_empty() {
            return Err(syntax());
        }
        if UNITS.iter().all(|(name, _)| *name != unit) {
            return Err(Invalid::Unit { unit: unit.to_owned(), text: text.to_owned() });
        }
        let place = units.iter().position(|(name, _)| *name == unit).ok_or_else(syntax)?;
        let length = units[place].1;
        units = &units[place + 1..];
        let part = number.checked_mul(length).filter(|part| *part <= LONGEST + 1).ok_or(Invalid::TooLong)?;
        sum = sum.checked_add(part).filter(|sum| *sum <= LONGEST).ok_or(Invalid::TooLong)?;
        rest = after;
    }
    Ok(sum)
}

/// An interval, if one is given, must be a duration.
pub fn check_interval(interval: &str) -> Result<(), Invalid> {
    if interval.is_empty() {
        return Ok(());
    }
    let wrong = |problem| Invalid::Interval { text: interval.to_owned(), problem: Box::new(problem) };
    parse(interval).map(drop).map_err(wrong)
}

/// A scrape must end before the next one begins. Says nothing without a timeout; without an interval of its own, that of
/// the workload counts.
pub fn check_timeout(timeout: &str, interval: &str, of_workload: &str) -> Result<(), Invalid> {
    if timeout.is_empty() {
        return Ok(());
    }
    let interval = if interval.is_empty() { of_workload } else { interval };
    let between = parse(interval)
        .map_err(|problem| Invalid::Interval { text: interval.to_owned(), problem: Box::new(problem) })?;
    let longest = parse(timeout)
        .map_err(|problem| Invalid::Timeout { text: timeout.to_owned(), problem: Box::new(problem) })?;
    if longest > between {
        return Err(Invalid::Order { timeout: timeout.to_owned(), interval: interval.to_owned() });
    }
    Ok(())
}

/// The beginning of a text as far as its bytes are of a kind, and the rest.
fn split(text: &str, is: impl Fn(u8) -> bool) -> (&str, &str) {
    text.split_at(text.bytes().position(|byte| !is(byte)).unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_prometheus_reads_is_read() {
        for (text, seconds) in
            [("0", 0), ("0s", 0), ("30s", 30), ("1h30m", 5400), ("1d", 86_400), ("1w1d", 8 * 86_400)]
        {
            assert_eq!(parse(text), Ok(seconds * SECOND), "{text}");
        }
        assert_eq!(parse("1500ms"), Ok(3 * SECOND / 2));
        assert_eq!(parse("292y"), Ok(292 * 365 * 24 * HOUR));
    }

    #[test]
    fn what_it_does_not_read_is_named() {
        for (text, words) in [
            ("", "empty duration string"),
            ("1", r#"not a valid duration string: "1""#),
            ("s", r#"not a valid duration string: "s""#),
            ("-1s", r#"not a valid duration string: "-1s""#),
            ("1m1d", r#"not a valid duration string: "1m1d""#),
            ("1s1s", r#"not a valid duration string: "1s1s""#),
            ("99999999999999999999s", r#"not a valid duration string: "99999999999999999999s""#),
            ("1.5h", r#"unknown unit "." in duration "1.5h""#),
            ("3 s", r#"unknown unit " s" in duration "3 s""#),
            ("1µs", r#"unknown unit "µs" in duration "1µs""#),
            ("293y", "duration out of range"),
            ("292y52w", "duration out of range"),
            ("10000000000s", "duration out of range"),
        ] {
            assert_eq!(parse(text).unwrap_err().to_string(), words, "{text}");
        }
    }

    #[test]
    fn a_timeout_is_not_longer_than_the_interval() {
        assert_eq!(check_timeout("", "nonsense", ""), Ok(()));
        assert_eq!(check_timeout("30s", "", "30s"), Ok(()));
        for (timeout, interval, of_workload, words) in [
            ("31s", "30s", "1h", r#"scrapeTimeout "31s" greater than scrapeInterval "30s""#),
            ("31s", "", "30s", r#"scrapeTimeout "31s" greater than scrapeInterval "30s""#),
            ("31s", "", "", r#"invalid scrapeInterval "": empty duration string"#),
            ("x", "30s", "", r#"invalid scrapeTimeout: "x": not a valid duration string: "x""#),
        ] {
            assert_eq!(check_timeout(timeout, interval, of_workload).unwrap_err().to_string(), words);
        }
    }

    proptest! {
        #[test]
        fn nothing_makes_it_panic(text in "[0-9ywdhms ]{0,24}") {
            if let Ok(length) = parse(&text) {
                prop_assert!(length <= LONGEST);
            }
        }
    }
}
