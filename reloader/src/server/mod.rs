//! Serves metrics, health and status over HTTP, with TLS and users if a web configuration sets them. Each of a few
//! threads accepts a connection, answers one request, and closes the connection. Slow connections are closed.

mod access;
mod answer;
mod client_auth;
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
use crate::report::SharedReport;
use access::Access;
use answer::{Request, Response};
use limit::RateLimiter;
use web_config::WebConfig;

pub use web_config::Error;

/// Connections that are served at the same time.
const THREADS: usize = 4;
/// The stack size of a thread: enough for a TLS handshake in a debug build.
const STACK: usize = 512 * 1024;
/// How long a connection can take.
const LIMIT: Duration = Duration::from_secs(10);
/// The largest head of a request, in bytes.
const HEAD: usize = 16 * 1024;

/// The state that the threads share.
#[derive(Debug)]
pub struct Server {
    web_config: Option<PathBuf>,
    secure: bool,
    report: SharedReport,
    method: &'static str,
    access: Access,
    limit: Option<Mutex<RateLimiter>>,
    clock: Clock,
    log: Log,
}

/// Checks whether a web configuration can be used.
pub fn check(path: &Path) -> Result<(), Error> {
    let config = WebConfig::read(path)?;
    config.tls().map_or(Ok(()), |tls| tls::settings(tls).map(|_| ()))
}

impl Server {
    /// A server that shows a report. `method` is how Prometheus is reloaded.
    pub fn new(
        web_config: Option<PathBuf>,
        report: SharedReport,
        method: &'static str,
        log: Log,
    ) -> Result<Self, Error> {
        let config = web_config.as_deref().map(WebConfig::read).transpose()?.unwrap_or_default();
        let clock = Clock::start();
        let limit = config
            .rate_limit
            .as_ref()
            .filter(|limit| !limit.interval.is_zero())
            .map(|limit| Mutex::new(RateLimiter::new(limit.burst, limit.interval, clock.now())));
        let secure = config.tls().is_some();
        Ok(Self { web_config, secure, report, method, access: Access::default(), limit, clock, log })
    }

    /// Starts to listen and to serve, until the process ends.
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
                    // The process may be out of file descriptors: waits until connections are closed.
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
                self.log.error("the web configuration is no longer valid", &[("err", &chain(error))]);
            }),
            None => Ok(WebConfig::default()),
        };
        let config = config.map_err(|error| chain(&error))?;
        let mut connection = self.secure(&config, Socket::new(stream, Deadline::after(LIMIT)))?;
        let failed = |error: io::Error| error.to_string();
        let mut bytes = Vec::new();
        let mut buffer = [0; 2048];
        let (response, head_only) = loop {
            match Request::read(&bytes) {
                Ok(Some(request)) => break (self.respond(&config, &request), request.head_only),
                Ok(None) if bytes.len() < HEAD => {}
                Ok(None) => break (Response::error("431 Request Header Fields Too Large"), false),
                Err(_) => break (Response::error("400 Bad Request"), false),
            }
            match connection.read(&mut buffer).map_err(failed)? {
                0 => return Ok(()),
                length => bytes.extend_from_slice(&buffer[..length]),
            }
        };
        connection.write_all(&response.bytes(head_only)).map_err(failed)?;
        connection.flush().map_err(failed)?;
        connection.close();
        Ok(())
    }

    fn secure(&self, config: &WebConfig, socket: Socket) -> Result<Connection, String> {
        match config.tls() {
            None if self.secure => {
                Err("the web configuration had TLS at the start and no longer has it".into())
            }
            None => Ok(Connection::Plain(socket)),
            Some(settings) => {
                let settings = tls::settings(settings).map_err(|error| {
                    self.log.error("the TLS settings are not valid", &[("err", &chain(&error))]);
                    chain(&error)
                })?;
                let server = ServerConnection::new(settings).map_err(|error| error.to_string())?;
                Ok(Connection::Server(Box::new(StreamOwned::new(server, socket))))
            }
        }
    }

    fn respond(&self, config: &WebConfig, request: &Request) -> Response {
        let limited = self.limit.as_ref().is_some_and(|limit| {
            !limit.lock().unwrap_or_else(PoisonError::into_inner).allows(self.clock.now())
        });
        if limited {
            return Response::error("429 Too Many Requests");
        }
        let allowed =
            config.users().is_none_or(|users| self.access.allows(users, request.authorization.as_deref()));
        let mut response =
            if allowed { self.page(&request.path) } else { Response::error("401 Unauthorized") };
        if !allowed {
            response.headers.push(("WWW-Authenticate".into(), "Basic".into()));
        }
        response.headers.extend(config.headers().map(|(name, value)| (name.clone(), value.clone())));
        response
    }

    fn page(&self, path: &str) -> Response {
        match path {
            "/metrics" => {
                let text = metrics::text(&self.report.read(), &Figures::read(), self.method);
                Response::ok(metrics::CONTENT_TYPE, text)
            }
            "/healthz" => Response::ok("text/plain; charset=utf-8", r#"{"status":"up"}"#.into()),
            "/status" => Response::ok("application/json", self.report.read().status().to_string()),
            _ => Response::error("404 Not Found"),
        }
    }
}

