//! Hosts with or without a port, such as the address of a prober.

use std::net::IpAddr;

use go_syntax::host_port;
use go_syntax::quoted::Quoted;

use crate::problem::{Problem, broken};

/// Longest label of a name.
const LONGEST_LABEL: usize = 63;

/// Longest name, without its dots.
const LONGEST_NAME: usize = 255;

/// Whether this is `host` or `host:port`.
pub(crate) fn check(text: &str) -> Result<(), Problem> {
    let Some((host, port)) = host_port::split(text).ok() else {
        return if is_host(text) { Ok(()) } else { broken(format!("invalid host: {}", Quoted(text))) };
    };
    if !is_host(host) {
        return broken(format!("invalid host: {}", Quoted(host)));
    }
    if !is_port(port) {
        return broken(format!("invalid port: {}", Quoted(port)));
    }
    Ok(())
}

fn is_host(text: &str) -> bool {
    text.parse::<IpAddr>().is_ok() || is_name(text)
}

/// Whether this is a DNS name. Underscores are allowed everywhere, and a dot at the end.
fn is_name(text: &str) -> bool {
    let letters = text.bytes().filter(|byte| *byte != b'.').count();
    if letters == 0 || letters > LONGEST_NAME {
        return false;
    }
    let is_label = |label: &str, longest: usize| {
        (1..=longest).contains(&label.len())
            && !label.starts_with('-')
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
    };
    let name = text.strip_suffix('.').unwrap_or(text);
    let (labels, last) = name.rsplit_once('.').map_or((None, name), |(labels, last)| (Some(labels), last));
    // One more underscore is allowed at the end.
    let longest = LONGEST_LABEL + usize::from(text.ends_with('_'));
    labels.is_none_or(|labels| labels.split('.').all(|label| is_label(label, LONGEST_LABEL)))
        && is_label(last, longest)
}

fn is_port(text: &str) -> bool {
    let digits = text.strip_prefix('+').unwrap_or(text);
    digits.bytes().all(|byte| byte.is_ascii_digit())
        && digits.parse::<i64>().is_ok_and(|port| (1..=65_535).contains(&port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_with_and_without_ports_are_valid() {
        let long = "a".repeat(63);
        for good in [
            "prober",
            "prober:9115",
            "blackbox.example.com.",
            "_a_.b-c:+80",
            "10.0.0.1",
            "10.0.0.1:80",
            "::1",
            "[::1]:80",
            "1.2.3",
            &long,
            &format!("{long}_"),
        ] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
    }

    #[test]
    fn other_texts_are_rejected() {
        for (text, words) in [
            ("", r#"invalid host: """#),
            ("http://a", r#"invalid port: "//a""#),
            ("a:", r#"invalid port: """#),
            ("a:0", r#"invalid port: "0""#),
            ("a:65536", r#"invalid port: "65536""#),
            ("a:http", r#"invalid port: "http""#),
            ("-a", r#"invalid host: "-a""#),
            ("a..b", r#"invalid host: "a..b""#),
            (".", r#"invalid host: ".""#),
            ("a/b", r#"invalid host: "a/b""#),
            (":80", r#"invalid host: """#),
            ("[::1]", r#"invalid host: "[::1]""#),
            ("[::1]80", r#"invalid host: "[::1]80""#),
            ("a:b:c", r#"invalid host: "a:b:c""#),
        ] {
            assert_eq!(check(text).unwrap_err().to_string(), words, "{text}");
        }
        let long = "a".repeat(64);
        assert_eq!(check(&long).unwrap_err().to_string(), format!("invalid host: \"{long}\""));
        let many = vec!["a".repeat(63); 5].join(".");
        assert_eq!(check(&many).unwrap_err().to_string(), format!("invalid host: \"{many}\""));
    }
}
