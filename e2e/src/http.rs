//! A GET and no more: the host reaches pods and services by their addresses, so the tests need no proxy and no library.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const LIMIT: Duration = Duration::from_secs(10);

/// What a server said.
#[derive(Debug, PartialEq, Eq)]
pub struct Answer {
    /// The status code.
    pub code: u16,
    /// The body.
    pub body: String,
}

/// Asks for `path`. Any answer is an answer; only its absence is an error.
pub async fn get(host: &str, port: u16, path: &str) -> Result<Answer> {
    let ask = async {
        let mut stream = TcpStream::connect((host, port)).await?;
        // Version 1.0, so that the body ends with the connection and comes in one piece.
        stream.write_all(format!("GET {path} HTTP/1.0\r\nHost: {host}:{port}\r\n\r\n").as_bytes()).await?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await?;
        parse(&String::from_utf8_lossy(&answer))
    };
    tokio::time::timeout(LIMIT, ask)
        .await
        .unwrap_or_else(|_| bail!("no answer in {LIMIT:?}"))
        .with_context(|| format!("cannot get http://{host}:{port}{path}"))
}

fn parse(answer: &str) -> Result<Answer> {
    let (head, body) = answer.split_once("\r\n\r\n").context("the answer has no end of headers")?;
    let code =
        head.split(' ').nth(1).and_then(|code| code.parse().ok()).context("the answer has no status code")?;
    Ok(Answer { code, body: body.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_its_code_and_its_body() {
        let answer = parse("HTTP/1.0 403 Forbidden\r\nServer: x\r\n\r\nno\r\n\r\nmore").unwrap();
        assert_eq!(answer, Answer { code: 403, body: "no\r\n\r\nmore".into() });
        assert!(parse("").is_err());
    }
}
