//! URLs as Go parses and formats them (`net/url`). Nearly every text is accepted.
//!
//! | file | contents |
//! |---|---|
//! | `parse` | parsing |
//! | `escape` | escaping |

mod escape;
mod parse;
#[cfg(test)]
mod tests;

use std::fmt;

use crate::quoted::{Quoted, QuotedBytes};
use escape::{Part, escape};

/// A URL.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Url {
    scheme: String,
    /// The text after a scheme without a slash.
    opaque: String,
    user: Option<User>,
    host: Vec<u8>,
    /// There is a scheme and a path, but no host.
    omits_host: bool,
    path: Escaped,
    /// There is a question mark with nothing after it.
    has_empty_query: bool,
    query: String,
    fragment: Escaped,
}

/// The user information.
#[derive(Debug, Clone, PartialEq, Eq)]
struct User {
    name: Vec<u8>,
    password: Option<Vec<u8>>,
}

/// A part of a URL as it was written, and its unescaped value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Escaped {
    written: String,
    value: Vec<u8>,
}

impl Url {
    /// Parses a URL.
    pub fn parse(text: &str) -> Result<Self, InvalidUrl> {
        parse::parse(text)
    }

    /// `http` and the like, in lower case. Empty if there is none.
    pub fn scheme(&self) -> &str {
        &self.scheme
    }

    /// Whether there is a host.
    pub fn has_host(&self) -> bool {
        !self.host.is_empty()
    }

    /// The same URL with a placeholder for the password.
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
                if self.has_host() || !self.path.value.is_empty() || self.user.is_some() {
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
        if !self.fragment.value.is_empty() {
            write!(f, "#{}", self.fragment.escaped(Part::Fragment))?;
        }
        Ok(())
    }
}

impl Escaped {
    /// The original text if its escaping is valid, else the value with new escaping.
    fn escaped(&self, part: Part) -> String {
        if self.value == b"*" || escape::is_valid(&self.written, part) {
            self.written.clone()
        } else {
            escape(&self.value, part)
        }
    }
}

/// Why a URL is rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("parse {}: {fault}", Quoted(.text))]
pub struct InvalidUrl {
    /// The URL.
    pub text: String,
    /// What is wrong with it.
    pub fault: UrlFault,
}

/// What can be wrong with a URL.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UrlFault {
    /// It contains a control character.
    #[error("net/url: invalid control character in URL")]
    ControlCharacter,
    /// It starts with a colon.
    #[error("missing protocol scheme")]
    NoScheme,
    /// The text before the first colon is not a scheme.
    #[error("first path segment in URL cannot contain colon")]
    ColonInPath,
    /// The user information contains an invalid character.
    #[error("net/url: invalid userinfo")]
    User,
    /// The brackets do not enclose the whole host.
    #[error("invalid IP-literal")]
    Literal,
    /// A bracket is not closed.
    #[error("missing ']' in host")]
    OpenBracket,
    /// The port is not a number.
    #[error("invalid port {} after host", Quoted(.0))]
    Port(String),
    /// The text in brackets is not an IP address.
    #[error("invalid host: ParseAddr({}): unable to parse IP", QuotedBytes(.0))]
    Address(Vec<u8>),
    /// The host contains an invalid character.
    #[error("invalid character {} in host name", Quoted(.0.encode_utf8(&mut [0; 4])))]
    Character(char),
    /// A percent sign is not followed by two digits, or the byte is not allowed there.
    #[error("invalid URL escape {}", QuotedBytes(.0))]
    Escape(Vec<u8>),
}
