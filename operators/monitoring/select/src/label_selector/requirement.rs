//! One condition on one label.

use std::fmt;

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

    /// The label that it is about.
    pub(super) fn key(&self) -> &str {
        self.key
    }

    /// Whether a value of the label meets it, or its absence.
    pub(super) fn is_met_by(&self, found: Option<&str>) -> bool {
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

/// What must be, such as `must be "a"`.
impl fmt::Display for Requirement<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_one = self.values.len() == 1;
        f.write_str(match self.operator {
            Operator::In | Operator::Equals if is_one => "must be ",
            Operator::In | Operator::Equals => "must be one of ",
            Operator::NotIn | Operator::NotEquals if is_one => "must not be ",
            Operator::NotIn | Operator::NotEquals => "must be none of ",
            Operator::Exists => "must be there",
            Operator::DoesNotExist => "must not be there",
            Operator::GreaterThan => "must be a number above ",
            Operator::LessThan => "must be a number below ",
        })?;
        for (index, value) in self.values.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{}", Quoted(value))?;
        }
        Ok(())
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
