//! Text to parts.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::escape::{Part, unescape};
use super::{Escaped, Fault, Invalid, Url, User};

pub(super) fn parse(text: &str) -> Result<Url, Invalid> {
    let (before, fragment) = text.split_once('#').unwrap_or((text, ""));
    let bad = |text: &str, fault| Invalid { text: text.to_owned(), fault };
    let mut url = before_fragment(before).map_err(|fault| bad(before, fault))?;
    url.fragment = escaped(fragment, Part::Fragment).map_err(|fault| bad(text, fault))?;
    Ok(url)
}

fn before_fragment(text: &str) -> Result<Url, Fault> {
    if text.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
        return Err(Fault::ControlCharacter);
    }
    let mut url = Url::default();
    let (scheme, rest) = scheme(text)?;
    url.scheme = scheme.to_ascii_lowercase();
    let (rest, query) = rest.split_once('?').map_or((rest, None), |(rest, query)| (rest, Some(query)));
    url.has_empty_query = query == Some("");
    query.unwrap_or_default().clone_into(&mut url.query);
    if !rest.starts_with('/') {
        if !url.scheme.is_empty() {
            rest.clone_into(&mut url.opaque);
            return Ok(url);
        }
        if rest.split('/').next().is_some_and(|segment| segment.contains(':')) {
            return Err(Fault::ColonInPath);
        }
    }
    let mut path = rest;
    if let Some(authority) = rest.strip_prefix("//")
        && (!url.scheme.is_empty() || !authority.starts_with('/'))
    {
        let end = authority.find('/').unwrap_or(authority.len());
        path = &authority[end..];
        (url.user, url.host) = who_and_where(&url.scheme, &authority[..end])?;
    } else if !url.scheme.is_empty() && rest.starts_with('/') {
        url.omits_host = true;
    }
    url.path = escaped(path, Part::Path)?;
    Ok(url)
}

/// What is before the first colon, if a scheme can be, and what is behind it.
fn scheme(text: &str) -> Result<(&str, &str), Fault> {
    for (at, letter) in text.char_indices() {
        match letter {
            'a'..='z' | 'A'..='Z' => {}
            '0'..='9' | '+' | '-' | '.' if at > 0 => {}
            ':' if at == 0 => return Err(Fault::NoScheme),
            ':' => return Ok((&text[..at], &text[at + 1..])),
            _ => break,
        }
    }
    Ok(("", text))
}

/// User and host.
fn who_and_where(scheme: &str, authority: &str) -> Result<(Option<User>, Vec<u8>), Fault> {
    let (user, host) =
        authority.rsplit_once('@').map_or((None, authority), |(user, host)| (Some(user), host));
    let host = self::host(scheme, host)?;
    let Some(user) = user else { return Ok((None, host)) };
    let fits = |letter: char| letter.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(letter);
    if !user.chars().all(fits) {
        return Err(Fault::User);
    }
    let (name, password) = user.split_once(':').map_or((user, None), |(name, word)| (name, Some(word)));
    let read = |text: &str| unescape(text, Part::User);
    Ok((Some(User { name: read(name)?, password: password.map(read).transpose()? }), host))
}

fn host(scheme: &str, host: &str) -> Result<Vec<u8>, Fault> {
    match host.rfind('[') {
        Some(0) => return between_brackets(host),
        Some(_) => return Err(Fault::Literal),
        None => {}
    }
    // Only a web address may not have several colons.
    let strict = scheme == "http" || scheme == "https";
    if let Some(colon) = if strict { host.find(':') } else { host.rfind(':') } {
        check_port(&host[colon..])?;
    }
    unescape(host, Part::Host)
}

/// An address of version 6 of the protocol, between brackets.
fn between_brackets(host: &str) -> Result<Vec<u8>, Fault> {
    let Some(end) = host.rfind(']') else { return Err(Fault::OpenBracket) };
    let port = &host[end + 1..];
    check_port(port)?;
    let inside = &host[1..end];
    let (address, zone) = inside.split_at(inside.find("%25").unwrap_or(inside.len()));
    let mut meant = unescape(address, Part::Host)?;
    let zone = unescape(zone, Part::Zone)?;
    let is_address = str::from_utf8(&meant).is_ok_and(|address| address.parse::<Ipv6Addr>().is_ok());
    let is_older = str::from_utf8(&meant).is_ok_and(|address| address.parse::<Ipv4Addr>().is_ok());
    meant.extend_from_slice(&zone);
    match zone.as_slice() {
        [] if is_older => Err(Fault::Literal),
        // A zone has a name behind its percent sign.
        [_] => Err(Fault::Address(meant)),
        _ if !is_address => Err(Fault::Address(meant)),
        _ => Ok([b"[", meant.as_slice(), b"]", port.as_bytes()].concat()),
    }
}

fn check_port(port: &str) -> Result<(), Fault> {
    let is_port =
        port.strip_prefix(':').is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
    if port.is_empty() || is_port { Ok(()) } else { Err(Fault::Port(port.to_owned())) }
}

fn escaped(text: &str, part: Part) -> Result<Escaped, Fault> {
    Ok(Escaped { written: text.to_owned(), meant: unescape(text, part)? })
}
