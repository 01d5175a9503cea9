//! Resolves host names to addresses, in the order in which they are tried.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs as _};

/// The addresses of a host name or of an IP address without brackets. `localhost` is built in, because an image without
/// a C library cannot resolve it.
pub(crate) fn resolve(host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
    if host == "localhost" {
        return Ok(vec![(Ipv4Addr::LOCALHOST, port).into(), (Ipv6Addr::LOCALHOST, port).into()]);
    }
    Ok(ipv4_first((host, port).to_socket_addrs()?.collect()))
}

/// A server listens on the first one. Clients expect the IPv4 address, which the peer uses.
fn ipv4_first(mut addresses: Vec<SocketAddr>) -> Vec<SocketAddr> {
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
    fn ipv4_addresses_come_first() {
        assert_eq!(resolve("localhost", 80).unwrap(), addresses(&["127.0.0.1:80", "[::1]:80"]));
        assert_eq!(resolve("::1", 80).unwrap(), addresses(&["[::1]:80"]));
        let found = addresses(&["[fd00::2]:80", "10.0.0.2:80", "[fd00::1]:80", "10.0.0.1:80"]);
        let wanted = addresses(&["10.0.0.2:80", "10.0.0.1:80", "[fd00::2]:80", "[fd00::1]:80"]);
        assert_eq!(ipv4_first(found), wanted);
    }
}
