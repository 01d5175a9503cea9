//! A connection with one deadline for all reads and writes, with or without TLS.

use std::io::{self, Read, Write};
use std::net::TcpStream;

use rustls::{ClientConnection, ServerConnection, StreamOwned};

use crate::clock::Deadline;

/// A socket whose reads and writes fail after a deadline.
pub(crate) struct Socket {
    stream: TcpStream,
    deadline: Deadline,
}

impl Socket {
    /// A socket that can be used until `deadline`.
    pub(crate) fn new(stream: TcpStream, deadline: Deadline) -> Self {
        Self { stream, deadline }
    }

    fn timeout(&self) -> io::Result<Option<std::time::Duration>> {
        let remaining = self.deadline.remaining();
        if remaining.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(Some(remaining)) }
    }
}

/// The system reports `WouldBlock` when a timeout of a socket expires.
fn timed_out(error: io::Error) -> io::Error {
    if error.kind() == io::ErrorKind::WouldBlock { io::ErrorKind::TimedOut.into() } else { error }
}

impl Read for Socket {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(self.timeout()?)?;
        self.stream.read(buffer).map_err(timed_out)
    }
}

impl Write for Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(self.timeout()?)?;
        self.stream.write(bytes).map_err(timed_out)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A socket, with or without TLS.
pub(crate) enum Connection {
    /// Without TLS.
    Plain(Socket),
    /// With TLS, on the side of the client.
    Client(Box<StreamOwned<ClientConnection, Socket>>),
    /// With TLS, on the side of the server.
    Server(Box<StreamOwned<ServerConnection, Socket>>),
}

impl Connection {
    /// Closes the connection for writing.
    pub(crate) fn close(mut self) {
        match &mut self {
            Self::Plain(_) => {}
            Self::Client(stream) => stream.conn.send_close_notify(),
            Self::Server(stream) => stream.conn.send_close_notify(),
        }
        // The peer may have closed the connection already, which does no harm.
        let _ = self.flush();
    }
}

impl Read for Connection {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(socket) => socket.read(buffer),
            Self::Client(stream) => stream.read(buffer),
            Self::Server(stream) => stream.read(buffer),
        }
    }
}

impl Write for Connection {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(socket) => socket.write(bytes),
            Self::Client(stream) => stream.write(bytes),
            Self::Server(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(socket) => socket.flush(),
            Self::Client(stream) => stream.flush(),
            Self::Server(stream) => stream.flush(),
        }
    }
}
