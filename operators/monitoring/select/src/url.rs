//! Addresses as Go reads them: it takes nearly everything, and what it refuses Prometheus could not use.

pub use go_syntax::url::{Invalid, Url};

use crate::problem::{Problem, Within, broken};

/// The address of a server: it must have a scheme and a host.
pub(crate) fn check_server(server: &str) -> Result<(), Problem> {
    let url = Url::parse(server).within("cannot parse server")?;
    if url.scheme().is_empty() || !url.has_host() {
        return broken(format!("must not be empty and have a scheme: {server}"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

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
