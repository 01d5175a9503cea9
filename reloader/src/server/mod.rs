//! Metrics, health and status over HTTP, with TLS and users if a web configuration asks for them. A few threads take
//! one connection each, answer one request, and close slow ones.

mod access;
mod answer;
mod callers;
mod limit;
mod tls;
mod web_config;

use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use rustls::{ServerConnection, StreamOwned};

use crate::address;
use crate::clock::{self, Clock, Deadline};
use crate::connection::{Connection, Socket};
use crate::log::{Log, chain};
use crate::metrics;
use crate::process::Figures;
use crate::report::Board;
use access::Access;
use answer::{Answer, Request};
use limit::Limit;
use web_config::WebConfig;

pub use web_config::Error;

/// Connections that are served at the same time.
const THREADS: usize = 4;
/// What a thread needs, also for a TLS handshake in a build for development.
const STACK: usize = 512 * 1024;
/// From the first byte of a connection to its last.
const LIMIT: Duration = Duration::from_secs(10);
/// Longest head of a request.
const HEAD: usize = 16 * 1024;

/// What the threads share.
#[derive(Debug)]
pub struct Server {
    web_config: Option<PathBuf>,
    secure: bool,
    board: Board,
    method: &'static str,
    access: Access,
    limit: Option<Mutex<Limit>>,
    clock: Clock,
    log: Log,
}

/// Says whether a web configuration can be used.
pub fn check(path: &Path) -> Result<(), Error> {
    let config = WebConfig::read(path)?;
    config.tls().map_or(Ok(()), |tls| tls::settings(tls).map(|_| ()))
}

impl Server {
    /// Shows this board; `method` is how the server is reloaded.
    pub fn new(
        web_config: Option<PathBuf>,
        board: Board,
        method: &'static str,
        log: Log,
    ) -> Result<Self, Error> {
        let config = web_config.as_deref().map(WebConfig::read).transpose()?.unwrap_or_default();
        let clock = Clock::start();
        let limit = config
            .rate_limit
            .as_ref()
            .filter(|limit| !limit.interval.is_zero())
            .map(|limit| Mutex::new(Limit::new(limit.burst, limit.interval, clock.now())));
        let secure = config.tls().is_some();
        Ok(Self { web_config, secure, board, method, access: Access::default(), limit, clock, log })
    }

    /// Listens and serves, for as long as the process lives.
    pub fn start(self, address: &str) -> io::Result<SocketAddr> {
        let listener = listen(address)?;
        let local = listener.local_addr()?;
        let server = Arc::new(self);
        for _ in 0..THREADS {
            let (server, listener) = (server.clone(), listener.try_clone()?);
            thread::Builder::new().stack_size(STACK).spawn(move || server.accept(&listener))?;
        }
        server
            .log
            .info("serving metrics, health and status", &[("address", &local), ("tls", &server.secure)]);
        Ok(local)
    }

    fn accept(&self, listener: &TcpListener) {
        loop {
            let outcome = match listener.accept() {
                Ok((stream, _)) => self.serve(stream),
                Err(error) => {
                    // There may be no more files to open; waiting is all that helps.
                    clock::wait_for(Duration::from_millis(100), Duration::from_millis(100), || None::<()>);
                    Err(error.to_string())
                }
            };
            if let Err(error) = outcome {
                self.log.debug("connection failed", &[("err", &error)]);
            }
        }
    }

    fn serve(&self, stream: TcpStream) -> Result<(), String> {
        let config = match &self.web_config {
            Some(path) => WebConfig::read(path).inspect_err(|error| {
                self.log.error("the web configuration cannot be used any more", &[("err", &chain(error))]);
            }),
            None => Ok(WebConfig::default()),
        };
        let config = config.map_err(|error| chain(&error))?;
        let mut connection = self.secure(&config, Socket::new(stream, Deadline::after(LIMIT)))?;
        let failed = |error: io::Error| error.to_string();
        let mut bytes = Vec::new();
        let mut buffer = [0; 2048];
        let (answer, head_only) = loop {
            match Request::read(&bytes) {
                Ok(Some(request)) => break (self.answer(&config, &request), request.head_only),
                Ok(None) if bytes.len() < HEAD => {}
                Ok(None) => break (Answer::bad("431 Request Header Fields Too Large"), false),
                Err(_) => break (Answer::bad("400 Bad Request"), false),
            }
            match connection.read(&mut buffer).map_err(failed)? {
                0 => return Ok(()),
                length => bytes.extend_from_slice(&buffer[..length]),
            }
        };
        connection.write_all(&answer.bytes(head_only)).map_err(failed)?;
        connection.flush().map_err(failed)?;
        connection.close();
        Ok(())
    }

