//! Label and field selectors, as far as a frozen view must answer them. Pure.

use serde_json::Value;

/// A selector that a frozen view does not know.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a frozen view cannot select by `{0}`")]
pub(super) struct Unknown(String);

/// One requirement on one value.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Requirement {
    Exists(String),
    Missing(String),
    In(String, Vec<String>),
    NotIn(String, Vec<String>),
}

impl Requirement {
    fn key(&self) -> &str {
        match self {
            Self::Exists(key) | Self::Missing(key) | Self::In(key, _) | Self::NotIn(key, _) => key,
        }
    }

    fn holds<'a>(&self, value: impl Fn(&str) -> Option<&'a str>) -> bool {
        match self {
            Self::Exists(key) => value(key).is_some(),
            Self::Missing(key) => value(key).is_none(),
            Self::In(key, values) => value(key).is_some_and(|value| values.iter().any(|one| one == value)),
            // What lacks the label is not in the set either: so says the server.
            Self::NotIn(key, values) => {
                !value(key).is_some_and(|value| values.iter().any(|one| one == value))
            }
        }
    }
}

/// Which objects of a kind are meant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Selector {
    labels: Vec<Requirement>,
    fields: Vec<Requirement>,
}

impl Selector {
    /// Reads the two parameters of a list.
    pub(super) fn parse(labels: &str, fields: &str) -> Result<Self, Unknown> {
        let labels = requirements(labels)?;
        let fields = requirements(fields)?;
        let known = |key: &str| ["metadata.name", "metadata.namespace"].contains(&key);
        match fields.iter().find(|field| !known(field.key())) {
            Some(field) => Err(Unknown(field.key().into())),
            None => Ok(Self { labels, fields }),
        }
    }

    /// Whether an object is meant.
    pub(super) fn selects(&self, object: &Value) -> bool {
        let label = |key: &str| object["metadata"]["labels"][key].as_str();
        let field =
            |key: &str| object.pointer(&format!("/{}", key.replace('.', "/"))).and_then(Value::as_str);
        self.labels.iter().all(|one| one.holds(label)) && self.fields.iter().all(|one| one.holds(field))
    }
}

fn requirements(text: &str) -> Result<Vec<Requirement>, Unknown> {
    split(text).into_iter().map(|part| requirement(part.trim())).collect()
}

/// At the commas that stand outside of brackets.
fn split(text: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let at_comma = |letter: char| {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        letter == ',' && depth == 0
    };
    text.split(at_comma).filter(|part| !part.trim().is_empty()).collect()
}

fn requirement(part: &str) -> Result<Requirement, Unknown> {
    let key = |text: &str| text.trim().to_owned();
    if let Some((name, value)) = part.split_once("!=") {
        return Ok(Requirement::NotIn(key(name), vec![key(value)]));
    }
    if let Some((name, value)) = part.split_once("==").or_else(|| part.split_once('=')) {
        return Ok(Requirement::In(key(name), vec![key(value)]));
    }
    if let Some((head, set)) = part.split_once('(') {
        let values = set.trim_end_matches(')').split(',').map(key).collect();
        let mut words = head.split_whitespace();
        return match (words.next(), words.next()) {
            (Some(name), Some("in")) => Ok(Requirement::In(name.into(), values)),
            (Some(name), Some("notin")) => Ok(Requirement::NotIn(name.into(), values)),
            _ => Err(Unknown(part.into())),
        };
    }
    Ok(match part.strip_prefix('!') {
        Some(name) => Requirement::Missing(key(name)),
        None => Requirement::Exists(key(part)),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_form_of_selector_is_understood() {
        let object = json!({"metadata": {"name": "a", "labels": {"app": "web", "tier": "front"}}});
        let cases = [
            ("", "", true),
            ("app=web", "", true),
            ("app==web,tier=back", "", false),
            ("app!=web", "", false),
            ("zone!=x", "", true),
            ("app in (api, web),tier", "", true),
            ("app notin (api,web)", "", false),
            ("!zone,app", "", true),
            ("!app", "", false),
            ("", "metadata.name=a", true),
            ("app=web", "metadata.name=b", false),
        ];
        for (labels, fields, expected) in cases {
            let selector = Selector::parse(labels, fields).unwrap();
            assert_eq!(selector.selects(&object), expected, "{labels} {fields}");
        }
        let unknown = Selector::parse("", "spec.nodeName=x").unwrap_err();
        assert_eq!(unknown.to_string(), "a frozen view cannot select by `spec.nodeName`");
    }
}
