//! Comparisons of labels.

use api_monitoring::alertmanager_config::Matcher;

use crate::admission::problem::{Problem, broken};

/// Checks a comparison, unless it is one of the old kind.
pub(crate) fn check(matcher: &Matcher) -> Result<(), Problem> {
    if matcher.match_type.is_empty() {
        return Ok(());
    }
    if !matches!(&*matcher.match_type, "=" | "!=" | "=~" | "!~") {
        return broken(format!("invalid 'matchType' '{}' provided'", matcher.match_type));
    }
    if matcher.name.trim().is_empty() {
        return broken("matcher 'name' is required");
    }
    Ok(())
}

/// Shows comparisons of the new kind as Alertmanager writes them.
pub(crate) fn shown(matchers: &[Matcher]) -> String {
    let shown = matchers.iter().map(|matcher| {
        let value = matcher.value.replace('\\', r"\\").replace('\n', r"\n").replace('"', "\\\"");
        format!("{}{}\"{value}\"", matcher.name, matcher.match_type)
    });
    format!("[{}]", shown.collect::<Vec<_>>().join(" "))
}
