//! Durations as Prometheus reads them, and the rule that a scrape must end before the next one begins.

use go_syntax::duration::prometheus;
use go_syntax::quoted::Quoted;

/// Why a duration is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Invalid {
    /// It is none.
    #[error(transparent)]
    Duration(#[from] prometheus::Invalid),
    /// The interval cannot be read.
    #[error("invalid scrapeInterval {}: {problem}", Quoted(.text))]
    Interval {
        /// What is written.
        text: String,
        /// What is wrong with it.
        problem: prometheus::Invalid,
    },
    /// The timeout cannot be read.
    #[error("invalid scrapeTimeout: {}: {problem}", Quoted(.text))]
    Timeout {
        /// What is written.
        text: String,
        /// What is wrong with it.
        problem: prometheus::Invalid,
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
pub fn parse(text: &str) -> Result<i64, Invalid> {
    Ok(prometheus::parse(text)?)
}

/// An interval, if one is given, must be a duration.
pub fn check_interval(interval: &str) -> Result<(), Invalid> {
    if interval.is_empty() {
        return Ok(());
    }
    let wrong = |problem| Invalid::Interval { text: interval.to_owned(), problem };
    prometheus::parse(interval).map(drop).map_err(wrong)
}

/// A scrape must end before the next one begins. Says nothing without a timeout; without an interval of its own, that of
/// the workload counts.
pub fn check_timeout(timeout: &str, interval: &str, of_workload: &str) -> Result<(), Invalid> {
    if timeout.is_empty() {
        return Ok(());
    }
    let interval = if interval.is_empty() { of_workload } else { interval };
    let between = prometheus::parse(interval)
        .map_err(|problem| Invalid::Interval { text: interval.to_owned(), problem })?;
    let longest = prometheus::parse(timeout)
        .map_err(|problem| Invalid::Timeout { text: timeout.to_owned(), problem })?;
    if longest > between {
        return Err(Invalid::Order { timeout: timeout.to_owned(), interval: interval.to_owned() });
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
