//! `host:port`, as Go splits it (`net.SplitHostPort`).

/// Why an address has no host and port.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{fault}", shown(address))]
pub struct Invalid {
    /// The address.
    pub address: String,
    /// What is wrong with it.
    pub fault: Fault,
}

/// What can be wrong with an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// There is no colon, or something between a bracket and it.
    #[error("missing port in address")]
    NoPort,
    /// A host with colons is not between brackets.
    #[error("too many colons in address")]
    Colons,
    /// A bracket is not closed.
    #[error("missing ']' in address")]
    OpenBracket,
    /// A bracket opens in a host or a port.
    #[error("unexpected '[' in address")]
    Opening,
    /// A bracket closes where none was opened.
    #[error("unexpected ']' in address")]
    Closing,
}

/// Host and port. A host with colons is between brackets, which are left out; either may be empty.
pub fn split(address: &str) -> Result<(&str, &str), Invalid> {
    parts(address).map_err(|fault| Invalid { address: address.to_owned(), fault })
}

/// An empty address is not shown.
fn shown(address: &str) -> String {
    if address.is_empty() { String::new() } else { format!("address {address}: ") }
}

fn parts(address: &str) -> Result<(&str, &str), Fault> {
    let (before, port) = address.rsplit_once(':').ok_or(Fault::NoPort)?;
    let (host, after) = match address.strip_prefix('[') {
        None if before.contains(':') => return Err(Fault::Colons),
        None => (before, before),
        Some(open) => {
            let (host, after) = open.split_once(']').ok_or(Fault::OpenBracket)?;
            // Only the last colon may follow the bracket.
            match after.strip_prefix(':') {
                Some(rest) if rest.len() == port.len() => {}
                Some(_) => return Err(Fault::Colons),
                None => return Err(Fault::NoPort),
            }
            (host, "")
        }
    };
    if host.contains('[') || port.contains('[') {
        return Err(Fault::Opening);
    }
    if after.contains(']') || port.contains(']') {
        return Err(Fault::Closing);
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
    fn others_are_refused_as_go_does() {
        for (address, words) in [
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
            assert_eq!(split(address).unwrap_err().to_string(), format!("address {address}: {words}"));
        }
        assert_eq!(split("").unwrap_err().to_string(), "missing port in address");
    }
}
