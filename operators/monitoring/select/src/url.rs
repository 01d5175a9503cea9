//! Addresses as Go reads them: it takes nearly everything, and what it refuses Prometheus could not use.

use std::net::{Ipv4Addr, Ipv6Addr};

use formats::quoted::Quoted;

use crate::problem::{Problem, Within, broken};

/// What of an address matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Url<'u> {
    /// `http` and the like, as it is written; empty, if there is none.
    pub scheme: &'u str,
    /// Host and port, as they are written; empty, if there are none.
    pub host: &'u str,
}

/// Why an address is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("parse {}: {fault}", Quoted(.text))]
pub struct Invalid {
    /// The address.
    pub text: String,
    /// What is wrong with it.
    pub fault: Fault,
}

/// What can be wrong with an address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It holds a character that cannot be seen.
    #[error("net/url: invalid control character in URL")]
    ControlCharacter,
    /// It begins with a colon.
    #[error("missing protocol scheme")]
    NoScheme,
    /// What should be the scheme is none.
    #[error("first path segment in URL cannot contain colon")]
    ColonInPath,
    /// The name of the user holds characters that it must not.
    #[error("net/url: invalid userinfo")]
    User,
    /// Brackets are not around the whole host.
    #[error("invalid IP-literal")]
    Literal,
    /// A bracket is not closed.
    #[error("missing ']' in host")]
    OpenBracket,
    /// The port is no number.
    #[error("invalid port {} after host", Quoted(.0))]
    Port(String),
    /// What is between brackets is no address.
    #[error("invalid host: ParseAddr({}): unable to parse IP", Quoted(.0))]
    Address(String),
    /// The host holds a character that it must not.
    #[error("invalid character {} in host name", Quoted(.0))]
    Character(String),
    /// A percent sign is not followed by two digits, or by such as may not be there.
    #[error("invalid URL escape {}", Quoted(.0))]
    Escape(String),
}

/// Parts of an address with escapes of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Host,
    Zone,
    Other,
}

/// Reads an address.
pub fn parse(text: &str) -> Result<Url<'_>, Invalid> {
    let (address, fragment) = text.split_once('#').unwrap_or((text, ""));
    let refused = |text: &str| {
        let text = text.to_owned();
        |fault| Invalid { text, fault }
    };
    let url = read(address).map_err(refused(address))?;
    check_escapes(fragment, Part::Other).map_err(refused(text))?;
    Ok(url)
}

/// The address of a server: it must have a scheme and a host.
pub(crate) fn check_server(server: &str) -> Result<(), Problem> {
    let url = parse(server).within("cannot parse server")?;
    if url.scheme.is_empty() || url.host.is_empty() {
        return broken(format!("must not be empty and have a scheme: {server}"));
    }
    Ok(())
}

fn read(text: &str) -> Result<Url<'_>, Fault> {
    if text.bytes().any(|byte| byte.is_ascii_control()) {
        return Err(Fault::ControlCharacter);
    }
    let (scheme, rest) = split_scheme(text)?;
    let rest = rest.split_once('?').map_or(rest, |(rest, _)| rest);
    if !rest.starts_with('/') {
        if !scheme.is_empty() {
            return Ok(Url { scheme, host: "" });
        }
        if rest.split('/').next().is_some_and(|segment| segment.contains(':')) {
            return Err(Fault::ColonInPath);
        }
    }
    let mut url = Url { scheme, host: "" };
    let mut path = rest;
    if let Some(after) = rest.strip_prefix("//").filter(|after| !scheme.is_empty() || !after.starts_with('/'))
    {
        let (authority, rest) = after.split_at(after.find('/').unwrap_or(after.len()));
        url.host = read_authority(scheme, authority)?;
        path = rest;
    }
    check_escapes(path, Part::Other)?;
    Ok(url)
}

fn split_scheme(text: &str) -> Result<(&str, &str), Fault> {
    let letters = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    let end = text.bytes().position(|byte| !letters(byte));
    match end.map(|end| (end, text.as_bytes()[end])) {
        Some((0, b':')) => Err(Fault::NoScheme),
        Some((end, b':')) if text.as_bytes()[0].is_ascii_alphabetic() => Ok((&text[..end], &text[end + 1..])),
        _ => Ok(("", text)),
    }
}

fn read_authority<'t>(scheme: &str, authority: &'t str) -> Result<&'t str, Fault> {
    let Some((user, host)) = authority.rsplit_once('@') else {
        check_host(scheme, authority)?;
        return Ok(authority);
    };
    check_host(scheme, host)?;
    if !user.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(&byte)) {
        return Err(Fault::User);
    }
    user.splitn(2, ':').try_for_each(|part| check_escapes(part, Part::Other))?;
    Ok(host)
}

fn check_host(scheme: &str, host: &str) -> Result<(), Fault> {
    match host.rfind('[') {
        Some(0) => return check_literal(host),
        Some(_) => return Err(Fault::Literal),
        None => {}
    }
    // Some databases have several hosts in one address; the web has not.
    let is_web = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
    let colon = if is_web { host.find(':') } else { host.rfind(':') };
    check_port(colon.map_or("", |colon| &host[colon..]))?;
    check_escapes(host, Part::Host)
}

