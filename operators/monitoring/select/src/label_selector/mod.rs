//! Label selectors: whether Kubernetes would take one, and which labels it matches.
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
use std::fmt;

use go_syntax::quoted::Quoted;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

use requirement::{Operator, Requirement};

/// Why a selector is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Invalid {
    /// There is no such operator.
    #[error("{} is not a valid label selector operator", Quoted(.0))]
    Operator(String),
    /// A condition cannot be one; what is wrong with it.
    #[error("{}", listed(.0))]
    Requirement(Vec<String>),
    /// The text of a selector is not written as one must be.
    #[error("{0}")]
    Syntax(String),
    /// The text of a condition is not written as one must be.
    #[error("unable to parse requirement: {0}")]
    RequirementSyntax(String),
}

/// A checked selector. What an absent one means, whoever has none must know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selector<'s> {
    conditions: Vec<Requirement<'s>>,
}

/// A condition that labels do not meet, with what they say instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unmet<'a> {
    condition: &'a Requirement<'a>,
    /// The value of the label; nothing, if it is not there.
    found: Option<&'a str>,
}

/// Labels, whoever keeps them.
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

impl<'s> Selector<'s> {
    /// Checks a selector. With an empty one everything matches.
    pub fn new(selector: &'s LabelSelector) -> Result<Self, Invalid> {
        let mut conditions = Vec::new();
        for (key, value) in selector.match_labels.iter().flatten() {
            conditions.push(Requirement::new(key, Operator::Equals, vec![value])?);
        }
        for expression in selector.match_expressions.iter().flatten() {
            let operator = match expression.operator.as_str() {
                "In" => Operator::In,
                "NotIn" => Operator::NotIn,
                "Exists" => Operator::Exists,
                "DoesNotExist" => Operator::DoesNotExist,
                other => return Err(Invalid::Operator(other.to_owned())),
            };
            let values = expression.values.iter().flatten().map(String::as_str).collect();
            conditions.push(Requirement::new(&expression.key, operator, values)?);
        }
        Ok(Self { conditions })
    }

    /// The first condition that labels do not meet; nothing, if they match.
    pub fn unmet<'a>(&'a self, labels: Option<Labelled<'a>>) -> Option<Unmet<'a>> {
        self.conditions.iter().find_map(|condition| {
            let found = labels.and_then(|labels| labels.get(condition.key()));
            (!condition.is_met_by(found)).then_some(Unmet { condition, found })
        })
    }

    /// Whether any labels match, whatever they are.
    pub fn takes_all(&self) -> bool {
        self.conditions.is_empty()
    }

    /// Whether labels match.
    pub fn matches(&self, labels: Option<Labelled<'_>>) -> bool {
        self.unmet(labels).is_none()
    }
}

impl fmt::Display for Unmet<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = self.condition.key();
        match self.found {
            Some(found) => write!(f, "label {key} is {}, {}", Quoted(found), self.condition),
            None => write!(f, "label {key} is not there, {}", self.condition),
        }
    }
}

/// One problem as it is, more of them between brackets, each once.
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
            assert!(Selector::new(&empty).unwrap().matches(labels.map(Labelled::from)));
        }
    }

    #[test]
    fn the_condition_that_is_not_met_is_named() {
        let (b, nothing) = (labels(&[("team", "b")]), BTreeMap::new());
        let equal = LabelSelector { match_labels: Some(labels(&[("team", "a")])), match_expressions: None };
        for (selector, labels, words) in [
            (&equal, &b, r#"label team is "b", must be "a""#),
            (&equal, &nothing, r#"label team is not there, must be "a""#),
            (&expression("team", "In", &["a"]), &b, r#"label team is "b", must be "a""#),
            (&expression("team", "In", &["a", "c"]), &b, r#"label team is "b", must be one of "a", "c""#),
            (&expression("team", "NotIn", &["b"]), &b, r#"label team is "b", must not be "b""#),
            (&expression("team", "NotIn", &["a", "b"]), &b, r#"label team is "b", must be none of "a", "b""#),
            (&expression("team", "Exists", &[]), &nothing, "label team is not there, must be there"),
            (&expression("team", "DoesNotExist", &[]), &b, r#"label team is "b", must not be there"#),
        ] {
            let selector = Selector::new(selector).unwrap();
            assert_eq!(selector.unmet(Some(labels.into())).unwrap().to_string(), words);
        }
        assert_eq!(Selector::new(&equal).unwrap().unmet(Some((&labels(&[("team", "a")])).into())), None);
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
                let matches = Selector::new(&selector).unwrap().matches(Some(labels));
                assert_eq!(matches, expected, "{selector:?}");
            }
        }
    }

    #[test]
    fn what_kubernetes_refuses_is_named() {
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
            assert_eq!(Selector::new(&selector).unwrap_err().to_string(), words);
        }
    }
}
