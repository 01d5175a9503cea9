//! Parsing of URLs.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::escape::{Part, unescape};
use super::{Escaped, InvalidUrl, Url, UrlFault, User};

pub(super) fn parse(text: &str) -> Result<Url, InvalidUrl> {
    let (before, fragment) = text.split_once('#').unwrap_or((text, ""));
    let bad = |text: &str, fault| InvalidUrl { text: text.to_owned(), fault };
    let mut url = before_fragment(before).map_err(|fault| bad(before, fault))?;
    url.fragment = escaped(fragment, Part::Fragment).map_err(|fault| bad(text, fault))?;
    Ok(url)
}

fn before_fragment(text: &str) -> Result<Url, UrlFault> {
    if text.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
        return Err(UrlFault::ControlCharacter);
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
            return Err(UrlFault::ColonInPath);
        }
    }
    let mut path = rest;
    if let Some(authority) = rest.strip_prefix("//")
        && (!url.scheme.is_empty() || !authority.starts_with('/'))
    {
        let end = authority.find('/').unwrap_or(authority.len());
        path = &authority[end..];
        (url.user, url.host) = user_and_host(&url.scheme, &authority[..end])?;
    } else if !url.scheme.is_empty() && rest.starts_with('/') {
        url.omits_host = true;
    }
    url.path = escaped(path, Part::Path)?;
    Ok(url)
}

/// Splits off the scheme, if there is one.
fn scheme(text: &str) -> Result<(&str, &str), UrlFault> {
    for (at, character) in text.char_indices() {
        match character {
            'a'..='z' | 'A'..='Z' => {}
            '0'..='9' | '+' | '-' | '.' if at > 0 => {}
            ':' if at == 0 => return Err(UrlFault::NoScheme),
            ':' => return Ok((&text[..at], &text[at + 1..])),
            _ => break,
        }
    }
    Ok(("", text))
}

/// User information and host.
fn user_and_host(scheme: &str, authority: &str) -> Result<(Option<User>, Vec<u8>), UrlFault> {
    let (user, host) =
        authority.rsplit_once('@').map_or((None, authority), |(user, host)| (Some(user), host));
    let host = self::host(scheme, host)?;
    let Some(user) = user else { return Ok((None, host)) };
    let is_allowed =
        |character: char| character.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(character);
    if !user.chars().all(is_allowed) {
        return Err(UrlFault::User);
    }
    let (name, password) = user.split_once(':').map_or((user, None), |(name, word)| (name, Some(word)));
    let read = |text: &str| unescape(text, Part::User);
    Ok((Some(User { name: read(name)?, password: password.map(read).transpose()? }), host))
}

fn host(scheme: &str, host: &str) -> Result<Vec<u8>, UrlFault> {
    match host.rfind('[') {
        Some(0) => return between_brackets(host),
        Some(_) => return Err(UrlFault::Literal),
        None => {}
    }
    // Go rejects a second colon only in web addresses.
    let strict = scheme == "http" || scheme == "https";
    if let Some(colon) = if strict { host.find(':') } else { host.rfind(':') } {
        check_port(&host[colon..])?;
    }
    unescape(host, Part::Host)
}

/// An IPv6 address in brackets.
fn between_brackets(host: &str) -> Result<Vec<u8>, UrlFault> {
    let Some(end) = host.rfind(']') else { return Err(UrlFault::OpenBracket) };
    let port = &host[end + 1..];
    check_port(port)?;
    let inside = &host[1..end];
    let (address, zone) = inside.split_at(inside.find("%25").unwrap_or(inside.len()));
    let mut value = unescape(address, Part::Host)?;
    let zone = unescape(zone, Part::Zone)?;
    let is_address = str::from_utf8(&value).is_ok_and(|address| address.parse::<Ipv6Addr>().is_ok());
    let is_older = str::from_utf8(&value).is_ok_and(|address| address.parse::<Ipv4Addr>().is_ok());
    value.extend_from_slice(&zone);
    match zone.as_slice() {
        [] if is_older => Err(UrlFault::Literal),
        // A zone has a name after its percent sign.
        [_] => Err(UrlFault::Address(value)),
        _ if !is_address => Err(UrlFault::Address(value)),
        _ => Ok([b"[", value.as_slice(), b"]", port.as_bytes()].concat()),
    }
}

fn check_port(port: &str) -> Result<(), UrlFault> {
    let is_port =
        port.strip_prefix(':').is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
    if port.is_empty() || is_port { Ok(()) } else { Err(UrlFault::Port(port.to_owned())) }
}

fn escaped(text: &str, part: Part) -> Result<Escaped, UrlFault> {
    Ok(Escaped { written: text.to_owned(), value: unescape(text, part)? })
}
