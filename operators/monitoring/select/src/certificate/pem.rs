//! PEM blocks of certificates and keys, parsed as leniently as by Go: text around blocks is skipped, and so are invalid
//! blocks.

use base64::Engine;
use base64::alphabet;
use base64::engine::{GeneralPurpose, GeneralPurposeConfig};

const BEGIN: &[u8] = b"-----BEGIN ";
const END: &[u8] = b"-----END ";
const DASHES: &[u8] = b"-----";

/// Unused bits at the end are ignored.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true),
);

/// A block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    /// Its label.
    pub(super) label: String,
    /// Its data.
    pub(super) data: Vec<u8>,
}

/// The first block of a text, and the rest.
pub(super) fn decode(text: &[u8]) -> Option<(Block, &[u8])> {
    let mut rest = text;
    loop {
        let end = find(rest, END)?;
        // The last beginning before the first end: the earlier ones have no end.
        if let Some(begin) = rest[..end].windows(BEGIN.len()).rposition(|window| window == BEGIN)
            && (begin == 0 || rest[begin - 1] == b'\n')
            && let Some(found) = read(&rest[begin + BEGIN.len()..], end - begin - BEGIN.len())
        {
            return Some(found);
        }
        rest = &rest[end + END.len()..];
    }
}

/// Parses a block from its label on. Its last line begins at `end`.
fn read(text: &[u8], end: usize) -> Option<(Block, &[u8])> {
    let (first, mut body_begin) = line(text);
    let label = first.strip_suffix(DASHES)?;
    let mut has_headers = false;
    loop {
        let (header, length) = line(text.get(body_begin..).filter(|rest| !rest.is_empty())?);
        if !header.contains(&b':') {
            break;
        }
        has_headers = true;
        body_begin += length;
    }
    if has_headers && body_begin > end {
        return None;
    }
    let after = text.get(end + END.len()..)?.strip_prefix(label)?.strip_prefix(DASHES)?;
    let (blank, length) = line(after);
    if !blank.is_empty() {
        return None;
    }
    let body = text.get(body_begin..end).unwrap_or_default();
    let letters: Vec<u8> =
        body.iter().copied().filter(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | b'\n')).collect();
    let data = BASE64.decode(letters).ok()?;
    Some((Block { label: String::from_utf8_lossy(label).into_owned(), data }, &after[length..]))
}

/// The first line without trailing blanks, and its length with the line break.
fn line(text: &[u8]) -> (&[u8], usize) {
    let (line, length) = match text.iter().position(|byte| *byte == b'\n') {
        Some(at) => (text[..at].strip_suffix(b"\r").unwrap_or(&text[..at]), at + 1),
        None => (text, text.len()),
    };
    let blanks = line.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    (&line[..line.len() - blanks], length)
}

fn find(text: &[u8], sought: &[u8]) -> Option<usize> {
    text.windows(sought.len()).position(|window| window == sought)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(text: &str) -> Vec<String> {
        let mut rest = text.as_bytes();
        let mut labels = Vec::new();
        while let Some((block, after)) = decode(rest) {
            labels.push(format!("{} {:?}", block.label, String::from_utf8_lossy(&block.data)));
            rest = after;
        }
        labels
    }

    #[test]
    fn blocks_are_found_in_other_text() {
        for (text, found) in [
            ("", vec![]),
            ("-----BEGIN A-----\nYQ==\n-----END A-----", vec![r#"A "a""#]),
            ("text\n-----BEGIN A-----\r\nY W\tI=\r\n-----END A-----  \r\nmore", vec![r#"A "ab""#]),
            ("-----BEGIN A-----\nKey: value\n\nYQ==\n-----END A-----\n", vec![r#"A "a""#]),
            ("-----BEGIN A-----\n-----BEGIN B-----\nYQ==\n-----END B-----\n", vec![r#"B "a""#]),
            (
                "-----BEGIN A-----\nYQ==\n-----END A-----\n-----BEGIN B C-----\nYg==\n-----END B C-----\n",
                vec![r#"A "a""#, r#"B C "b""#],
            ),
        ] {
            assert_eq!(labels(text), found, "{text}");
        }
    }

    #[test]
    fn invalid_blocks_are_skipped() {
        for invalid in [
            "-----BEGIN A-----\nYQ==\n-----END B-----\n",
            "-----BEGIN A-----\nY*==\n-----END A-----\n",
            "-----BEGIN A\nYQ==\n-----END A-----\n",
            "x-----BEGIN A-----\nYQ==\n-----END A-----\n",
            "-----BEGIN A-----\nYQ==\n-----END A-----x\n",
        ] {
            assert_eq!(labels(invalid), Vec::<String>::new(), "{invalid}");
            let good = "-----BEGIN G-----\nYQ==\n-----END G-----\n";
            assert_eq!(labels(&format!("{invalid}{good}")), [r#"G "a""#], "{invalid}");
        }
    }
}
