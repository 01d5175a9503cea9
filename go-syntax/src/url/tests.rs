//! URLs that Go accepts, how it formats them, and its errors for others.

use proptest::prelude::*;

use super::Url;

#[test]
fn what_go_accepts_is_parsed() {
    for (text, scheme, host) in [
        ("", "", ""),
        ("*", "", ""),
        ("http://example.com:8080/a%20b?c=%zz#d", "http", "example.com:8080"),
        ("HTTPS://user:p%40ss@host", "https", "host"),
        ("unix:///var/run/docker.sock", "unix", ""),
        ("localhost:4646", "localhost", ""),
        ("mailto:a b", "mailto", ""),
        ("//host/path", "", "host"),
        ("///path", "", ""),
        ("/a:b", "", ""),
        ("http://[::1]:80/", "http", "[::1]:80"),
        ("http://[fe80::1%25en0]", "http", "[fe80::1%en0]"),
        ("http://", "http", ""),
        ("mongodb://a:1,b:2", "mongodb", "a:1,b:2"),
    ] {
        let url = Url::parse(text).unwrap();
        assert_eq!((url.scheme(), url.host.as_slice()), (scheme, host.as_bytes()), "{text}");
        assert_eq!(url.has_host(), !host.is_empty());
    }
}

#[test]
fn invalid_urls_are_rejected_as_in_go() {
    for (text, message) in [
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
        (
            "http://[fe80::1%25]",
            r#"parse "http://[fe80::1%25]": invalid host: ParseAddr("fe80::1%"): unable to parse IP"#,
        ),
        ("/%é", r#"parse "/%é": invalid URL escape "%é""#),
        ("http://[x]", r#"parse "http://[x]": invalid host: ParseAddr("x"): unable to parse IP"#),
        ("http://a^b@c", r#"parse "http://a^b@c": net/url: invalid userinfo"#),
    ] {
        assert_eq!(Url::parse(text).unwrap_err().to_string(), message, "{text}");
    }
}

#[test]
fn urls_are_normalized() {
    for (text, expected) in [
        ("HTTP://Example.com", "http://Example.com"),
        ("http://a/b c", "http://a/b%20c"),
        ("http://a/b%2fc", "http://a/b%2fc"),
        ("http://a/é", "http://a/%C3%A9"),
        ("http://a?", "http://a?"),
        ("http://a/?q=a b#f g", "http://a/?q=a b#f%20g"),
        ("http://u:p@a:80/", "http://u:p@a:80/"),
        ("http://u@[::1]:80/x", "http://u@[::1]:80/x"),
        ("mailto:a@b", "mailto:a@b"),
        ("/a:b", "/a:b"),
        ("a/b:c", "a/b:c"),
        ("file:/a", "file:/a"),
        ("file:///a", "file:///a"),
        ("", ""),
        ("*", "*"),
        ("http://a#", "http://a"),
    ] {
        assert_eq!(Url::parse(text).unwrap().to_string(), expected, "{text:?}");
    }
}

#[test]
fn errors_are_those_of_go() {
    for (text, expected) in [
        ("://a", "parse \"://a\": missing protocol scheme"),
        ("http://a:b", "parse \"http://a:b\": invalid port \":b\" after host"),
        ("http://a/%zz", "parse \"http://a/%zz\": invalid URL escape \"%zz\""),
        ("http://a b", "parse \"http://a b\": invalid character \" \" in host name"),
        ("http://[::1", "parse \"http://[::1\": missing ']' in host"),
        ("a:b\n", "parse \"a:b\\n\": net/url: invalid control character in URL"),
        ("1:2", "parse \"1:2\": first path segment in URL cannot contain colon"),
        ("http://a\\b@c", "parse \"http://a\\\\b@c\": net/url: invalid userinfo"),
        ("http://a:1:2", "parse \"http://a:1:2\": invalid port \":1:2\" after host"),
    ] {
        assert_eq!(Url::parse(text).unwrap_err().to_string(), expected);
    }
}

#[test]
fn a_password_can_be_redacted() {
    let url = Url::parse("http://u:p@a/x").unwrap();
    assert_eq!(url.redacted().to_string(), "http://u:xxxxx@a/x");
    assert_eq!(Url::parse("http://u@a/x").unwrap().redacted().to_string(), "http://u@a/x");
}

proptest! {
    #[test]
    fn a_formatted_url_is_parsed_back(text in "(https?://)?[a-z%:@/?#. é\\[\\]]{0,20}") {
        if let Ok(url) = Url::parse(&text) {
            let written = url.to_string();
            prop_assert_eq!(Url::parse(&written).map(|rewritten| rewritten.to_string()), Ok(written));
        }
    }
}
