//! Checks of fields that contain URLs.

use go_syntax::template::{self, TemplateScope};
use go_syntax::url::Url;

/// What Alertmanager shows in place of a secret.
pub(in crate::alertmanager) const HIDDEN: &str = "<secret>";

/// Checks a web URL.
pub fn check(text: &str) -> Result<(), String> {
    web_url(text).map_err(|problem| format!("validate url from string failed for {text}: {problem}"))
}

/// Checks a web URL. The error does not contain it, because it can be secret.
pub fn check_secret(text: &str) -> Result<(), String> {
    if text == HIDDEN {
        return Ok(());
    }
    let quoted = format!("\"{text}\"");
    let redacted = |problem: String| problem.replace(&quoted, "[REDACTED]");
    web_url(text)
        .map_err(|problem| format!("validate url from string failed with error: {}", redacted(problem)))
}

/// Checks a web URL or a template for one.
pub fn check_template(text: &str) -> Result<(), String> {
    if template::is_template(text) {
        template::check(text, &TemplateScope::default()).map_err(|error| error.to_string())
    } else {
        check_secret(text)
    }
}

/// Checks a web URL. The Prometheus Operator puts the text into a JSON string and parses that.
fn web_url(text: &str) -> Result<(), String> {
    if let Some(character) = text.chars().find(|character| *character < ' ') {
        return Err(format!("invalid character {character:?} in string literal"));
    }
    if text.contains(['"', '\\']) {
        return Err("a web URL contains no quotes and no backslashes".into());
    }
    check_web(text)
}

/// Checks a web URL, with the errors of Alertmanager.
pub(in crate::alertmanager) fn check_web(text: &str) -> Result<(), String> {
    let url = Url::parse(text).map_err(|error| error.to_string())?;
    if url.scheme() != "http" && url.scheme() != "https" {
        return Err(format!("unsupported scheme {:?} for URL", url.scheme()));
    }
    if !url.has_host() {
        return Err("missing host for URL".into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_needs_a_scheme_and_a_host() {
        assert_eq!(check("https://a.b/c?d"), Ok(()));
        for (text, problem) in [
            ("not-a-valid-url", "unsupported scheme \"\" for URL"),
            ("ftp://a", "unsupported scheme \"ftp\" for URL"),
            ("http:///a", "missing host for URL"),
            ("://a", "parse \"://a\": missing protocol scheme"),
        ] {
            assert_eq!(check(text), Err(format!("validate url from string failed for {text}: {problem}")));
        }
    }

    #[test]
    fn secret_urls_are_redacted_in_errors() {
        assert_eq!(check_secret("<secret>"), Ok(()));
        assert_eq!(
            check_secret("http://a:secret"),
            Err("validate url from string failed with error: parse [REDACTED]: invalid port \":secret\" after host".into())
        );
    }

    #[test]
    fn a_template_is_not_checked_as_a_url() {
        assert_eq!(check_template("{{ .A }}"), Ok(()));
        assert_eq!(check_template("http://{{ .A-b }}"), Err("template: :1: bad character U+002D '-'".into()));
    }
}
