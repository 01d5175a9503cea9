//! An answer in HTTP/1.1. Pure: the bytes so far in, the answer out once it is complete.

use httparse::{EMPTY_HEADER, Response, Status, parse_chunk_size};

const HEADERS: usize = 64;

/// A status and what was said to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Three digits.
    pub status: u16,
    /// The words behind them.
    pub phrase: String,
    /// The body; its beginning, if it is long.
    pub body: Vec<u8>,
}

/// What came is not HTTP.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Nonsense;

/// Where a body ends.
enum Framing {
    Length(usize),
    Chunks,
    Close,
}

/// Reads the response from the bytes so far. `ended`: no more bytes will come.
pub(super) fn read(mut bytes: &[u8], ended: bool) -> Result<Option<Answer>, Nonsense> {
    loop {
        let mut headers = [EMPTY_HEADER; HEADERS];
        let mut response = Response::new(&mut headers);
        let Status::Complete(head) = response.parse(bytes).map_err(|_| Nonsense)? else { return Ok(None) };
        bytes = &bytes[head..];
        let status = response.code.ok_or(Nonsense)?;
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

fn framing(response: &Response<'_, '_>) -> Result<Framing, Nonsense> {
    let header = |name: &str| {
        let found = response.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name));
        found.map(|header| std::str::from_utf8(header.value).map(str::trim).map_err(|_| Nonsense)).transpose()
    };
    if response.code == Some(204) || response.code == Some(304) {
        return Ok(Framing::Length(0));
    }
    if header("transfer-encoding")?.is_some_and(|value| value.eq_ignore_ascii_case("chunked")) {
        return Ok(Framing::Chunks);
    }
    match header("content-length")? {
        Some(length) => length.parse().map(Framing::Length).map_err(|_| Nonsense),
        None => Ok(Framing::Close),
    }
}

/// The body out of its chunks; `None` while the last one is missing.
fn chunks(mut bytes: &[u8]) -> Result<Option<Vec<u8>>, Nonsense> {
    let mut body = Vec::new();
    loop {
        let Status::Complete((head, size)) = parse_chunk_size(bytes).map_err(|_| Nonsense)? else {
            return Ok(None);
        };
        if size == 0 {
            return Ok(Some(body));
        }
        let size = usize::try_from(size).map_err(|_| Nonsense)?;
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

    /// The answer is found exactly when its last byte has come.
    fn complete_at(text: &str, length: usize, expected: &Answer) {
        for end in 0..=text.len() {
            let found = read(&text.as_bytes()[..end], false);
            assert_eq!(found, Ok((end >= length).then(|| expected.clone())), "after {end}");
        }
    }

    #[test]
    fn a_body_has_the_length_that_was_announced() {
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
    fn without_a_length_the_end_is_the_end() {
        let text = b"HTTP/1.0 404 Not Found\r\n\r\nnothing";
        assert_eq!(read(text, false), Ok(None));
        assert_eq!(read(text, true), Ok(Some(answer(404, "Not Found", "nothing"))));
    }

    #[test]
    fn what_comes_before_the_answer_is_passed_over() {
        let text = b"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n";
        assert_eq!(read(text, false), Ok(Some(answer(204, "No Content", ""))));
        // As many as are read at most: none of them may cost stack.
        let hints = "HTTP/1.1 100\r\n\r\n".repeat(4096);
        assert_eq!(read(hints.as_bytes(), true), Ok(None));
    }

    #[test]
    fn anything_else_is_nonsense() {
        assert_eq!(read(b"SSH-2.0-OpenSSH\r\n", false), Err(Nonsense));
        assert_eq!(read(b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n", false), Err(Nonsense));
    }
}
