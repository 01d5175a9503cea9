//! Parses an HTTP/1.1 answer. Pure: the bytes received so far in, the answer out once it is complete.

use httparse::{EMPTY_HEADER, Response, Status, parse_chunk_size};

const HEADERS: usize = 64;

/// An HTTP answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// The reason phrase.
    pub phrase: String,
    /// The body, or its first bytes if it is long.
    pub body: Vec<u8>,
}

/// The answer is not HTTP.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NotHttp;

/// How the length of a body is determined.
enum Framing {
    Length(usize),
    Chunks,
    Close,
}

/// Parses the bytes received so far. `ended`: no more bytes will be received.
pub(super) fn read(mut bytes: &[u8], ended: bool) -> Result<Option<Answer>, NotHttp> {
    loop {
        let mut headers = [EMPTY_HEADER; HEADERS];
        let mut response = Response::new(&mut headers);
        let Status::Complete(head) = response.parse(bytes).map_err(|_| NotHttp)? else { return Ok(None) };
        bytes = &bytes[head..];
        let status = response.code.ok_or(NotHttp)?;
        if (100..200).contains(&status) {
            continue;
        }
        let body = match framing(&response)? {
            Framing::Length(length) => bytes.get(..length).map(<[u8]>::to_vec),
            Framing::Chunks => chunks(bytes)?,
            Framing::Close => None,
        };
        let body = body.or_else(|| ended.then(|| bytes.to_vec()));
        return Ok(body.map(|body| Answer {
            status,
            phrase: response.reason.unwrap_or_default().into(),
            body,
        }));
    }
}

fn framing(response: &Response<'_, '_>) -> Result<Framing, NotHttp> {
    let header = |name: &str| {
        let found = response.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name));
        found.map(|header| std::str::from_utf8(header.value).map(str::trim).map_err(|_| NotHttp)).transpose()
    };
    if response.code == Some(204) || response.code == Some(304) {
        return Ok(Framing::Length(0));
    }
    if header("transfer-encoding")?.is_some_and(|value| value.eq_ignore_ascii_case("chunked")) {
        return Ok(Framing::Chunks);
    }
    match header("content-length")? {
        Some(length) => length.parse().map(Framing::Length).map_err(|_| NotHttp),
        None => Ok(Framing::Close),
    }
}

/// The body, joined from its chunks; `None` while the last chunk is missing.
fn chunks(mut bytes: &[u8]) -> Result<Option<Vec<u8>>, NotHttp> {
    let mut body = Vec::new();
    loop {
        let Status::Complete((head, size)) = parse_chunk_size(bytes).map_err(|_| NotHttp)? else {
            return Ok(None);
        };
        if size == 0 {
            return Ok(Some(body));
        }
        let size = usize::try_from(size).map_err(|_| NotHttp)?;
        let Some(chunk) = bytes[head..].get(..size) else { return Ok(None) };
        body.extend_from_slice(chunk);
        // A line break ends the chunk.
        let Some(rest) = bytes[head + size..].get(2..) else { return Ok(None) };
        bytes = rest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, phrase: &str, body: &str) -> Answer {
        Answer { status, phrase: phrase.into(), body: body.into() }
    }

    /// Checks that the answer is complete with this number of bytes, and not before.
    fn complete_at(text: &str, length: usize, expected: &Answer) {
        for end in 0..=text.len() {
            let found = read(&text.as_bytes()[..end], false);
            assert_eq!(found, Ok((end >= length).then(|| expected.clone())), "after {end}");
        }
    }

    #[test]
    fn a_body_has_its_content_length() {
        let text = "HTTP/1.1 500 Internal Server Error\r\ncontent-length: 3\r\n\r\nno!";
        complete_at(text, text.len(), &answer(500, "Internal Server Error", "no!"));
        let text = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
        complete_at(text, text.len(), &answer(200, "OK", ""));
    }

    #[test]
    fn chunks_are_joined() {
        let text = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n7;x=y\r\n, world\r\n0\r\n\r\n";
        let length = text.len() - 2;
        complete_at(text, length, &answer(200, "OK", "hello, world"));
    }

    #[test]
    fn without_a_length_the_body_ends_with_the_connection() {
        let text = b"HTTP/1.0 404 Not Found\r\n\r\nnothing";
        assert_eq!(read(text, false), Ok(None));
        assert_eq!(read(text, true), Ok(Some(answer(404, "Not Found", "nothing"))));
    }

    #[test]
    fn informational_answers_are_skipped() {
        let text = b"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n";
        assert_eq!(read(text, false), Ok(Some(answer(204, "No Content", ""))));
        // As many as fit into the limit: they must not need stack.
        let hints = "HTTP/1.1 100\r\n\r\n".repeat(4096);
        assert_eq!(read(hints.as_bytes(), true), Ok(None));
    }

    #[test]
    fn anything_else_is_an_error() {
        assert_eq!(read(b"SSH-2.0-OpenSSH\r\n", false), Err(NotHttp));
        assert_eq!(read(b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n", false), Err(NotHttp));
    }
}
