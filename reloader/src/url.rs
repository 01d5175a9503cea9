//! Parses the URLs of requests. Pure.

use std::fmt;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::Uri;

/// A URL; displayed without its credentials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Url {
    /// Whether it uses TLS.
    pub secure: bool,
    /// The host name or IP address, without brackets.
    pub host: String,
    /// The port.
    pub port: u16,
    /// Host and port as in the URL, for the header `Host`.
    pub authority: String,
    /// The path and the query.
    pub target: String,
    /// The value of the header `Authorization`, if the URL contains a user.
    pub authorization: Option<String>,
}

impl Url {
    /// Parses an `http` or `https` URL.
    pub fn parse(text: &str) -> Option<Self> {
        let uri: Uri = text.parse().ok()?;
        let secure = match uri.scheme_str()? {
            "http" => false,
            "https" => true,
            _ => return None,
        };
        let authority = uri.authority()?;
        let (user, host_and_port) = match authority.as_str().rsplit_once('@') {
            Some((user, host_and_port)) => (Some(user), host_and_port),
            None => (None, authority.as_str()),
        };
        let host = authority.host().trim_start_matches('[').trim_end_matches(']');
        if host.is_empty() {
            return None;
        }
        let target = uri.path_and_query().map_or("/", |target| target.as_str());
        Some(Self {
            secure,
            host: host.into(),
            port: authority.port_u16().unwrap_or(if secure { 443 } else { 80 }),
            authority: host_and_port.into(),
            target: target.into(),
            authorization: user.map(basic),
        })
    }
}

impl fmt::Display for Url {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.secure { "https" } else { "http" };
        write!(formatter, "{scheme}://{}{}", self.authority, self.target)
    }
}

fn basic(user: &str) -> String {
    let pair = if user.contains(':') { decode(user) } else { [decode(user), b":".to_vec()].concat() };
    format!("Basic {}", BASE64_STANDARD.encode(pair))
}

/// Decodes percent-encoding: `%41` is `A`.
fn decode(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let number = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match number.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) if *first == b'%' => {
                bytes.push(byte);
                rest = &after[2..];
            }
            Some(_) | None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_parsed() {
        assert_eq!(
            Url::parse("https://me:p%40ss@[::1]:9090/x/-/reload?a=b"),
            Some(Url {
                secure: true,
                host: "::1".into(),
                port: 9090,
                authority: "[::1]:9090".into(),
                target: "/x/-/reload?a=b".into(),
                authorization: Some("Basic bWU6cEBzcw==".into()),
            })
        );
        let plain = Url::parse("http://localhost").unwrap();
        assert_eq!((plain.port, plain.target.as_str(), plain.authorization), (80, "/", None));
        assert_eq!(Url::parse("https://localhost/").unwrap().port, 443);
    }

    #[test]
    fn a_url_is_displayed_without_credentials() {
        let url = Url::parse("http://me:secret@prometheus:9090/-/reload").unwrap();
        assert_eq!(url.to_string(), "http://prometheus:9090/-/reload");
    }

    #[test]
    fn anything_else_is_not_a_url() {
        for text in ["", "localhost:9090", "/-/reload", "ftp://a/", "http://", "http:///x", "http://a b/"] {
            assert_eq!(Url::parse(text), None, "{text}");
        }
    }
}
