//! Escaping: which characters are allowed in which part of a URL.

use super::UrlFault;

/// A part of a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Host,
    /// What follows `%25` in an address in brackets.
    Zone,
    User,
    Path,
    Fragment,
}

/// Whether a byte must be escaped.
fn is_escaped(byte: u8, part: Part) -> bool {
    match byte {
        character if character.is_ascii_alphanumeric() || b"-_.~$&+,;=".contains(&character) => false,
        b':' => part == Part::User,
        b'/' | b'@' => part == Part::User || matches!(part, Part::Host | Part::Zone),
        b'?' => part != Part::Fragment,
        b'!' | b'(' | b')' | b'*' => !matches!(part, Part::Host | Part::Zone | Part::Fragment),
        b'\'' | b'[' | b']' | b'<' | b'>' | b'"' => !matches!(part, Part::Host | Part::Zone),
        _ => true,
    }
}

/// Escapes the characters that must be escaped.
pub(super) fn escape(bytes: &[u8], part: Part) -> String {
    let mut text = String::with_capacity(bytes.len());
    for byte in bytes {
        if is_escaped(*byte, part) {
            text.push('%');
            text.extend(
                [byte >> 4, byte & 15]
                    .into_iter()
                    .filter_map(|half| char::from_digit(half.into(), 16))
                    .map(|digit| digit.to_ascii_uppercase()),
            );
        } else {
            text.push(char::from(*byte));
        }
    }
    text
}

/// Whether a text needs no more escaping. Its escape sequences were checked before.
pub(super) fn is_valid(text: &str, part: Part) -> bool {
    let is_fine = |byte: u8| b"!$&'()*+,;=:@[]%".contains(&byte) || !is_escaped(byte, part);
    text.bytes().all(is_fine)
}

/// Removes the escaping of a text.
pub(super) fn unescape(text: &str, part: Part) -> Result<Vec<u8>, UrlFault> {
    let bytes = text.as_bytes();
    let mut value = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        if *byte != b'%' {
            if matches!(part, Part::Host | Part::Zone) && byte.is_ascii() && is_escaped(*byte, part) {
                return Err(UrlFault::Character(char::from(*byte)));
            }
            value.push(*byte);
            at += 1;
            continue;
        }
        let written = &bytes[at..bytes.len().min(at + 3)];
        let wrong = || UrlFault::Escape(written.to_vec());
        let Some(decoded) = decode(written) else { return Err(wrong()) };
        let may_be_here = match part {
            Part::Host => decoded >= 0x80 || written == b"%25",
            Part::Zone => written == b"%25" || decoded == b' ' || !is_escaped(decoded, Part::Host),
            Part::User | Part::Path | Part::Fragment => true,
        };
        if !may_be_here {
            return Err(wrong());
        }
        value.push(decoded);
        at += 3;
    }
    Ok(value)
}

/// The byte for a percent sign with two digits.
fn decode(written: &[u8]) -> Option<u8> {
    let [_, high, low] = written else { return None };
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}
