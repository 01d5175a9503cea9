//! Label and field selectors, as far as frozen views need them. Pure.

use serde_json::Value;

/// A selector that frozen views do not support.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a frozen view cannot select by `{0}`")]
pub(super) struct Unknown(String);

/// One requirement on one value.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Requirement {
    key: String,
    /// One of these; any, if absent.
    values: Option<Vec<String>>,
    negated: bool,
}

impl Requirement {
    /// As at the server, a negated requirement holds for an object without the label.
    fn holds<'a>(&self, value: impl Fn(&str) -> Option<&'a str>) -> bool {
        let is_met = value(&self.key).is_some_and(|value| {
            self.values.as_ref().is_none_or(|values| values.iter().any(|one| one == value))
        });
        is_met != self.negated
    }
}

/// A label and a field selector.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Selector {
    labels: Vec<Requirement>,
    fields: Vec<Requirement>,
}

impl Selector {
    /// Parses the two parameters of a list.
    pub(super) fn parse(labels: &str, fields: &str) -> Result<Self, Unknown> {
        let labels = requirements(labels)?;
        let fields = requirements(fields)?;
        let known = |key: &str| ["metadata.name", "metadata.namespace"].contains(&key);
        match fields.iter().find(|field| !known(&field.key)) {
            Some(field) => Err(Unknown(field.key.clone())),
            None => Ok(Self { labels, fields }),
        }
    }

    /// Whether an object matches.
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

/// At the commas outside of parentheses.
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
    let text = |text: &str| text.trim().to_owned();
    let make = |key: &str, values, negated| Ok(Requirement { key: text(key), values, negated });
    if let Some((key, value)) = part.split_once("!=") {
        return make(key, Some(vec![text(value)]), true);
    }
    if let Some((key, value)) = part.split_once("==").or_else(|| part.split_once('=')) {
        return make(key, Some(vec![text(value)]), false);
    }
    let Some((head, set)) = part.split_once('(') else {
        return make(part.trim_start_matches('!'), None, part.starts_with('!'));
    };
    let values = set.trim_end_matches(')').split(',').map(text).collect();
    match head.split_whitespace().collect::<Vec<_>>()[..] {
        [key, "in"] => make(key, Some(values), false),
        [key, "notin"] => make(key, Some(values), true),
        _ => Err(Unknown(part.into())),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_form_of_selector_is_parsed() {
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
