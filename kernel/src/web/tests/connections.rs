//! Connections with and without TLS, their limits, and the stop of the server.

use std::io::{Read as _, Write as _};

use axum::Router;
use axum::routing::{get, post};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::clock;

/// A running server.
struct Running {
    address: SocketAddr,
    stop: CancellationToken,
    tasks: JoinSet<()>,
}

/// Tests do not wait for a cluster after the stop.
fn limits() -> ServerLimits {
    ServerLimits { linger: Duration::ZERO, ..ServerLimits::default() }
}

impl Running {
    async fn start(protection: Protection, limits: ServerLimits) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, stop, mut tasks) =
            (listener.local_addr().unwrap(), CancellationToken::new(), JoinSet::new());
        let router = Router::new()
            .route("/", get(async || "here"))
            .route("/read", post(async |body: Bytes| body.len().to_string()));
        let (server, stopped) = (WebServer { listener, protection, limits }, stop.clone());
        tasks.spawn(async move { server.serve(router, stopped).await.unwrap() });
        Self { address, stop, tasks }
    }

    async fn from_files(settings: TlsSettings) -> Self {
        let certificates = Certificates::read(settings).await.unwrap();
        Self::start(Protection::Files(Box::new(certificates)), limits()).await
    }

    async fn end(mut self) {
        self.stop.cancel();
        while let Some(ended) = self.tasks.join_next().await {
            ended.unwrap();
        }
    }
}

fn here() -> (StatusCode, Bytes) {
    (StatusCode::OK, Bytes::from("here"))
}

/// The whole answer to a request without TLS.
async fn exchange(address: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

#[tokio::test]
async fn requests_without_tls_are_answered_and_slow_bodies_time_out() {
    let limits = ServerLimits { request: Duration::from_millis(200), ..limits() };
    let server = Running::start(Protection::Clear, limits).await;
    let answer = exchange(server.address, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with("\r\n\r\nhere"), "{answer}");
    let slow = "POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf";
    let answer = exchange(server.address, slow).await;
    assert!(answer.starts_with("HTTP/1.1 408 Request Timeout\r\n"), "{answer}");
    server.end().await;
}

#[tokio::test]
async fn a_client_that_hangs_does_not_delay_the_stop() {
    let limits = ServerLimits { grace: Duration::from_millis(50), ..limits() };
    let server = Running::start(Protection::Clear, limits).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(b"POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n").await.unwrap();
    server.end().await;
}

/// One request over a connection that stays open. The clock of the test does not advance while the thread works.
async fn ask(
    stream: Option<std::net::TcpStream>,
    address: SocketAddr,
) -> std::io::Result<std::net::TcpStream> {
    let ask = move || {
        let mut stream = stream.map_or_else(|| std::net::TcpStream::connect(address), Ok)?;
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        stream.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")?;
        let (mut answer, mut part) = (Vec::new(), [0; 1024]);
        while !answer.ends_with(b"\r\n\r\nhere") {
            match stream.read(&mut part)? {
                0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
                read => answer.extend_from_slice(&part[..read]),
            }
        }
        Ok(stream)
    };
    tokio::task::spawn_blocking(ask).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_server_that_has_to_stop_continues_for_some_seconds() {
    let mut server = Running::start(Protection::Clear, ServerLimits::default()).await;
    let (address, stopped) = (server.address, clock::now());
    let open = ask(None, address).await.unwrap();
    server.stop.cancel();
    clock::until(Some(stopped + Duration::from_millis(2900))).await;
    let new = ask(None, address).await.expect("new connections are accepted");
    let open = ask(Some(open), address).await.expect("open connections are answered");
    server.tasks.join_next().await.unwrap().unwrap();
    assert_eq!(clock::now() - stopped, Duration::from_secs(3));
    assert!(ask(None, address).await.is_err());
    assert!(ask(Some(open), address).await.is_err() && ask(Some(new), address).await.is_err());
}

#[tokio::test]
async fn http2_is_used_if_both_sides_offer_it() {
    let (directory, pair) = (Directory::new(), pair());
    directory.put(&pair);
    for (offered, requested, expected) in [(true, true, true), (true, false, false), (false, true, false)] {
        let server = Running::from_files(TlsSettings { http2: offered, ..directory.settings() }).await;
        let caller = Caller { trusts: pair.certificate.clone(), http2: requested, ..Caller::default() };
        let mut client = caller.connect(server.address).await.unwrap();
        assert_eq!(client.is_http2(), expected, "offered {offered}, requested {requested}");
        assert_eq!(client.get("/").await.unwrap(), here());
        server.end().await;
    }
}

#[tokio::test]
async fn old_versions_of_tls_are_accepted_only_if_configured() {
    let (directory, pair) = (Directory::new(), pair());
    directory.put(&pair);
    let caller = Caller { trusts: pair.certificate.clone(), tls12: true, ..Caller::default() };
    for (oldest, is_accepted) in [(TlsVersion::Tls12, true), (TlsVersion::Tls13, false)] {
        let server = Running::from_files(TlsSettings { oldest, ..directory.settings() }).await;
        assert_eq!(caller.connect(server.address).await.is_ok(), is_accepted, "{oldest:?}");
        server.end().await;
    }
}

#[tokio::test]
async fn with_a_client_authority_only_its_clients_are_accepted() {
    let (directory, server_pair, known) = (Directory::new(), pair(), pair());
    directory.put(&server_pair);
    directory.write("tls-ca.crt", &known.certificate);
    let server = Running::from_files(directory.settings()).await;
    let caller = |presents| Caller { trusts: server_pair.certificate.clone(), presents, ..Caller::default() };
    let mut client = caller(Some(known)).connect(server.address).await.unwrap();
    assert_eq!(client.get("/").await.unwrap(), here());
    for unknown in [None, Some(pair())] {
        // The rejection arrives with the first answer: in TLS 1.3 a client completes the handshake before the server.
        let answer = match caller(unknown).connect(server.address).await {
            Ok(mut client) => client.get("/").await.ok(),
            Err(_) => None,
        };
        assert_eq!(answer, None);
    }
    server.end().await;
}

#[tokio::test]
async fn a_renewed_certificate_is_presented_to_new_connections() {
    let (directory, first, second) = (Directory::new(), pair(), pair());
    directory.put(&first);
    let server = Running::from_files(directory.settings()).await;
    let caller = |pair: &Pair| Caller { trusts: pair.certificate.clone(), ..Caller::default() };
    let mut open = caller(&first).connect(server.address).await.unwrap();
    directory.put(&second);
    let renewed = async {
        loop {
            match caller(&second).connect(server.address).await {
                Ok(new) => break new,
                Err(_) => clock::until(Some(clock::now() + Duration::from_millis(20))).await,
            }
        }
    };
    let new = tokio::time::timeout(Duration::from_secs(30), renewed).await;
    let new = new.expect("the new certificate is presented in time");
    assert_ne!(new.presented, open.presented);
    assert_eq!(open.get("/").await.unwrap(), here());
    server.end().await;
}
