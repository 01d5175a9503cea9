//! One HTTP request and its answer. Certificates are not verified, as in the peer: the server is reached over the
//! loopback device of the pod, and its certificate is for another name.

mod answer;
mod tls;

use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use rustls::pki_types::ServerName;
use rustls::{ClientConnection, StreamOwned};
use thiserror::Error;

use crate::address;
use crate::clock::Deadline;
use crate::connection::{Connection, Socket};
use crate::url::Url;

pub use answer::Answer;

/// How many bytes of an answer are read at most.
const LIMIT: usize = 64 * 1024;

/// Why a request failed.
#[derive(Debug, Error)]
pub enum Error {
    /// The host name could not be resolved.
    #[error("cannot resolve {0}")]
    Resolve(String, #[source] io::Error),
    /// No connection could be made.
    #[error("cannot connect to {0}")]
    Connect(String, #[source] io::Error),
    /// TLS could not be set up.
    #[error("cannot use TLS with {0}")]
    Tls(String, #[source] Box<rustls::Error>),
    /// The connection was lost, or the answer took too long.
    #[error("no answer from {0}")]
    Exchange(String, #[source] io::Error),
    /// The answer is not HTTP.
    #[error("the answer of {0} is not HTTP")]
    NotHttp(String),
}

impl Error {
    /// Whether the request timed out.
    pub fn is_timeout(&self) -> bool {
        match self {
            Self::Connect(_, error) | Self::Exchange(_, error) => error.kind() == io::ErrorKind::TimedOut,
            Self::Resolve(..) | Self::Tls(..) | Self::NotHttp(_) => false,
        }
    }
}

/// Sends a request without a body and reads the answer, within `limit`.
pub fn send(method: &str, url: &Url, limit: Duration) -> Result<Answer, Error> {
    let deadline = Deadline::after(limit);
    let mut connection = connect(url, deadline)?;
    let failed = |error| Error::Exchange(url.to_string(), error);
    connection.write_all(request(method, url).as_bytes()).map_err(failed)?;
    connection.flush().map_err(failed)?;
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let length = match connection.read(&mut buffer) {
            Ok(length) => length,
            // Many servers close a TLS connection without `close_notify`.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => 0,
            Err(error) => return Err(failed(error)),
        };
        bytes.extend_from_slice(&buffer[..length]);
        let ended = length == 0 || bytes.len() >= LIMIT;
        match answer::read(&bytes, ended) {
            Ok(Some(answer)) => {
                connection.close();
                return Ok(answer);
            }
            Ok(None) if !ended => {}
            Ok(None) | Err(_) => return Err(Error::NotHttp(url.to_string())),
        }
    }
}

fn request(method: &str, url: &Url) -> String {
    let authorization =
        url.authorization.as_ref().map(|value| format!("Authorization: {value}\r\n")).unwrap_or_default();
    format!(
        "{method} {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: mainstay-reloader/{}\r\n{authorization}\
         Content-Length: 0\r\nConnection: close\r\n\r\n",
        url.target,
        url.authority,
        crate::VERSION
    )
}

fn connect(url: &Url, deadline: Deadline) -> Result<Connection, Error> {
    let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
    let addresses =
        address::resolve(&url.host, url.port).map_err(|error| Error::Resolve(url.host.clone(), error))?;
    for address in addresses {
        // A timeout of zero is an error.
        match TcpStream::connect_timeout(&address, deadline.remaining().max(Duration::from_millis(1))) {
            Ok(stream) => return secure(url, Socket::new(stream, deadline)),
            Err(error) => last = error,
        }
    }
    Err(Error::Connect(url.to_string(), last))
}

fn secure(url: &Url, socket: Socket) -> Result<Connection, Error> {
    if !url.secure {
        return Ok(Connection::Plain(socket));
    }
    let failed = |error| Error::Tls(url.to_string(), Box::new(error));
    let name = ServerName::try_from(url.host.clone())
        .map_err(|_| failed(rustls::Error::General("the host name is not valid".into())))?;
    let client = tls::settings().and_then(|config| ClientConnection::new(config, name)).map_err(failed)?;
    Ok(Connection::Client(Box::new(StreamOwned::new(client, socket))))
}
