//! Label selectors: whether Kubernetes accepts one, and which labels it matches.
//!
//! | file | owns |
//! |---|---|
//! | `requirement` | one condition on one label |
//! | `name` | which keys and values labels may have |
//! | [`text`] | selectors as text, such as `a=b,c in (d,e)` |

mod name;
mod requirement;
pub mod text;

use std::collections::BTreeMap;

use go_syntax::quoted::Quoted;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

use requirement::{LabelSelectorOperator, Requirement};

/// Why a selector is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSelector {
    /// There is no such operator.
    #[error("{} is not a valid label selector operator", Quoted(.0))]
    Operator(String),
    /// A condition is invalid, for these reasons.
    #[error("{}", listed(.0))]
    Requirement(Vec<String>),
    /// The text of a selector has a syntax error.
    #[error("{0}")]
    Syntax(String),
    /// The text of a condition has a syntax error.
    #[error("unable to parse requirement: {0}")]
    RequirementSyntax(String),
}

/// A checked selector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedSelector<'s> {
    conditions: Vec<Requirement<'s>>,
}

/// Labels, in one of the forms in which they are kept.
#[derive(Debug, Clone, Copy)]
pub enum Labelled<'l> {
    /// In a map.
    Map(&'l BTreeMap<String, String>),
    /// In pairs, in the order of their names.
    Pairs(&'l [(Box<str>, Box<str>)]),
}

impl<'l> Labelled<'l> {
    /// The value of a label.
    pub fn get(self, name: &str) -> Option<&'l str> {
        match self {
            Self::Map(labels) => labels.get(name).map(String::as_str),
            Self::Pairs(labels) => {
                let at = labels.binary_search_by(|(other, _)| (**other).cmp(name)).ok()?;
                Some(&labels[at].1)
            }
        }
    }
}

impl<'l> From<&'l BTreeMap<String, String>> for Labelled<'l> {
    fn from(labels: &'l BTreeMap<String, String>) -> Self {
        Self::Map(labels)
    }
}

impl<'l> From<&'l [(Box<str>, Box<str>)]> for Labelled<'l> {
    fn from(labels: &'l [(Box<str>, Box<str>)]) -> Self {
        Self::Pairs(labels)
    }
}

impl<'s> CheckedSelector<'s> {
    /// Checks a selector. An empty one matches everything.
    pub fn new(selector: &'s LabelSelector) -> Result<Self, InvalidSelector> {
        let mut conditions = Vec::new();
        for (key, value) in selector.match_labels.iter().flatten() {
            conditions.push(Requirement::new(key, LabelSelectorOperator::Equals, vec![value])?);
        }
        for expression in selector.match_expressions.iter().flatten() {
            let operator = match expression.operator.as_str() {
                "In" => LabelSelectorOperator::In,
                "NotIn" => LabelSelectorOperator::NotIn,
                "Exists" => LabelSelectorOperator::Exists,
                "DoesNotExist" => LabelSelectorOperator::DoesNotExist,
                other => return Err(InvalidSelector::Operator(other.to_owned())),
            };
            let values = expression.values.iter().flatten().map(String::as_str).collect();
            conditions.push(Requirement::new(&expression.key, operator, values)?);
        }
        Ok(Self { conditions })
    }

    /// Whether it has no conditions.
    pub fn selects_everything(&self) -> bool {
        self.conditions.is_empty()
    }

    /// Whether labels match.
    pub fn matches(&self, labels: Option<Labelled<'_>>) -> bool {
        self.conditions
            .iter()
            .all(|condition| condition.is_met_by(labels.and_then(|labels| labels.get(condition.key))))
    }
}

/// One problem alone, several in brackets, each once.
fn listed(problems: &[String]) -> String {
    let mut once: Vec<&str> = Vec::new();
    for problem in problems {
        if !once.contains(&problem.as_str()) {
            once.push(problem);
        }
    }
    match once.as_slice() {
        [one] => (*one).to_owned(),
        many => format!("[{}]", many.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelectorRequirement;

    use super::*;

    fn labels(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    fn expression(key: &str, operator: &str, values: &[&str]) -> LabelSelector {
        LabelSelector {
            match_expressions: Some(vec![LabelSelectorRequirement {
                key: key.into(),
                operator: operator.into(),
                values: Some(values.iter().map(|value| (*value).to_owned()).collect()),
            }]),
            match_labels: None,
        }
    }

    #[test]
    fn an_empty_selector_matches_everything() {
        let empty = LabelSelector::default();
        for labels in [None, Some(&labels(&[("a", "b")]))] {
            assert!(CheckedSelector::new(&empty).unwrap().matches(labels.map(Labelled::from)));
        }
    }

    #[test]
    fn all_conditions_must_be_met() {
        let some = labels(&[("a", "1"), ("b", "2")]);
        for (selector, expected) in [
            (LabelSelector { match_labels: Some(labels(&[("a", "1")])), match_expressions: None }, true),
            (
                LabelSelector {
                    match_labels: Some(labels(&[("a", "1"), ("b", "1")])),
                    match_expressions: None,
                },
                false,
            ),
            (expression("a", "In", &["1", "2"]), true),
            (expression("c", "In", &["1"]), false),
            (expression("a", "NotIn", &["1"]), false),
            (expression("c", "NotIn", &["1"]), true),
            (expression("a", "Exists", &[]), true),
            (expression("c", "Exists", &[]), false),
            (expression("a", "DoesNotExist", &[]), false),
            (expression("c", "DoesNotExist", &[]), true),
        ] {
            let pairs: Vec<(Box<str>, Box<str>)> =
                some.iter().map(|(name, value)| (name.as_str().into(), value.as_str().into())).collect();
            for labels in [Labelled::from(&some), pairs.as_slice().into()] {
                let matches = CheckedSelector::new(&selector).unwrap().matches(Some(labels));
                assert_eq!(matches, expected, "{selector:?}");
            }
        }
    }

    #[test]
    fn invalid_selectors_are_rejected() {
        let key_rule = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
                        alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for \
                        validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
        for (selector, words) in [
            (expression("a", "Near", &[]), "\"Near\" is not a valid label selector operator".to_owned()),
            (
                expression("a", "In", &[]),
                "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty"
                    .to_owned(),
            ),
            (
                expression("a", "Exists", &["b"]),
                "values: Invalid value: [\"b\"]: values set must be empty for exists and does not exist"
                    .to_owned(),
            ),
            (expression("-", "Exists", &[]), format!("key: Invalid value: \"-\": name part {key_rule}")),
        ] {
            assert_eq!(CheckedSelector::new(&selector).unwrap_err().to_string(), words);
        }
    }
}
