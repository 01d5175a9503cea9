//! A minimal HTTP client for GET requests: the host can reach pods and Services by their addresses.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const LIMIT: Duration = Duration::from_secs(10);

/// The response of a server.
#[derive(Debug, PartialEq, Eq)]
pub struct Response {
    /// The status code.
    pub code: u16,
    /// The body.
    pub body: String,
}

/// Requests `path`. A response with any status code is a success.
pub async fn get(host: &str, port: u16, path: &str) -> Result<Response> {
    let exchange = async {
        let mut stream = TcpStream::connect((host, port)).await?;
        // Version 1.0, so that the body ends with the connection and is not chunked.
        stream.write_all(format!("GET {path} HTTP/1.0\r\nHost: {host}:{port}\r\n\r\n").as_bytes()).await?;
        let mut response = Vec::new();
        stream.read_to_end(&mut response).await?;
        parse(&String::from_utf8_lossy(&response))
    };
    tokio::time::timeout(LIMIT, exchange)
        .await
        .unwrap_or_else(|_| bail!("no response after {LIMIT:?}"))
        .with_context(|| format!("cannot get http://{host}:{port}{path}"))
}

fn parse(response: &str) -> Result<Response> {
    let (head, body) = response.split_once("\r\n\r\n").context("the response has no end of headers")?;
    let code = head
        .split(' ')
        .nth(1)
        .and_then(|code| code.parse().ok())
        .context("the response has no status code")?;
    Ok(Response { code, body: body.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_has_a_code_and_a_body() {
        let response = parse("HTTP/1.0 403 Forbidden\r\nServer: x\r\n\r\nno\r\n\r\nmore").unwrap();
        assert_eq!(response, Response { code: 403, body: "no\r\n\r\nmore".into() });
        assert!(parse("").is_err());
    }
}
