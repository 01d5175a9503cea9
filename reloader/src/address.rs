//! Addresses behind a name, in the order in which they are tried.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs as _};

/// Those of a name or number, without brackets. `localhost` is known without asking: an image without a C library has
/// nobody to ask.
pub(crate) fn find(host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
    if host == "localhost" {
        return Ok(vec![(Ipv4Addr::LOCALHOST, port).into(), (Ipv6Addr::LOCALHOST, port).into()]);
    }
    Ok(ordered((host, port).to_socket_addrs()?.collect()))
}

/// A server takes the first one, and everybody looks for it at the IPv4 address, where the peer's is.
fn ordered(mut addresses: Vec<SocketAddr>) -> Vec<SocketAddr> {
    addresses.sort_by_key(SocketAddr::is_ipv6);
    addresses
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(texts: &[&str]) -> Vec<SocketAddr> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    #[test]
    fn ipv4_comes_first_and_otherwise_the_order_stays() {
        assert_eq!(find("localhost", 80).unwrap(), addresses(&["127.0.0.1:80", "[::1]:80"]));
        assert_eq!(find("::1", 80).unwrap(), addresses(&["[::1]:80"]));
        let found = addresses(&["[fd00::2]:80", "10.0.0.2:80", "[fd00::1]:80", "10.0.0.1:80"]);
        let wanted = addresses(&["10.0.0.2:80", "10.0.0.1:80", "[fd00::2]:80", "[fd00::1]:80"]);
        assert_eq!(ordered(found), wanted);
    }
}
