//! Durations in files: `1d12h`, `30s`.

use std::fmt;

use go_syntax::duration::prometheus::{self, DisplayPrometheusDuration};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

pub use prometheus::InvalidPrometheusDuration;

/// A duration.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Duration {
    nanoseconds: i64,
}

impl Duration {
    /// Parses a duration.
    pub fn parse(text: &str) -> Result<Self, InvalidPrometheusDuration> {
        prometheus::parse(text).map(|nanoseconds| Self { nanoseconds })
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        self.nanoseconds == 0
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        DisplayPrometheusDuration(self.nanoseconds).fmt(f)
    }
}

impl Serialize for Duration {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Duration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // A field without a value is zero. An empty string is invalid.
        let text = Option::<String>::deserialize(deserializer)?;
        text.map_or(Ok(Self::default()), |text| Self::parse(&text).map_err(de::Error::custom))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::serde::{from_text, to_value};
    use crate::yaml::write;

    #[test]
    fn no_value_is_zero_and_an_empty_string_is_invalid() {
        let rewritten = |text: &str| {
            let read: Result<Duration, _> = from_text(text);
            read.map(|span| write(&to_value(&span).unwrap())).map_err(|error| error.to_string())
        };
        assert_eq!(rewritten("null"), Ok("0s\n".to_owned()));
        assert_eq!(rewritten("90m"), Ok("1h30m\n".to_owned()));
        assert_eq!(rewritten("''"), Err("empty duration string".to_owned()));
    }
}
