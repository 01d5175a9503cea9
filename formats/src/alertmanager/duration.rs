//! Spans of time in files: `1d12h`, `30s`.

use std::fmt;

use go_syntax::duration::prometheus::{self, Written};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

pub use prometheus::Invalid as BadDuration;

/// A span of time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Duration {
    nanoseconds: i64,
}

impl Duration {
    /// Reads a span of time.
    pub fn parse(text: &str) -> Result<Self, BadDuration> {
        prometheus::parse(text).map(|nanoseconds| Self { nanoseconds })
    }

    /// Whether it is no time at all.
    pub fn is_zero(&self) -> bool {
        self.nanoseconds == 0
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Written(self.nanoseconds).fmt(f)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::serde::{from_text, to_value};
    use crate::yaml::write;

    #[test]
    fn nothing_is_no_time_at_all_and_an_empty_text_is_none() {
        let again = |text: &str| {
            let read: Result<Duration, _> = from_text(text);
            read.map(|span| write(&to_value(&span).unwrap())).map_err(|error| error.to_string())
        };
        assert_eq!(again("null"), Ok("0s\n".to_owned()));
        assert_eq!(again("90m"), Ok("1h30m\n".to_owned()));
        assert_eq!(again("''"), Err("empty duration string".to_owned()));
    }
}
