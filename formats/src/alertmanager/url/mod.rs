//! Addresses on the web, read and written as the programs do that users come from: what they take is taken, what they
//! refuse is refused in the same words.
//!
//! | file | owns |
//! |---|---|
//! | `parse` | text to parts |
//! | `escape` | which letters stand for themselves in which part |
//! | `check` | what an address must be where one is asked for |

mod check;
mod escape;
mod parse;

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

pub(super) use check::check_web;
pub use check::{check, check_secret, check_template};
use escape::{Part, escape};
pub use parse::BadUrl;

/// An address, in parts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Url {
    scheme: String,
    /// What follows a scheme without a slash.
    opaque: String,
    user: Option<User>,
    host: Vec<u8>,
    /// There is a path behind the scheme, and no host.
    omits_host: bool,
    path: Escaped,
    /// There is a question mark with nothing behind it.
    has_empty_query: bool,
    query: String,
    fragment: Escaped,
}

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
struct User {
    name: Vec<u8>,
    password: Option<Vec<u8>>,
}

/// A part as it was written, and what it means.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Escaped {
    written: String,
    meant: Vec<u8>,
}

impl Url {
    /// Reads an address.
    pub fn parse(text: &str) -> Result<Self, BadUrl> {
        parse::parse(text)
    }

    /// `http`, for example.
    pub fn scheme(&self) -> &str {
        &self.scheme
    }

    /// Whether it names a host.
    pub fn has_host(&self) -> bool {
        !self.host.is_empty()
    }

    /// The same with another word in place of the password.
    #[must_use]
    pub fn redacted(&self) -> Self {
        let user =
            self.user.clone().map(|user| User { password: user.password.map(|_| b"xxxxx".to_vec()), ..user });
        Self { user, ..self.clone() }
    }

    fn has_authority(&self) -> bool {
        let has_any = !self.scheme.is_empty() || self.has_host() || self.user.is_some();
        has_any && (!self.omits_host || self.has_host() || self.user.is_some())
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.scheme.is_empty() {
            write!(f, "{}:", self.scheme)?;
        }
        if self.opaque.is_empty() {
            if self.has_authority() {
                if self.has_host() || !self.path.meant.is_empty() || self.user.is_some() {
                    f.write_str("//")?;
                }
                if let Some(user) = &self.user {
                    f.write_str(&escape(&user.name, Part::User))?;
                    if let Some(password) = &user.password {
                        write!(f, ":{}", escape(password, Part::User))?;
                    }
                    f.write_str("@")?;
                }
                f.write_str(&escape(&self.host, Part::Host))?;
            }
            let path = self.path.escaped(Part::Path);
            if !path.is_empty() && !path.starts_with('/') && self.has_host() {
                f.write_str("/")?;
            }
            let is_bare = self.scheme.is_empty() && !self.has_authority();
            if is_bare && path.split('/').next().is_some_and(|segment| segment.contains(':')) {
                f.write_str("./")?;
            }
            f.write_str(&path)?;
        } else {
            f.write_str(&self.opaque)?;
        }
        if self.has_empty_query || !self.query.is_empty() {
            write!(f, "?{}", self.query)?;
        }
        if !self.fragment.meant.is_empty() {
            write!(f, "#{}", self.fragment.escaped(Part::Fragment))?;
        }
        Ok(())
    }
}

impl Escaped {
    /// As it was written, if that can be written; else escaped anew.
    fn escaped(&self, part: Part) -> String {
        if self.meant == b"*" || escape::is_valid(&self.written, part) {
            self.written.clone()
        } else {
            escape(&self.meant, part)
        }
    }
}

impl Serialize for Url {
    /// A password is not written: that is how the library writes addresses with which the peer writes its file.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.redacted())
    }
}

impl<'de> Deserialize<'de> for Url {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_written_is_normal() {
        for (text, expected) in [
            ("HTTP://Example.com", "http://Example.com"),
            ("http://a/b c", "http://a/b%20c"),
            ("http://a/b%2fc", "http://a/b%2fc"),
            ("http://a/é", "http://a/%C3%A9"),
            ("http://a?", "http://a?"),
            ("http://a/?q=a b#f g", "http://a/?q=a b#f%20g"),
            ("http://u:p@a:80/", "http://u:p@a:80/"),
            ("http://u@[::1]:80/x", "http://u@[::1]:80/x"),
            ("mailto:a@b", "mailto:a@b"),
            ("/a:b", "/a:b"),
            ("a/b:c", "a/b:c"),
            ("file:/a", "file:/a"),
            ("file:///a", "file:///a"),
            ("", ""),
            ("*", "*"),
            ("http://a#", "http://a"),
        ] {
            assert_eq!(Url::parse(text).unwrap().to_string(), expected, "{text:?}");
        }
    }

    #[test]
    fn what_is_wrong_is_told() {
        for (text, expected) in [
            ("://a", "parse \"://a\": missing protocol scheme"),
            ("http://a:b", "parse \"http://a:b\": invalid port \":b\" after host"),
            ("http://a/%zz", "parse \"http://a/%zz\": invalid URL escape \"%zz\""),
            ("http://a b", "parse \"http://a b\": invalid character \" \" in host name"),
            ("http://[::1", "parse \"http://[::1\": missing ']' in host"),
            ("a:b\n", "parse \"a:b\\n\": net/url: invalid control character in URL"),
            ("1:2", "parse \"1:2\": first path segment in URL cannot contain colon"),
            ("http://a\\b@c", "parse \"http://a\\\\b@c\": net/url: invalid userinfo"),
            ("http://a:1:2", "parse \"http://a:1:2\": invalid port \":1:2\" after host"),
        ] {
            assert_eq!(Url::parse(text).unwrap_err().to_string(), expected);
        }
    }

    #[test]
    fn a_password_can_be_hidden() {
        let url = Url::parse("http://u:p@a/x").unwrap();
        assert_eq!(url.redacted().to_string(), "http://u:xxxxx@a/x");
        assert_eq!(Url::parse("http://u@a/x").unwrap().redacted().to_string(), "http://u@a/x");
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(text in "(https?://)?[a-z%:@/?#. é\\[\\]]{0,20}") {
            if let Ok(url) = Url::parse(&text) {
                let written = url.to_string();
                prop_assert_eq!(Url::parse(&written).map(|again| again.to_string()), Ok(written));
            }
        }
    }
}
