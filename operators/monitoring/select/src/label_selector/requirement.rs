//! One condition on one label.

use go_syntax::quoted::Quoted;

use super::InvalidSelector;
use super::name::{problem_of_key, problem_of_value};

/// How a label is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LabelSelectorOperator {
    /// It has one of the values.
    In,
    /// It has none of the values, or does not exist.
    NotIn,
    /// It has the value.
    Equals,
    /// It has another value, or does not exist.
    NotEquals,
    /// It exists.
    Exists,
    /// It does not exist.
    DoesNotExist,
    /// It is a larger number.
    GreaterThan,
    /// It is a smaller number.
    LessThan,
}

/// A checked condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Requirement<'s> {
    /// The label that it is about.
    pub(super) key: &'s str,
    operator: LabelSelectorOperator,
    values: Vec<&'s str>,
}

impl<'s> Requirement<'s> {
    /// Checks a condition and reports all problems.
    pub(super) fn new(
        key: &'s str,
        operator: LabelSelectorOperator,
        values: Vec<&'s str>,
    ) -> Result<Self, InvalidSelector> {
        let mut problems = Vec::new();
        if let Some(problem) = problem_of_key(key) {
            problems.push(format!("key: Invalid value: {}: {problem}", Quoted(key)));
        }
        let mut reject =
            |words: &str| problems.push(format!("values: Invalid value: {}: {words}", json(&values)));
        if matches!(operator, LabelSelectorOperator::In | LabelSelectorOperator::NotIn) && values.is_empty() {
            reject("for 'in', 'notin' operators, values set can't be empty");
        }
        if matches!(operator, LabelSelectorOperator::Exists | LabelSelectorOperator::DoesNotExist)
            && !values.is_empty()
        {
            reject("values set must be empty for exists and does not exist");
        }
        let compares =
            matches!(operator, LabelSelectorOperator::GreaterThan | LabelSelectorOperator::LessThan);
        for (index, value) in values.iter().enumerate() {
            if compares && value.parse::<i64>().is_err() {
                problems.push(format!(
                    "values[{index}]: Invalid value: {}: for 'Gt', 'Lt' operators, the value must be an integer",
                    Quoted(value)
                ));
            }
        }
        for (index, value) in values.iter().enumerate() {
            if let Some(problem) = problem_of_value(value) {
                problems.push(format!("values[{index}][{key}]: Invalid value: {}: {problem}", Quoted(value)));
            }
        }
        if problems.is_empty() {
            Ok(Self { key, operator, values })
        } else {
            Err(InvalidSelector::Requirement(problems))
        }
    }

    /// Whether a value of the label meets it, or its absence.
    pub(super) fn is_met_by(&self, found: Option<&str>) -> bool {
        match self.operator {
            LabelSelectorOperator::In | LabelSelectorOperator::Equals => {
                found.is_some_and(|value| self.values.contains(&value))
            }
            LabelSelectorOperator::NotIn | LabelSelectorOperator::NotEquals => {
                found.is_none_or(|value| !self.values.contains(&value))
            }
            LabelSelectorOperator::Exists => found.is_some(),
            LabelSelectorOperator::DoesNotExist => found.is_none(),
            // Only selectors in text form have these operators, and those are only checked.
            LabelSelectorOperator::GreaterThan | LabelSelectorOperator::LessThan => false,
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