/// Without a host, as in `:8080`, listens on all addresses: IPv6 and IPv4, or only IPv4.
fn listen(address: &str) -> io::Result<TcpListener> {
    let (host, port) = address.rsplit_once(':').unwrap_or((address, ""));
    let port: u16 = port.parse().map_err(|_| io::Error::other("the port is not a number"))?;
    if host.is_empty() {
        return TcpListener::bind((Ipv6Addr::UNSPECIFIED, port))
            .or_else(|_| TcpListener::bind((Ipv4Addr::UNSPECIFIED, port)));
    }
    let host = host.trim_start_matches('[').trim_end_matches(']');
    TcpListener::bind(address::resolve(host, port)?.as_slice())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client;
    use crate::log::{Format, Settings, Threshold};
    use crate::url::Url;

    #[test]
    fn a_certificate_of_version_1_is_served_and_accepted() {
        let directory = tempfile::tempdir().unwrap();
        let config = directory.path().join("web.yaml");
        std::fs::write(directory.path().join("both.pem"), include_str!("tls/version-1.pem")).unwrap();
        let get_with = |version: &str, address: SocketAddr| {
            write_config(&config, version);
            let url = Url::parse(&format!("https://{address}/healthz")).unwrap();
            client::send("GET", &url, LIMIT).map(|answer| answer.status).map_err(|error| chain(&error))
        };
        write_config(&config, "TLS13");
        let log = Log::new(Settings { format: Format::Logfmt, level: Threshold::None });
        let server = Server::new(Some(config.clone()), SharedReport::default(), "http", log).unwrap();
        let address = server.start("127.0.0.1:0").unwrap();
        assert_eq!(["TLS12", "TLS13"].map(|version| get_with(version, address)), [Ok(200), Ok(200)]);
    }

    fn write_config(path: &Path, version: &str) {
        let text = "tls_server_config:\n  cert_file: both.pem\n  key_file: both.pem\n";
        std::fs::write(path, format!("{text}  min_version: {version}\n  max_version: {version}\n")).unwrap();
    }

    #[test]
    fn the_server_listens_on_the_first_address_of_a_name() {
        let local_ip = |address| listen(address).and_then(|listener| listener.local_addr()).unwrap().ip();
        assert_eq!(local_ip("localhost:0"), Ipv4Addr::LOCALHOST);
        assert_eq!(local_ip("127.0.0.2:0"), Ipv4Addr::new(127, 0, 0, 2));
        assert!(local_ip(":0").is_unspecified());
        assert!(listen("localhost").is_err() && listen("localhost:http").is_err());
    }
}
