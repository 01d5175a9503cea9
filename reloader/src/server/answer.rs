//! HTTP requests and responses. Pure: bytes in, bytes out.

use httparse::{EMPTY_HEADER, Request as Head, Status};

const HEADERS: usize = 64;

/// A request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Request {
    /// Whether the response has no body: for HEAD.
    pub(super) head_only: bool,
    /// The path without the query.
    pub(super) path: String,
    /// The header `Authorization`.
    pub(super) authorization: Option<Vec<u8>>,
}

/// The request is not HTTP.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NotHttp;

impl Request {
    /// Parses the bytes received so far; `None` while the head is not complete.
    pub(super) fn read(bytes: &[u8]) -> Result<Option<Self>, NotHttp> {
        let mut headers = [EMPTY_HEADER; HEADERS];
        let mut head = Head::new(&mut headers);
        let Status::Complete(_) = head.parse(bytes).map_err(|_| NotHttp)? else { return Ok(None) };
        let path = head.path.ok_or(NotHttp)?;
        let authorization =
            head.headers.iter().find(|header| header.name.eq_ignore_ascii_case("authorization"));
        Ok(Some(Self {
            head_only: head.method == Some("HEAD"),
            path: path.split_once('?').map_or(path, |(path, _)| path).into(),
            authorization: authorization.map(|header| header.value.to_vec()),
        }))
    }
}

/// A response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Response {
    pub(super) status: &'static str,
    pub(super) content_type: &'static str,
    pub(super) body: String,
    /// Names and values of additional headers.
    pub(super) headers: Vec<(String, String)>,
}

impl Response {
    /// The response 200.
    pub(super) fn ok(content_type: &'static str, body: String) -> Self {
        Self { status: "200 OK", content_type, body, headers: Vec::new() }
    }

    /// An error response.
    pub(super) fn error(status: &'static str) -> Self {
        let phrase = status.split_once(' ').map_or(status, |(_, phrase)| phrase);
        Self {
            status,
            content_type: "text/plain; charset=utf-8",
            body: format!("{phrase}\n"),
            headers: Vec::new(),
        }
    }

    /// The bytes to send.
    pub(super) fn bytes(&self, head_only: bool) -> Vec<u8> {
        let mut text = format!(
            "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n",
            self.status,
            self.content_type,
            self.body.len()
        );
        for (name, value) in &self.headers {
            text.push_str(name);
            text.push_str(": ");
            text.push_str(value);
            text.push_str("\r\n");
        }
        text.push_str("\r\n");
        if !head_only {
            text.push_str(&self.body);
        }
        text.into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_parsed_when_its_head_is_complete() {
        let text = b"GET /metrics?a=b HTTP/1.1\r\nHost: x\r\nAUTHORIZATION: Basic abc\r\n\r\n";
        for end in 0..text.len() {
            assert_eq!(Request::read(&text[..end]), Ok(None));
        }
        let authorization = Some(b"Basic abc".to_vec());
        let expected = Request { head_only: false, path: "/metrics".into(), authorization };
        assert_eq!(Request::read(text), Ok(Some(expected)));
        let expected = Request { head_only: true, path: "/".into(), authorization: None };
        assert_eq!(Request::read(b"HEAD / HTTP/1.0\r\n\r\n"), Ok(Some(expected)));
        assert_eq!(Request::read(b"\x16\x03\x01 hello"), Err(NotHttp));
    }

    #[test]
    fn a_response_has_its_content_length() {
        let mut response = Response::ok("application/json", "{}".into());
        response.headers.push(("X-Frame-Options".into(), "deny".into()));
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\
                    X-Frame-Options: deny\r\n\r\n";
        assert_eq!(String::from_utf8(response.bytes(true)).unwrap(), head);
        assert_eq!(String::from_utf8(response.bytes(false)).unwrap(), format!("{head}{{}}"));
        assert_eq!(Response::error("404 Not Found").body, "Not Found\n");
    }
}
