//! `host:port`, as Go splits it.

/// Why an address has no host and port.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("address {address}: {fault}")]
pub struct Invalid {
    address: String,
    fault: &'static str,
}

/// Whether an address is a host and a port. A host with colons is between brackets; either may be empty.
pub(crate) fn check(address: &str) -> Result<(), Invalid> {
    fault(address).map_or(Ok(()), |fault| Err(Invalid { address: address.to_owned(), fault }))
}

fn fault(address: &str) -> Option<&'static str> {
    const NO_PORT: Option<&str> = Some("missing port in address");
    const COLONS: Option<&str> = Some("too many colons in address");
    let Some((before, port)) = address.rsplit_once(':') else { return NO_PORT };
    let (host, after) = match address.strip_prefix('[') {
        None if before.contains(':') => return COLONS,
        None => (before, before),
        Some(open) => {
            let Some((host, after)) = open.split_once(']') else { return Some("missing ']' in address") };
            // Only the last colon may follow the bracket.
            match after.strip_prefix(':') {
                Some(rest) if rest.len() == port.len() => {}
                Some(_) => return COLONS,
                None => return NO_PORT,
            }
            (host, "")
        }
    };
    if host.contains('[') || port.contains('[') {
        return Some("unexpected '[' in address");
    }
    if after.contains(']') || port.contains(']') {
        return Some("unexpected ']' in address");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_with_a_port_are_good() {
        for address in ["a:25", ":25", "a:", "a:smtp", "[::1]:25", "[]:25", "[fe80::1%en0]:25"] {
            assert_eq!(check(address), Ok(()), "{address}");
        }
    }

    #[test]
    fn others_are_refused_as_go_does() {
        for (address, words) in [
            ("invalid", "address invalid: missing port in address"),
            ("", "address : missing port in address"),
            ("a:b:c", "address a:b:c: too many colons in address"),
            ("[::1]", "address [::1]: missing port in address"),
            ("[::1]a:1", "address [::1]a:1: missing port in address"),
            ("[::1]:1:2", "address [::1]:1:2: too many colons in address"),
            ("[::1:2", "address [::1:2: missing ']' in address"),
            ("a[b:1", "address a[b:1: unexpected '[' in address"),
            ("[a[b]:1", "address [a[b]:1: unexpected '[' in address"),
            ("a]b:1", "address a]b:1: unexpected ']' in address"),
            ("[a]:1]", "address [a]:1]: unexpected ']' in address"),
        ] {
            assert_eq!(check(address).unwrap_err().to_string(), words, "{address}");
        }
    }
}
