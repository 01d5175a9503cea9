use std::net::Ipv4Addr;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::*;

/// The request that a server gets, and its answer with a body of this length as the client reads it.
async fn exchanged(length: usize, credentials: Option<[&str; 2]>) -> (String, Result<Reply, AskError>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let server = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut sent = Vec::new();
        while !sent.ends_with(b"\r\n\r\n") {
            sent.push(stream.read_u8().await.unwrap());
        }
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        // The client closes the connection when it has read enough.
        let _ = stream.write_all(&vec![b'a'; length]).await;
        String::from_utf8(sent).unwrap()
    };
    let (method, host, path) = (Method::GET, "a-0.b.c.svc:8080", "/v1/version?x=y");
    let request = OperandRequest { method, address: &address, host, path, tls: false, credentials };
    tokio::join!(server, ask(&request, Duration::from_mins(1)))
}

#[tokio::test]
async fn a_request_names_its_host_and_its_credentials() {
    let (sent, reply) = exchanged(3, Some(["admin", "secret"])).await;
    let mut lines: Vec<&str> = sent.trim_end().lines().collect();
    lines.retain(|line| !line.starts_with("user-agent: mainstay/"));
    lines.sort_unstable();
    let expected = [
        "GET /v1/version?x=y HTTP/1.1",
        "authorization: Basic YWRtaW46c2VjcmV0",
        "connection: close",
        "host: a-0.b.c.svc:8080",
    ];
    assert_eq!(lines, expected);
    let reply = reply.unwrap();
    assert_eq!((reply.status, &*reply.body), (StatusCode::OK, &b"aaa"[..]));
    let (sent, _) = exchanged(0, None).await;
    assert!(!sent.contains("authorization"), "{sent}");
}

#[tokio::test]
async fn an_answer_that_is_too_large_is_rejected() {
    assert_eq!(exchanged(LARGEST, None).await.1.unwrap().body.len(), LARGEST);
    assert!(matches!(exchanged(LARGEST + 1, None).await.1, Err(AskError::Body(_))));
}
