//! Web URLs.
//!
//! | file | contents |
//! |---|---|
//! | `check` | checks of fields that contain URLs |

mod check;

use std::fmt;

use go_syntax::url::{self, InvalidUrl};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

pub(super) use check::{HIDDEN, check_web};
pub use check::{check, check_secret, check_template};

/// A URL in a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Url(url::Url);

impl Url {
    /// Parses a URL.
    pub fn parse(text: &str) -> Result<Self, InvalidUrl> {
        url::Url::parse(text).map(Self)
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Url {
    /// A password is not written, because the Go library that the Prometheus Operator uses for URLs does not write it
    /// either.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0.redacted())
    }
}

impl<'de> Deserialize<'de> for Url {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::serde::{from_text, to_value};
    use crate::yaml::write;

    #[test]
    fn passwords_are_redacted() {
        for (text, written) in [
            ("HTTP://u:p@a/x", "http://u:xxxxx@a/x"),
            ("http://u@a/x", "http://u@a/x"),
            ("http://a/b c", "http://a/b%20c"),
        ] {
            let url: Url = from_text(text).unwrap();
            assert_eq!(write(&to_value(&url).unwrap()), format!("{written}\n"));
        }
    }
}
