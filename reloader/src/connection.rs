//! A connection whose every read and write ends by one deadline, with or without TLS.

use std::io::{self, Read, Write};
use std::net::TcpStream;

use rustls::{ClientConnection, ServerConnection, StreamOwned};

use crate::clock::Deadline;

/// A socket that gives up when its time has come.
pub(crate) struct Socket {
    stream: TcpStream,
    deadline: Deadline,
}

impl Socket {
    /// Until `deadline`.
    pub(crate) fn new(stream: TcpStream, deadline: Deadline) -> Self {
        Self { stream, deadline }
    }

    fn left(&self) -> io::Result<Option<std::time::Duration>> {
        let left = self.deadline.left();
        if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(Some(left)) }
    }
}

/// The system says `WouldBlock` when a socket's time is up.
fn named(error: io::Error) -> io::Error {
    if error.kind() == io::ErrorKind::WouldBlock { io::ErrorKind::TimedOut.into() } else { error }
}

impl Read for Socket {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(self.left()?)?;
        self.stream.read(buffer).map_err(named)
    }
}

impl Write for Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(self.left()?)?;
        self.stream.write(bytes).map_err(named)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A socket, perhaps with TLS over it.
pub(crate) enum Connection {
    /// Without.
    Plain(Socket),
    /// With, as the one who called.
    Client(Box<StreamOwned<ClientConnection, Socket>>),
    /// With, as the one who was called.
    Server(Box<StreamOwned<ServerConnection, Socket>>),
}

impl Connection {
    /// Says that nothing more will be written.
    pub(crate) fn close(mut self) {
        match &mut self {
            Self::Plain(_) => {}
            Self::Client(stream) => stream.conn.send_close_notify(),
            Self::Server(stream) => stream.conn.send_close_notify(),
        }
        // The other side may be gone already, and nothing is lost with it.
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
