//! A host with a port.

use std::fmt;

use go_syntax::host_port::{self, InvalidHostPort};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The address of a mail server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostPort {
    /// A name or an IP address.
    pub host: String,
    /// A number or a name.
    pub port: String,
}

impl HostPort {
    /// Splits `host:port` and `[host]:port`.
    pub fn parse(address: &str) -> Result<Self, InvalidHostPort> {
        let (host, port) = host_port::split(address)?;
        Ok(Self { host: host.to_owned(), port: port.to_owned() })
    }

    /// Whether neither a host nor a port is set.
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
    fn a_parsed_address_is_written_unchanged() {
        for (address, host, port) in
            [("a:25", "a", "25"), ("[::1]:smtp", "::1", "smtp"), (":25", "", "25"), ("a:", "a", "")]
        {
            let parsed = HostPort::parse(address).unwrap();
            assert_eq!(parsed, HostPort { host: host.into(), port: port.into() });
            assert_eq!(parsed.to_string(), address);
        }
    }
}
