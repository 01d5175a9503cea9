//! `host:port`, as Go splits it (`net.SplitHostPort`).

/// Why an address cannot be split into host and port.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{fault}", shown(address))]
pub struct InvalidHostPort {
    /// The address.
    pub address: String,
    /// What is wrong with it.
    pub fault: HostPortFault,
}

/// What can be wrong with an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HostPortFault {
    /// There is no colon before a port, or something is between the closing bracket and the colon.
    #[error("missing port in address")]
    NoPort,
    /// A host with colons is not in brackets.
    #[error("too many colons in address")]
    Colons,
    /// A bracket is not closed.
    #[error("missing ']' in address")]
    OpenBracket,
    /// An opening bracket is inside the host or the port.
    #[error("unexpected '[' in address")]
    Opening,
    /// A closing bracket has no opening bracket.
    #[error("unexpected ']' in address")]
    Closing,
}

/// Splits an address into host and port. Brackets around a host with colons are removed. Either part can be empty.
pub fn split(address: &str) -> Result<(&str, &str), InvalidHostPort> {
    parts(address).map_err(|fault| InvalidHostPort { address: address.to_owned(), fault })
}

/// Go omits an empty address.
fn shown(address: &str) -> String {
    if address.is_empty() { String::new() } else { format!("address {address}: ") }
}

fn parts(address: &str) -> Result<(&str, &str), HostPortFault> {
    let (before, port) = address.rsplit_once(':').ok_or(HostPortFault::NoPort)?;
    let (host, after) = match address.strip_prefix('[') {
        None if before.contains(':') => return Err(HostPortFault::Colons),
        None => (before, before),
        Some(open) => {
            let (host, after) = open.split_once(']').ok_or(HostPortFault::OpenBracket)?;
            // Only the last colon may follow the closing bracket.
            match after.strip_prefix(':') {
                Some(rest) if rest.len() == port.len() => {}
                Some(_) => return Err(HostPortFault::Colons),
                None => return Err(HostPortFault::NoPort),
            }
            (host, "")
        }
    };
    if host.contains('[') || port.contains('[') {
        return Err(HostPortFault::Opening);
    }
    if after.contains(']') || port.contains(']') {
        return Err(HostPortFault::Closing);
    }
    Ok((host, port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_split_at_its_last_colon() {
        for (address, host, port) in [
            ("a:25", "a", "25"),
            (":25", "", "25"),
            ("a:", "a", ""),
            ("a:smtp", "a", "smtp"),
            ("[::1]:smtp", "::1", "smtp"),
            ("[]:25", "", "25"),
            ("[fe80::1%en0]:25", "fe80::1%en0", "25"),
        ] {
            assert_eq!(split(address), Ok((host, port)), "{address}");
        }
    }

    #[test]
    fn invalid_addresses_are_rejected_as_in_go() {
        for (address, message) in [
            ("invalid", "missing port in address"),
            ("::1", "too many colons in address"),
            ("a:b:c", "too many colons in address"),
            ("[::1]", "missing port in address"),
            ("[::1", "missing ']' in address"),
            ("[::1]a:1", "missing port in address"),
            ("[::1]:1:2", "too many colons in address"),
            ("[::1:2", "missing ']' in address"),
            ("a[b:1", "unexpected '[' in address"),
            ("a[:1", "unexpected '[' in address"),
            ("[a[b]:1", "unexpected '[' in address"),
            ("a]b:1", "unexpected ']' in address"),
            ("a]:1", "unexpected ']' in address"),
            ("[a]:1]", "unexpected ']' in address"),
        ] {
            assert_eq!(split(address).unwrap_err().to_string(), format!("address {address}: {message}"));
        }
        assert_eq!(split("").unwrap_err().to_string(), "missing port in address");
    }
}