/// An address of version 6 of the protocol, between brackets.
fn check_literal(host: &str) -> Result<(), Fault> {
    let close = host.rfind(']').ok_or(Fault::OpenBracket)?;
    let port = &host[close + 1..];
    check_port(port)?;
    check_escapes(port, Part::Host)?;
    let name = &host[1..close];
    let (address, zone) = name.split_at(name.find("%25").unwrap_or(name.len()));
    check_escapes(address, Part::Host)?;
    check_escapes(zone, Part::Zone)?;
    let zone = zone.strip_prefix("%25");
    if zone != Some("") && address.parse::<Ipv6Addr>().is_ok() {
        return Ok(());
    }
    if zone.is_none() && address.parse::<Ipv4Addr>().is_ok() {
        return Err(Fault::Literal);
    }
    Err(Fault::Address(name.replacen("%25", "%", 1)))
}

fn check_port(port: &str) -> Result<(), Fault> {
    let good = match port.strip_prefix(':') {
        Some(digits) => digits.bytes().all(|byte| byte.is_ascii_digit()),
        None => port.is_empty(),
    };
    if good { Ok(()) } else { Err(Fault::Port(port.to_owned())) }
}

fn check_escapes(text: &str, part: Part) -> Result<(), Fault> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte != b'%' {
            if part != Part::Other && byte.is_ascii() && !may_be_in_host(byte) {
                return Err(Fault::Character(char::from(byte).to_string()));
            }
            at += 1;
            continue;
        }
        let escape = &bytes[at..bytes.len().min(at + 3)];
        let refused = || Err(Fault::Escape(String::from_utf8_lossy(escape).into_owned()));
        let digit = |index: usize| {
            escape
                .get(index)
                .and_then(|digit| char::from(*digit).to_digit(16))
                .and_then(|digit| u8::try_from(digit).ok())
        };
        let (Some(high), Some(low)) = (digit(1), digit(2)) else { return refused() };
        let value = high << 4 | low;
        let allowed = match part {
            Part::Other => true,
            Part::Host => high >= 8 || escape == b"%25",
            Part::Zone => escape == b"%25" || value == b' ' || may_be_in_host(value),
        };
        if !allowed {
            return refused();
        }
        at += 3;
    }
    Ok(())
}

fn may_be_in_host(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!\"$&'()*+,-.:;<=>[]_~".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_go_takes_is_read() {
        for (text, scheme, host) in [
            ("", "", ""),
            ("*", "", ""),
            ("http://example.com:8080/a%20b?c=%zz#d", "http", "example.com:8080"),
            ("HTTPS://user:p%40ss@host", "HTTPS", "host"),
            ("unix:///var/run/docker.sock", "unix", ""),
            ("localhost:4646", "localhost", ""),
            ("mailto:a b", "mailto", ""),
            ("//host/path", "", "host"),
            ("///path", "", ""),
            ("/a:b", "", ""),
            ("http://[::1]:80/", "http", "[::1]:80"),
            ("http://[fe80::1%25en0]", "http", "[fe80::1%25en0]"),
            ("http://", "http", ""),
            ("mongodb://a:1,b:2", "mongodb", "a:1,b:2"),
        ] {
            assert_eq!(parse(text), Ok(Url { scheme, host }), "{text}");
        }
    }

    #[test]
    fn what_go_refuses_is_named() {
        for (text, words) in [
            ("http://a\nb", r#"parse "http://a\nb": net/url: invalid control character in URL"#),
            (":80", r#"parse ":80": missing protocol scheme"#),
            ("a_b:c/d", r#"parse "a_b:c/d": first path segment in URL cannot contain colon"#),
            ("127.0.0.1:80", r#"parse "127.0.0.1:80": first path segment in URL cannot contain colon"#),
            ("http://a b", r#"parse "http://a b": invalid character " " in host name"#),
            ("http://x-${y}:80", r#"parse "http://x-${y}:80": invalid character "{" in host name"#),
            ("http://a:b", r#"parse "http://a:b": invalid port ":b" after host"#),
            ("http://a:1,b:2", r#"parse "http://a:1,b:2": invalid port ":1,b:2" after host"#),
            ("http://a%41", r#"parse "http://a%41": invalid URL escape "%41""#),
            ("/%", r#"parse "/%": invalid URL escape "%""#),
            ("/%4", r#"parse "/%4": invalid URL escape "%4""#),
            ("/a#%zz", r#"parse "/a#%zz": invalid URL escape "%zz""#),
            ("http://a[b", r#"parse "http://a[b": invalid IP-literal"#),
            ("http://[127.0.0.1]", r#"parse "http://[127.0.0.1]": invalid IP-literal"#),
            ("http://[::1", r#"parse "http://[::1": missing ']' in host"#),
            ("http://[::1]a", r#"parse "http://[::1]a": invalid port "a" after host"#),
            ("http://[x]", r#"parse "http://[x]": invalid host: ParseAddr("x"): unable to parse IP"#),
            ("http://a^b@c", r#"parse "http://a^b@c": net/url: invalid userinfo"#),
        ] {
            assert_eq!(parse(text).unwrap_err().to_string(), words, "{text}");
        }
    }

    #[test]
    fn a_server_has_a_scheme_and_a_host() {
        assert_eq!(check_server("http://a"), Ok(()));
        for (text, words) in [
            ("a", "must not be empty and have a scheme: a"),
            ("a:80", "must not be empty and have a scheme: a:80"),
            (":80", r#"cannot parse server: parse ":80": missing protocol scheme"#),
        ] {
            assert_eq!(check_server(text).unwrap_err().to_string(), words);
        }
    }
}