    fn secure(&self, config: &WebConfig, socket: Socket) -> Result<Connection, String> {
        match config.tls() {
            None if self.secure => {
                Err("the web configuration asked for TLS at the start and does not any more".into())
            }
            None => Ok(Connection::Plain(socket)),
            Some(settings) => {
                let settings = tls::settings(settings).map_err(|error| {
                    self.log.error("TLS cannot be used", &[("err", &chain(&error))]);
                    chain(&error)
                })?;
                let server = ServerConnection::new(settings).map_err(|error| error.to_string())?;
                Ok(Connection::Server(Box::new(StreamOwned::new(server, socket))))
            }
        }
    }

    fn answer(&self, config: &WebConfig, request: &Request) -> Answer {
        let limited = self.limit.as_ref().is_some_and(|limit| {
            !limit.lock().unwrap_or_else(PoisonError::into_inner).allows(self.clock.now())
        });
        if limited {
            return Answer::bad("429 Too Many Requests");
        }
        let allowed =
            config.users().is_none_or(|users| self.access.allows(users, request.authorization.as_deref()));
        let mut answer = if allowed { self.page(&request.path) } else { Answer::bad("401 Unauthorized") };
        if !allowed {
            answer.headers.push(("WWW-Authenticate".into(), "Basic".into()));
        }
        answer.headers.extend(config.headers().map(|(name, value)| (name.clone(), value.clone())));
        answer
    }

    fn page(&self, path: &str) -> Answer {
        match path {
            "/metrics" => {
                let text = metrics::text(&self.board.read(), &Figures::read(), self.method);
                Answer::good(metrics::CONTENT_TYPE, text)
            }
            "/healthz" => Answer::good("text/plain; charset=utf-8", r#"{"status":"up"}"#.into()),
            "/status" => Answer::good("application/json", self.board.read().status().to_string()),
            _ => Answer::bad("404 Not Found"),
        }
    }
}

/// `:8080` is every address of the machine, of both kinds where there are both.
fn listen(address: &str) -> io::Result<TcpListener> {
    let (host, port) = address.rsplit_once(':').unwrap_or((address, ""));
    let port: u16 = port.parse().map_err(|_| io::Error::other("the port is not a number"))?;
    if host.is_empty() {
        return TcpListener::bind((Ipv6Addr::UNSPECIFIED, port))
            .or_else(|_| TcpListener::bind((Ipv4Addr::UNSPECIFIED, port)));
    }
    let host = host.trim_start_matches('[').trim_end_matches(']');
    TcpListener::bind(address::find(host, port)?.as_slice())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client;
    use crate::log::{Format, Settings, Threshold};
    use crate::url::Url;

    #[test]
    fn a_certificate_of_version_1_is_shown_and_taken() {
        let directory = tempfile::tempdir().unwrap();
        let config = directory.path().join("web.yaml");
        std::fs::write(directory.path().join("both.pem"), include_str!("tls/version-1.pem")).unwrap();
        let ask_with = |version: &str, address: SocketAddr| {
            write_config(&config, version);
            let url = Url::parse(&format!("https://{address}/healthz")).unwrap();
            client::send("GET", &url, LIMIT).map(|answer| answer.status).map_err(|error| chain(&error))
        };
        write_config(&config, "TLS13");
        let log = Log::new(Settings { format: Format::Logfmt, level: Threshold::None });
        let server = Server::new(Some(config.clone()), Board::default(), "http", log).unwrap();
        let address = server.start("127.0.0.1:0").unwrap();
        assert_eq!(["TLS12", "TLS13"].map(|version| ask_with(version, address)), [Ok(200), Ok(200)]);
    }

    fn write_config(path: &Path, version: &str) {
        let text = "tls_server_config:\n  cert_file: both.pem\n  key_file: both.pem\n";
        std::fs::write(path, format!("{text}  min_version: {version}\n  max_version: {version}\n")).unwrap();
    }

    #[test]
    fn the_name_of_the_own_machine_is_its_first_address() {
        let heard = |address| listen(address).and_then(|listener| listener.local_addr()).unwrap().ip();
        assert_eq!(heard("localhost:0"), Ipv4Addr::LOCALHOST);
        assert_eq!(heard("127.0.0.2:0"), Ipv4Addr::new(127, 0, 0, 2));
        assert!(heard(":0").is_unspecified());
        assert!(listen("localhost").is_err() && listen("localhost:http").is_err());
    }
}
