//! One condition on one label.

use std::collections::BTreeMap;

use go_syntax::quoted::Quoted;

use super::Invalid;
use super::name::{problem_of_key, problem_of_value};

/// How a label is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    /// It has one of the values.
    In,
    /// It has none of the values, or is not there.
    NotIn,
    /// It has the value.
    Equals,
    /// It has not the value, or is not there.
    NotEquals,
    /// It is there.
    Exists,
    /// It is not there.
    DoesNotExist,
    /// It is a larger number.
    GreaterThan,
    /// It is a smaller number.
    LessThan,
}

/// A checked condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Requirement<'s> {
    key: &'s str,
    operator: Operator,
    values: Vec<&'s str>,
}

impl<'s> Requirement<'s> {
    /// Checks a condition and names all that is wrong with it.
    pub(super) fn new(key: &'s str, operator: Operator, values: Vec<&'s str>) -> Result<Self, Invalid> {
        let mut problems = Vec::new();
        if let Some(problem) = problem_of_key(key) {
            problems.push(format!("key: Invalid value: {}: {problem}", Quoted(key)));
        }
        let mut refuse =
            |words: &str| problems.push(format!("values: Invalid value: {}: {words}", json(&values)));
        match operator {
            Operator::In | Operator::NotIn if values.is_empty() => {
                refuse("for 'in', 'notin' operators, values set can't be empty");
            }
            Operator::Exists | Operator::DoesNotExist if !values.is_empty() => {
                refuse("values set must be empty for exists and does not exist");
            }
            Operator::GreaterThan | Operator::LessThan => {
                for (index, value) in
                    values.iter().enumerate().filter(|(_, value)| value.parse::<i64>().is_err())
                {
                    let value = Quoted(value);
                    problems.push(format!(
                        "values[{index}]: Invalid value: {value}: for 'Gt', 'Lt' operators, the value must be an integer"
                    ));
                }
            }
            Operator::In
            | Operator::NotIn
            | Operator::Equals
            | Operator::NotEquals
            | Operator::Exists
            | Operator::DoesNotExist => {}
        }
        for (index, value) in values.iter().enumerate() {
            if let Some(problem) = problem_of_value(value) {
                problems.push(format!("values[{index}][{key}]: Invalid value: {}: {problem}", Quoted(value)));
            }
        }
        if problems.is_empty() {
            Ok(Self { key, operator, values })
        } else {
            Err(Invalid::Requirement(problems))
        }
    }

    /// Whether labels meet it.
    pub(super) fn is_met_by(&self, labels: &BTreeMap<String, String>) -> bool {
        let found = labels.get(self.key).map(String::as_str);
        let number = |text: &str| text.parse::<i64>().ok();
        let limit = || self.values.first().copied().and_then(number);
        match self.operator {
            Operator::In | Operator::Equals => found.is_some_and(|value| self.values.contains(&value)),
            Operator::NotIn | Operator::NotEquals => found.is_none_or(|value| !self.values.contains(&value)),
            Operator::Exists => found.is_some(),
            Operator::DoesNotExist => found.is_none(),
            Operator::GreaterThan => {
                found.and_then(number).zip(limit()).is_some_and(|(found, limit)| found > limit)
            }
            Operator::LessThan => {
                found.and_then(number).zip(limit()).is_some_and(|(found, limit)| found < limit)
            }
        }
    }
}

/// Values as Kubernetes shows them.
fn json(values: &[&str]) -> String {
    if values.is_empty() {
        return "null".to_owned();
    }
    let quoted: Vec<String> = values.iter().map(|value| Quoted(value).to_string()).collect();
    format!("[{}]", quoted.join(","))
}
