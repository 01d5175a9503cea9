//! Who gets an answer, over what, and for how long.

use std::io::{Read as _, Write as _};

use axum::Router;
use axum::routing::{get, post};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::clock;

/// A server under way.
struct Running {
    address: SocketAddr,
    stop: CancellationToken,
    tasks: JoinSet<()>,
}

/// Tests do not wait for a cluster to hear of their end.
fn limits() -> Limits {
    Limits { linger: Duration::ZERO, ..Limits::default() }
}

impl Running {
    async fn start(protection: Protection, limits: Limits) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, stop, mut tasks) =
            (listener.local_addr().unwrap(), CancellationToken::new(), JoinSet::new());
        let router = Router::new()
            .route("/", get(async || "here"))
            .route("/read", post(async |body: Bytes| body.len().to_string()));
        let (server, stopped) = (Server { listener, protection, limits }, stop.clone());
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

/// All that comes back for what is sent in clear text.
async fn say(address: SocketAddr, words: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(words.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

#[tokio::test]
async fn clear_text_is_answered_and_a_slow_body_costs_one_request() {
    let limits = Limits { request: Duration::from_millis(200), ..limits() };
    let server = Running::start(Protection::Clear, limits).await;
    let answer = say(server.address, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with("\r\n\r\nhere"), "{answer}");
    let slow = "POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf";
    let answer = say(server.address, slow).await;
    assert!(answer.starts_with("HTTP/1.1 408 Request Timeout\r\n"), "{answer}");
    server.end().await;
}

#[tokio::test]
async fn a_client_that_hangs_does_not_hold_up_the_end() {
    let limits = Limits { grace: Duration::from_millis(50), ..limits() };
    let server = Running::start(Protection::Clear, limits).await;
    let mut hangs = TcpStream::connect(server.address).await.unwrap();
    hangs.write_all(b"POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n").await.unwrap();
    server.end().await;
}

/// One request over a connection that stays open. While its thread is at work, the clock of the test stands still.
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
async fn a_server_that_is_asked_to_stop_goes_on_until_the_cluster_has_heard_of_it() {
    let mut server = Running::start(Protection::Clear, Limits::default()).await;
    let (address, stopped) = (server.address, clock::now());
    let open = ask(None, address).await.unwrap();
    server.stop.cancel();
    clock::until(Some(stopped + Duration::from_millis(2900))).await;
    let new = ask(None, address).await.expect("new connections are taken");
    let open = ask(Some(open), address).await.expect("open connections are answered");
    server.tasks.join_next().await.unwrap().unwrap();
    assert_eq!(clock::now() - stopped, Duration::from_secs(3));
    assert!(ask(None, address).await.is_err());
    assert!(ask(Some(open), address).await.is_err() && ask(Some(new), address).await.is_err());
}

#[tokio::test]
async fn http2_is_spoken_where_both_want_it() {
    let (directory, pair) = (Directory::new(), pair());
    directory.put(&pair);
    for (offered, asked, spoken) in [(true, true, true), (true, false, false), (false, true, false)] {
        let server = Running::from_files(TlsSettings { http2: offered, ..directory.settings() }).await;
        let caller = Caller { trusts: pair.certificate.clone(), http2: asked, ..Caller::default() };
        let mut client = caller.connect(server.address).await.unwrap();
        assert_eq!(client.is_http2(), spoken, "offered {offered}, asked {asked}");
        assert_eq!(client.get("/").await.unwrap(), here());
        server.end().await;
    }
}

#[tokio::test]
async fn old_versions_are_spoken_only_if_they_may_be() {
    let (directory, pair) = (Directory::new(), pair());
    directory.put(&pair);
    let caller = Caller { trusts: pair.certificate.clone(), tls12: true, ..Caller::default() };
    for (oldest, spoken) in [(TlsVersion::Tls12, true), (TlsVersion::Tls13, false)] {
        let server = Running::from_files(TlsSettings { oldest, ..directory.settings() }).await;
        assert_eq!(caller.connect(server.address).await.is_ok(), spoken, "{oldest:?}");
        server.end().await;
    }
}

#[tokio::test]
async fn where_an_authority_of_clients_is_given_only_those_that_it_signed_are_answered() {
    let (directory, server_pair, friend) = (Directory::new(), pair(), pair());
    directory.put(&server_pair);
    directory.write("tls-ca.crt", &friend.certificate);
    let server = Running::from_files(directory.settings()).await;
    let caller = |shows| Caller { trusts: server_pair.certificate.clone(), shows, ..Caller::default() };
    let mut client = caller(Some(friend)).connect(server.address).await.unwrap();
    assert_eq!(client.get("/").await.unwrap(), here());
    for stranger in [None, Some(pair())] {
        // The refusal arrives with the first answer: in TLS 1.3 a client is done before the server is.
        let answer = match caller(stranger).connect(server.address).await {
            Ok(mut client) => client.get("/").await.ok(),
            Err(_) => None,
        };
        assert_eq!(answer, None);
    }
    server.end().await;
}

#[tokio::test]
async fn a_renewed_file_is_shown_to_new_connections_and_open_ones_go_on() {
    let (directory, first, second) = (Directory::new(), pair(), pair());
    directory.put(&first);
    let server = Running::from_files(directory.settings()).await;
    let caller = |pair: &Pair| Caller { trusts: pair.certificate.clone(), ..Caller::default() };
    let mut open = caller(&first).connect(server.address).await.unwrap();
    directory.put(&second);
    let shown = async {
        loop {
            match caller(&second).connect(server.address).await {
                Ok(new) => break new,
                Err(_) => clock::until(Some(clock::now() + Duration::from_millis(20))).await,
            }
        }
    };
    let new = tokio::time::timeout(Duration::from_secs(30), shown).await.expect("it is shown in time");
    assert_ne!(new.shown, open.shown);
    assert_eq!(open.get("/").await.unwrap(), here());
    server.end().await;
}
