//! Addresses to listen on, in the syntax of Go: `:8080`, `localhost:8080`, `[::1]:8080`.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use go_syntax::host_port;
use tokio::net::{TcpListener, lookup_host};

/// Why the server cannot listen.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// The address has no host and port.
    #[error(
        "cannot listen on \"{address}\": write it as host:port, or :port for all addresses of the machine"
    )]
    Address {
        /// The address.
        address: String,
        /// The cause.
        source: host_port::InvalidHostPort,
    },
    /// The port is not a number.
    #[error("cannot listen on \"{0}\": the port must be a number up to 65535")]
    Port(String),
    /// The host cannot be resolved.
    #[error("cannot listen on \"{0}\": cannot resolve the host")]
    Host(String, #[source] io::Error),
    /// The port is in use, or needs privileges.
    #[error("cannot listen on \"{0}\"")]
    Bind(String, #[source] io::Error),
}

/// Listens on an address. Without a host, on all addresses of the machine, of both families.
pub async fn listen(address: &str) -> Result<TcpListener, ListenError> {
    let (host, port) = split(address)?;
    let bound = if everywhere(host) {
        bind_everywhere(port).await
    } else {
        let found = lookup_host((host, port)).await;
        let found = found.map_err(|error| ListenError::Host(address.to_owned(), error))?;
        TcpListener::bind(preferred(found).as_slice()).await
    };
    bound.map_err(|error| ListenError::Bind(address.to_owned(), error))
}

fn split(address: &str) -> Result<(&str, u16), ListenError> {
    let (host, port) = host_port::split(address)
        .map_err(|source| ListenError::Address { address: address.to_owned(), source })?;
    let port = match port {
        "" => 0,
        "http" => 80,
        "https" => 443,
        number => number.parse().map_err(|_| ListenError::Port(address.to_owned()))?,
    };
    Ok((host, port))
}

/// In Go, no host and the unspecified address of either family are the same.
fn everywhere(host: &str) -> bool {
    host.is_empty() || host.parse::<IpAddr>().is_ok_and(|address| address.is_unspecified())
}

/// The unspecified address of IPv6 accepts connections of both families, on a machine with IPv6.
async fn bind_everywhere(port: u16) -> io::Result<TcpListener> {
    let both =
        [SocketAddr::from((Ipv6Addr::UNSPECIFIED, port)), SocketAddr::from((Ipv4Addr::UNSPECIFIED, port))];
    TcpListener::bind(both.as_slice()).await
}

/// A name may have addresses of both families: as in Go, IPv4 is preferred.
fn preferred(found: impl Iterator<Item = SocketAddr>) -> Vec<SocketAddr> {
    let mut found: Vec<SocketAddr> = found.collect();
    found.sort_by_key(SocketAddr::is_ipv6);
    found
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpStream;

    use super::*;

    #[tokio::test]
    async fn addresses_have_the_syntax_of_go() {
        for (address, local) in [
            ("127.0.0.1:0", IpAddr::V4(Ipv4Addr::LOCALHOST)),
            ("localhost:0", IpAddr::V4(Ipv4Addr::LOCALHOST)),
            ("127.0.0.1:", IpAddr::V4(Ipv4Addr::LOCALHOST)),
        ] {
            let listener = listen(address).await.unwrap();
            assert_eq!(listener.local_addr().unwrap().ip(), local, "{address}");
        }
        for address in [":0", "0.0.0.0:0", "[::]:0"] {
            let listener = listen(address).await.unwrap();
            let bound = listener.local_addr().unwrap();
            assert!(bound.ip().is_unspecified(), "{address}: {bound}");
            TcpStream::connect((Ipv4Addr::LOCALHOST, bound.port())).await.unwrap();
        }
    }

    #[test]
    fn hosts_and_ports_are_parsed() {
        let parts = |address| split(address).map_err(|error| error.to_string());
        assert_eq!(parts("[::1]:80"), Ok(("::1", 80)));
        assert_eq!(parts(":https"), Ok(("", 443)));
        assert_eq!(parts("a:http"), Ok(("a", 80)));
        let how = "write it as host:port, or :port for all addresses of the machine";
        for wrong in ["", "8080", "::1:80", "[::1"] {
            assert_eq!(parts(wrong), Err(format!("cannot listen on \"{wrong}\": {how}")));
        }
        for wrong in [":x", ":65536", ":-1"] {
            let message = format!("cannot listen on \"{wrong}\": the port must be a number up to 65535");
            assert_eq!(parts(wrong), Err(message));
        }
    }

    #[test]
    fn ipv4_is_preferred() {
        let (new, old) =
            (SocketAddr::from((Ipv6Addr::LOCALHOST, 1)), SocketAddr::from((Ipv4Addr::LOCALHOST, 1)));
        assert_eq!(preferred([new, old].into_iter()), [old, new]);
    }

    #[tokio::test]
    async fn a_port_that_is_in_use_is_an_error() {
        let first = listen("127.0.0.1:0").await.unwrap();
        let address = first.local_addr().unwrap().to_string();
        let second = listen(&address).await.unwrap_err();
        assert_eq!(second.to_string(), format!("cannot listen on \"{address}\""));
    }
}
