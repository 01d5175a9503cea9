use std::net::Ipv4Addr;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use super::*;
use crate::loaded::answer::{ReloadCounters, ReloaderStatus};

const STATUS: &str = r#"{"configHash":"new","watchedHash":null,"seenConfigHash":"new","seenWatchedHash":null,
    "lastReloadSuccessful":true,"lastReloadTime":null,"lastErrorReason":null,"lastError":null}"#;

const METRICS: &str = "reloader_last_reload_successful 1\nreloader_reloads_total 2\n";

fn clock() -> Timestamp {
    Timestamp::from_second(1_000_000_000).unwrap()
}

fn asker() -> Asker {
    Asker::new(clock)
}

async fn listener(tls: bool) -> (TcpListener, Address) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    (listener, Address { ip: Ipv4Addr::LOCALHOST.into(), port, tls })
}

fn reply(status: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\nDate: Sun, 09 Sep 2001 01:46:45 GMT\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

/// Answers one request by its first line, and returns the line.
async fn serve(mut stream: impl AsyncRead + AsyncWrite + Unpin, answer: impl Fn(&str) -> String) -> String {
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).await.unwrap();
        request.push(byte[0]);
    }
    let request = String::from_utf8(request).unwrap();
    let first = request.lines().next().unwrap().to_owned();
    stream.write_all(answer(&first).as_bytes()).await.unwrap();
    stream.shutdown().await.unwrap();
    first
}

async fn serve_on(listener: &TcpListener, times: usize, answer: impl Fn(&str) -> String) -> Vec<String> {
    let mut requests = Vec::new();
    for _ in 0..times {
        let (stream, _) = listener.accept().await.unwrap();
        requests.push(serve(stream, &answer).await);
    }
    requests
}

/// Runs a server and its client, for a minute at most: a request that is not sent must not block the test.
async fn both<A, B>(server: impl Future<Output = A>, client: impl Future<Output = B>) -> (A, B) {
    tokio::time::timeout(Duration::from_mins(1), futures::future::join(server, client)).await.unwrap()
}

fn five_seconds_ahead() -> Offset {
    Offset::of(Timestamp::from_second(1_000_000_005).unwrap(), clock(), clock())
}

fn ours() -> ReloaderAnswer {
    let new = || Some("new".to_owned());
    let status = ReloaderStatus { config_hash: new(), seen_config_hash: new(), ..ReloaderStatus::default() };
    ReloaderAnswer::Ours(status)
}

#[tokio::test]
async fn our_reloader_is_asked_for_its_status() {
    let (listener, address) = listener(false).await;
    let server = serve_on(&listener, 1, |_| reply("200 OK", STATUS));
    let asker = asker();
    let (requests, received) = both(server, asker.ask(address)).await;
    assert_eq!(received, PodAnswer { answer: ours(), offset: Some(five_seconds_ahead()) });
    assert_eq!(requests, ["GET /status HTTP/1.1"]);
}

#[tokio::test]
async fn the_peers_reloader_is_then_asked_for_its_metrics() {
    let (listener, address) = listener(false).await;
    let server = serve_on(&listener, 2, |request| {
        if request.contains("/metrics") { reply("200 OK", METRICS) } else { reply("404 Not Found", "") }
    });
    let asker = asker();
    let (requests, received) = both(server, asker.ask(address)).await;
    let counters = ReloadCounters { successful: true, reloads: 2, ..ReloadCounters::default() };
    let answer = ReloaderAnswer::Peers(counters);
    assert_eq!(received, PodAnswer { answer, offset: Some(five_seconds_ahead()) });
    assert_eq!(requests, ["GET /status HTTP/1.1", "GET /metrics HTTP/1.1"]);
}

#[tokio::test]
async fn a_certificate_for_another_name_is_accepted() {
    let issued = rcgen::generate_simple_self_signed(["elsewhere.example".to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(issued.signing_key.serialize_der()).unwrap();
    let provider = Arc::new(tokio_rustls::rustls::crypto::aws_lc_rs::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![issued.cert.der().clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let (listener, address) = listener(true).await;
    let server = Box::pin(async {
        let (stream, _) = listener.accept().await.unwrap();
        serve(acceptor.accept(stream).await.unwrap(), |_| reply("200 OK", STATUS)).await
    });
    let asker = asker();
    let (_, received) = both(server, asker.ask(address)).await;
    assert_eq!(received.answer, ours());
}

#[tokio::test]
async fn unusable_answers_have_a_reason() {
    let (listener, address) = listener(false).await;
    let asker = asker();
    let server = serve_on(&listener, 1, |_| reply("401 Unauthorized", "no"));
    let (_, received) = both(server, asker.ask(address)).await;
    assert_eq!(received.answer, ReloaderAnswer::Nothing(format!("{address} answers 401")));
    let server = serve_on(&listener, 1, |_| "SSH-2.0\r\n".into());
    let (_, received) = both(server, asker.ask(address)).await;
    let ReloaderAnswer::Nothing(words) = received.answer else { panic!("{received:?}") };
    assert!(words.starts_with(&format!("{address}: the answer is not HTTP: ")), "{words}");
    drop(listener);
    let ReloaderAnswer::Nothing(words) = asker.ask(address).await.answer else { panic!("answered") };
    assert!(words.starts_with(&format!("{address}: connecting failed: ")), "{words}");
}

#[tokio::test(start_paused = true)]
async fn requests_without_an_answer_time_out() {
    let (_listener, address) = listener(false).await;
    let received = asker().ask_all(&[address; 20]).await;
    let words = format!("{address}: no answer within 2 s");
    let silent = PodAnswer { answer: ReloaderAnswer::Nothing(words), offset: None };
    assert_eq!(received, vec![silent; 20]);
}

#[tokio::test]
async fn a_response_that_is_too_large_is_not_read_to_its_end() {
    let (listener, address) = listener(false).await;
    let endless = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = [0; 1024];
        assert_ne!(stream.read(&mut request).await.unwrap(), 0);
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
        // Until the connection is closed.
        while stream.write_all(&[b' '; 4096]).await.is_ok() {}
    };
    let ((), received) = both(endless, asker().ask(address)).await;
    let ReloaderAnswer::Nothing(because) = received.answer else { panic!("{received:?}") };
    assert!(because.contains("length limit exceeded"), "{because}");
}

#[tokio::test]
async fn the_error_of_a_rejected_reload_is_returned() {
    let (listener, address) = listener(false).await;
    let asker = asker();
    let cases = [
        (reply("200 OK", ""), Some(LoadResult::Accepted)),
        (reply("500 Internal Server Error", "line 12"), Some(LoadResult::Rejected("line 12".into()))),
        (reply("403 Forbidden", "Lifecycle API is not enabled."), None),
    ];
    for (text, expected) in cases {
        let server = serve_on(&listener, 1, |_| text.clone());
        let (requests, result) = both(server, asker.reload(address, "/prefix/-/reload")).await;
        assert_eq!(result, expected);
        assert_eq!(requests, ["POST /prefix/-/reload HTTP/1.1"]);
    }
}
