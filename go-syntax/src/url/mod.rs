//! Addresses as Go reads and writes them (`net/url`): it takes nearly everything.
//!
//! | file | owns |
//! |---|---|
//! | `parse` | text to parts |
//! | `escape` | which letters stand for themselves in which part |

mod escape;
mod parse;
#[cfg(test)]
mod tests;

use std::fmt;

use crate::quoted::{Quoted, QuotedBytes};
use escape::{Part, escape};

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
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        parse::parse(text)
    }

    /// `http` and the like, in small letters; empty, if there is none.
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

/// Why an address is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("parse {}: {fault}", Quoted(.text))]
pub struct Invalid {
    /// The address.
    pub text: String,
    /// What is wrong with it.
    pub fault: Fault,
}

/// What can be wrong with an address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It holds a character that cannot be seen.
    #[error("net/url: invalid control character in URL")]
    ControlCharacter,
    /// It begins with a colon.
    #[error("missing protocol scheme")]
    NoScheme,
    /// What should be the scheme is none.
    #[error("first path segment in URL cannot contain colon")]
    ColonInPath,
    /// The name of the user holds characters that it must not.
    #[error("net/url: invalid userinfo")]
    User,
    /// Brackets are not around the whole host.
    #[error("invalid IP-literal")]
    Literal,
    /// A bracket is not closed.
    #[error("missing ']' in host")]
    OpenBracket,
    /// The port is no number.
    #[error("invalid port {} after host", Quoted(.0))]
    Port(String),
    /// What is between brackets is no address.
    #[error("invalid host: ParseAddr({}): unable to parse IP", QuotedBytes(.0))]
    Address(Vec<u8>),
    /// The host holds a character that it must not.
    #[error("invalid character {} in host name", Quoted(.0.encode_utf8(&mut [0; 4])))]
    Character(char),
    /// A percent sign is not followed by two digits, or by such as may not be there.
    #[error("invalid URL escape {}", QuotedBytes(.0))]
    Escape(Vec<u8>),
}
