//! What an address must be where one is asked for.

use go_syntax::template::{self, Given};
use go_syntax::url::Url;

/// What stands for a secret in a file that was shown to a person.
const HIDDEN: &str = "<secret>";

/// Refuses what is no address on the web.
pub fn check(text: &str) -> Result<(), String> {
    on_the_web(text).map_err(|problem| format!("validate url from string failed for {text}: {problem}"))
}

/// Refuses what is no address on the web, without repeating it: it may hold a secret.
pub fn check_secret(text: &str) -> Result<(), String> {
    if text == HIDDEN {
        return Ok(());
    }
    let quoted = format!("\"{text}\"");
    let told = |problem: String| problem.replace(&quoted, "[REDACTED]");
    on_the_web(text)
        .map_err(|problem| format!("validate url from string failed with error: {}", told(problem)))
}

/// The same for what may be a template: then the template must be sound.
pub fn check_template(text: &str) -> Result<(), String> {
    if template::is_template(text) {
        template::check(text, &Given::default()).map_err(|error| error.to_string())
    } else {
        check_secret(text)
    }
}

/// The same for a text that the peer puts between quotes and reads from there.
fn on_the_web(text: &str) -> Result<(), String> {
    if let Some(letter) = text.chars().find(|letter| *letter < ' ') {
        return Err(format!("invalid character {letter:?} in string literal"));
    }
    if text.contains(['"', '\\']) {
        return Err("a web address holds no quotes and no backslashes".into());
    }
    check_web(text)
}

/// Refuses what is no address on the web, in words of its own.
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
    fn an_address_has_a_scheme_and_a_host() {
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
    fn a_secret_is_not_repeated() {
        assert_eq!(check_secret("<secret>"), Ok(()));
        assert_eq!(
            check_secret("http://a:secret"),
            Err("validate url from string failed with error: parse [REDACTED]: invalid port \":secret\" after host".into())
        );
    }

    #[test]
    fn a_template_need_not_be_an_address() {
        assert_eq!(check_template("{{ .A }}"), Ok(()));
        assert_eq!(check_template("http://{{ .A-b }}"), Err("template: :1: bad character U+002D '-'".into()));
    }
}
