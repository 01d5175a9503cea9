//! Durations as Prometheus parses them, and the rule that a scrape must end before the next one begins.

use go_syntax::duration::prometheus;
use go_syntax::quoted::Quoted;

/// Why a duration is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidDuration {
    /// It cannot be parsed.
    #[error(transparent)]
    Duration(#[from] prometheus::InvalidPrometheusDuration),
    /// The interval cannot be parsed.
    #[error("invalid scrapeInterval {}: {problem}", Quoted(.text))]
    Interval {
        /// The text.
        text: String,
        /// The error.
        problem: prometheus::InvalidPrometheusDuration,
    },
    /// The timeout cannot be parsed.
    #[error("invalid scrapeTimeout: {}: {problem}", Quoted(.text))]
    Timeout {
        /// The text.
        text: String,
        /// The error.
        problem: prometheus::InvalidPrometheusDuration,
    },
    /// The timeout is longer than the interval.
    #[error("scrapeTimeout {} greater than scrapeInterval {}", Quoted(.timeout), Quoted(.interval))]
    Order {
        /// The timeout.
        timeout: String,
        /// The interval.
        interval: String,
    },
}

/// Parses a duration, in nanoseconds.
pub fn parse(text: &str) -> Result<i64, InvalidDuration> {
    Ok(prometheus::parse(text)?)
}

/// Checks an interval, if there is one.
pub fn check_interval(interval: &str) -> Result<(), InvalidDuration> {
    if interval.is_empty() { Ok(()) } else { parse_interval(interval).map(drop) }
}

fn parse_interval(interval: &str) -> Result<i64, InvalidDuration> {
    prometheus::parse(interval)
        .map_err(|problem| InvalidDuration::Interval { text: interval.to_owned(), problem })
}

/// Checks that a timeout, if there is one, is not longer than the interval. Without an interval, that of the workload
/// is used.
pub fn check_timeout(timeout: &str, interval: &str, of_workload: &str) -> Result<(), InvalidDuration> {
    if timeout.is_empty() {
        return Ok(());
    }
    let interval = if interval.is_empty() { of_workload } else { interval };
    let between = parse_interval(interval)?;
    let longest = prometheus::parse(timeout)
        .map_err(|problem| InvalidDuration::Timeout { text: timeout.to_owned(), problem })?;
    if longest > between {
        return Err(InvalidDuration::Order { timeout: timeout.to_owned(), interval: interval.to_owned() });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
