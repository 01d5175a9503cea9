//! A host with a port.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// An address of a mail server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostPort {
    /// A name or an address.
    pub host: String,
    /// A number or a name.
    pub port: String,
}

/// A text that is no address with a port.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("address {address}: {problem}")]
pub struct NoAddress {
    address: String,
    problem: &'static str,
}

impl HostPort {
    /// Splits `host:port` and `[host]:port`.
    pub fn parse(address: &str) -> Result<Self, NoAddress> {
        let wrong = |problem| Err(NoAddress { address: address.to_owned(), problem });
        let Some(colon) = address.rfind(':') else { return wrong("missing port in address") };
        // Behind these there is no other bracket.
        let (opened, closed, host) = if address.starts_with('[') {
            let Some(end) = address.find(']') else { return wrong("missing ']' in address") };
            if end + 1 != colon {
                let goes_on = address[end + 1..].starts_with(':');
                return wrong(if goes_on { "too many colons in address" } else { "missing port in address" });
            }
            (1, colon, &address[1..end])
        } else {
            (0, 0, &address[..colon])
        };
        if opened == 0 && host.contains(':') {
            return wrong("too many colons in address");
        }
        if address[opened..].contains('[') {
            return wrong("unexpected '[' in address");
        }
        if address[closed..].contains(']') {
            return wrong("unexpected ']' in address");
        }
        Ok(Self { host: host.to_owned(), port: address[colon + 1..].to_owned() })
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.host.is_empty() && self.port.is_empty()
    }
}

impl fmt::Display for HostPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self { host, port } if host.is_empty() && port.is_empty() => Ok(()),
            Self { host, port } if host.contains(':') => write!(f, "[{host}]:{port}"),
            Self { host, port } => write!(f, "{host}:{port}"),
        }
    }
}

impl Serialize for HostPort {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for HostPort {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let address = String::deserialize(deserializer)?;
        if address.is_empty() {
            return Ok(Self::default());
        }
        let parsed = Self::parse(&address).map_err(de::Error::custom)?;
        if parsed.port.is_empty() {
            return Err(de::Error::custom(format!("address {address:?}: port cannot be empty")));
        }
        Ok(parsed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_split_at_its_last_colon() {
        for (address, host, port) in
            [("a:25", "a", "25"), ("[::1]:smtp", "::1", "smtp"), (":25", "", "25"), ("a:", "a", "")]
        {
            let parsed = HostPort::parse(address).unwrap();
            assert_eq!(parsed, HostPort { host: host.into(), port: port.into() });
            assert_eq!(parsed.to_string(), address);
        }
    }

    #[test]
    fn what_is_no_address_is_told() {
        for (address, problem) in [
            ("a", "missing port in address"),
            ("::1", "too many colons in address"),
            ("[::1]", "missing port in address"),
            ("[::1", "missing ']' in address"),
            ("[a]b:1", "missing port in address"),
            ("[a]:1:2", "too many colons in address"),
            ("a]:1", "unexpected ']' in address"),
            ("a[:1", "unexpected '[' in address"),
        ] {
            assert_eq!(
                HostPort::parse(address).unwrap_err().to_string(),
                format!("address {address}: {problem}")
            );
        }
    }
}
