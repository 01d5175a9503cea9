//! Addresses of receivers: they must be of the web and have a host. One that may be a template is only read as such.

use go_syntax::quoted::Quoted;
use go_syntax::url::{self, Url};

use crate::admission::json_text;
use crate::admission::problem::Problem;
use crate::admission::template;

/// An address that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Invalid {
    /// One that messages may show.
    #[error("validate url from string failed for {address}: {fault}")]
    Open {
        /// The address.
        address: String,
        /// What is wrong with it.
        fault: Fault,
    },
    /// One that messages must not show.
    #[error("validate url from string failed with error: {0}")]
    Secret(String),
}

/// What can be wrong with an address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It cannot stand between quotes.
    #[error(transparent)]
    Text(json_text::Invalid),
    /// It is no address.
    #[error(transparent)]
    Url(url::Invalid),
    /// It is not of the web.
    #[error("unsupported scheme {} for URL", Quoted(.0))]
    Scheme(String),
    /// It has no host.
    #[error("missing host for URL")]
    NoHost,
}

/// An address that messages may show. Nothing, or an empty one, is good.
pub(crate) fn check(address: Option<&str>) -> Result<(), Invalid> {
    let Some(address) = address.filter(|address| !address.is_empty()) else { return Ok(()) };
    fault(address).map_err(|fault| Invalid::Open { address: address.to_owned(), fault })
}

/// An address that messages must not show.
pub(crate) fn check_secret(address: &str) -> Result<(), Invalid> {
    fault(address).map_err(|fault| {
        let words = match fault {
            Fault::Url(invalid) => format!("parse [REDACTED]: {}", invalid.fault),
            fault @ (Fault::Text(_) | Fault::Scheme(_) | Fault::NoHost) => fault.to_string(),
        };
        Invalid::Secret(words.replace(&format!("\"{address}\""), "[REDACTED]"))
    })
}

/// A template, or an address that messages must not show.
pub(crate) fn check_template(address: &str) -> Result<(), Problem> {
    if template::is_template(address) {
        template::check(address)?;
    } else {
        check_secret(address)?;
    }
    Ok(())
}

/// The same, if there is one that is not empty.
pub(crate) fn check_optional_template(address: Option<&str>) -> Result<(), Problem> {
    address.filter(|address| !address.is_empty()).map_or(Ok(()), check_template)
}

fn fault(address: &str) -> Result<(), Fault> {
    let address = json_text::read(address).map_err(Fault::Text)?;
    let url = Url::parse(&address).map_err(Fault::Url)?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(Fault::Scheme(url.scheme().to_owned()));
    }
    if url.has_host() { Ok(()) } else { Err(Fault::NoHost) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_the_web_are_good() {
        for address in ["http://a", "HTTPS://a:80/b?c#d", r"http:\/\/a", "http://[::1]:9093/"] {
            assert_eq!(check(Some(address)), Ok(()), "{address}");
            assert_eq!(check_secret(address), Ok(()), "{address}");
        }
        assert_eq!(check(None), Ok(()));
        assert_eq!(check(Some("")), Ok(()));
        assert_eq!(check_optional_template(None), Ok(()));
        assert_eq!(check_template("https://{{ .GroupLabels.host }}/"), Ok(()));
    }

    #[test]
    fn others_are_refused_and_shown() {
        for (address, words) in [
            ("a", r#"validate url from string failed for a: unsupported scheme "" for URL"#),
            ("FTP://a", r#"validate url from string failed for FTP://a: unsupported scheme "ftp" for URL"#),
            ("http:///a", "validate url from string failed for http:///a: missing host for URL"),
            (
                "http://%><a",
                r#"validate url from string failed for http://%><a: parse "http://%><a": invalid URL escape "%><""#,
            ),
            ("a\"b", "validate url from string failed for a\"b: invalid character 'b' after top-level value"),
        ] {
            assert_eq!(check(Some(address)).unwrap_err().to_string(), words);
        }
    }

    #[test]
    fn secret_ones_are_not_shown() {
        for (address, words) in [
            ("", "validate url from string failed with error: unsupported scheme [REDACTED] for URL"),
            (
                "http://%><a",
                r#"validate url from string failed with error: parse [REDACTED]: invalid URL escape "%><""#,
            ),
            (
                ":secret#more",
                "validate url from string failed with error: parse [REDACTED]: missing protocol scheme",
            ),
        ] {
            assert_eq!(check_secret(address).unwrap_err().to_string(), words);
        }
        assert_eq!(check_template("{{").unwrap_err().to_string(), "template: :1: unclosed action");
    }
}
