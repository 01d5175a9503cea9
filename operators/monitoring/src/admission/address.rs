//! URLs of receivers: they must be HTTP or HTTPS URLs with a host. A URL that may be a template is only checked as one.

use go_syntax::quoted::Quoted;
use go_syntax::template::{self, TemplateScope};
use go_syntax::url::{self, Url};
use monitoring_select::Problem;

use crate::admission::json_text;

/// Why a URL is invalid.
#[derive(Debug, thiserror::Error)]
enum Fault {
    #[error("{0}")]
    Text(String),
    #[error(transparent)]
    Url(#[from] url::InvalidUrl),
    #[error("unsupported scheme {} for URL", Quoted(.0))]
    Scheme(String),
    #[error("missing host for URL")]
    NoHost,
}

/// Checks a URL that messages may show. A missing or empty one is valid.
pub(super) fn check(address: Option<&str>) -> Result<(), Problem> {
    let Some(address) = address.filter(|address| !address.is_empty()) else { return Ok(()) };
    parse(address)
        .map_err(|fault| Problem::Text(format!("validate url from string failed for {address}: {fault}")))
}

/// Checks a URL that messages must not show.
pub(super) fn check_secret(address: &str) -> Result<(), Problem> {
    parse(address).map_err(|fault| {
        let message = match fault {
            Fault::Url(invalid) => format!("parse [REDACTED]: {}", invalid.fault),
            fault @ (Fault::Text(_) | Fault::Scheme(_) | Fault::NoHost) => fault.to_string(),
        };
        let message = message.replace(&format!("\"{address}\""), "[REDACTED]");
        Problem::Text(format!("validate url from string failed with error: {message}"))
    })
}

/// Checks a template, or a URL that messages must not show.
pub(super) fn check_template(address: &str) -> Result<(), Problem> {
    if !template::is_template(address) {
        return check_secret(address);
    }
    // Alertmanager parses the template before it adds its own functions.
    template::check(address, &TemplateScope::default()).map_err(|invalid| Problem::Text(invalid.to_string()))
}

/// The same; a missing or empty one is valid.
pub(super) fn check_optional_template(address: Option<&str>) -> Result<(), Problem> {
    address.filter(|address| !address.is_empty()).map_or(Ok(()), check_template)
}

fn parse(address: &str) -> Result<(), Fault> {
    let url = Url::parse(&json_text::read(address).map_err(Fault::Text)?)?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(Fault::Scheme(url.scheme().to_owned()));
    }
    if url.has_host() { Ok(()) } else { Err(Fault::NoHost) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn web_urls_are_valid() {
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
    fn others_are_rejected_and_shown() {
        for (address, message) in [
            ("a", r#"validate url from string failed for a: unsupported scheme "" for URL"#),
            ("FTP://a", r#"validate url from string failed for FTP://a: unsupported scheme "ftp" for URL"#),
            ("http:///a", "validate url from string failed for http:///a: missing host for URL"),
            (
                "http://%><a",
                r#"validate url from string failed for http://%><a: parse "http://%><a": invalid URL escape "%><""#,
            ),
            ("a\"b", "validate url from string failed for a\"b: invalid character 'b' after top-level value"),
        ] {
            assert_eq!(check(Some(address)).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn secret_ones_are_not_shown() {
        for (address, message) in [
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
            assert_eq!(check_secret(address).unwrap_err().to_string(), message);
        }
        assert_eq!(check_template("{{").unwrap_err().to_string(), "template: :1: unclosed action");
    }
}
