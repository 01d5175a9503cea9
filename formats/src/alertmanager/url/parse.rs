//! Text to parts.

use std::net::Ipv6Addr;

use super::escape::{Part, Wrong, unescape};
use super::{Escaped, Url, User};

/// A text that is no address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("parse {text:?}: {problem}")]
pub struct BadUrl {
    text: String,
    problem: String,
}

pub(super) fn parse(text: &str) -> Result<Url, BadUrl> {
    let (before, fragment) = text.split_once('#').unwrap_or((text, ""));
    let bad = |text: &str, problem| BadUrl { text: text.to_owned(), problem };
    let mut url = before_fragment(before).map_err(|problem| bad(before, problem))?;
    url.fragment = escaped(fragment, Part::Fragment).map_err(|problem| bad(text, problem))?;
    Ok(url)
}

fn before_fragment(text: &str) -> Result<Url, String> {
    if text.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
        return Err("net/url: invalid control character in URL".into());
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
            return Err("first path segment in URL cannot contain colon".into());
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
fn scheme(text: &str) -> Result<(&str, &str), String> {
    for (at, letter) in text.char_indices() {
        match letter {
            'a'..='z' | 'A'..='Z' => {}
            '0'..='9' | '+' | '-' | '.' if at > 0 => {}
            ':' if at == 0 => return Err("missing protocol scheme".into()),
            ':' => return Ok((&text[..at], &text[at + 1..])),
            _ => break,
        }
    }
    Ok(("", text))
}

/// User and host.
fn who_and_where(scheme: &str, authority: &str) -> Result<(Option<User>, Vec<u8>), String> {
    let (user, host) =
        authority.rsplit_once('@').map_or((None, authority), |(user, host)| (Some(user), host));
    let host = self::host(scheme, host)?;
    let Some(user) = user else { return Ok((None, host)) };
    let fits = |letter: char| letter.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(letter);
    if !user.chars().all(fits) {
        return Err("net/url: invalid userinfo".into());
    }
    let (name, password) = user.split_once(':').map_or((user, None), |(name, word)| (name, Some(word)));
    let read = |text: &str| unescape(text, Part::User).map_err(words);
    Ok((Some(User { name: read(name)?, password: password.map(read).transpose()? }), host))
}

fn host(scheme: &str, host: &str) -> Result<Vec<u8>, String> {
    match host.rfind('[') {
        Some(0) => return between_brackets(host),
        Some(_) => return Err("invalid IP-literal".into()),
        None => {}
    }
    // Only a web address may not have several colons.
    let strict = scheme == "http" || scheme == "https";
    if let Some(colon) = if strict { host.find(':') } else { host.rfind(':') } {
        check_port(&host[colon..])?;
    }
    unescape(host, Part::Host).map_err(words)
}

fn between_brackets(host: &str) -> Result<Vec<u8>, String> {
    let Some(end) = host.rfind(']') else { return Err("missing ']' in host".into()) };
    let port = &host[end + 1..];
    check_port(port)?;
    let address = &host[1..end];
    let zone = address.find("%25").unwrap_or(address.len());
    let mut meant = unescape(&address[..zone], Part::Host).map_err(words)?;
    let numbers = String::from_utf8_lossy(&meant).into_owned();
    meant.extend(unescape(&address[zone..], Part::Zone).map_err(words)?);
    if numbers.parse::<Ipv6Addr>().is_err() {
        let is_old = numbers.parse::<std::net::Ipv4Addr>().is_ok();
        let shown = String::from_utf8_lossy(&meant);
        return Err(if is_old {
            "invalid IP-literal".into()
        } else {
            format!("invalid host: ParseAddr({shown:?}): unable to parse IP")
        });
    }
    Ok([b"[", meant.as_slice(), b"]", port.as_bytes()].concat())
}

fn check_port(port: &str) -> Result<(), String> {
    let is_port =
        port.strip_prefix(':').is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
    if port.is_empty() || is_port { Ok(()) } else { Err(format!("invalid port {port:?} after host")) }
}

fn escaped(text: &str, part: Part) -> Result<Escaped, String> {
    Ok(Escaped { written: text.to_owned(), meant: unescape(text, part).map_err(words)? })
}

fn words(wrong: Wrong) -> String {
    match wrong {
        Wrong::Escape(escape) => format!("invalid URL escape {escape:?}"),
        Wrong::Host(letter) => format!("invalid character {:?} in host name", letter.to_string()),
    }
}
