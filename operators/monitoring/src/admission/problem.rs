//! Why an AlertmanagerConfig is refused. The words for monitors serve here as well; addresses have their own.

pub use monitoring_select::problem::{Problem, Within, broken};

use crate::admission::address;

impl From<address::Invalid> for Problem {
    fn from(invalid: address::Invalid) -> Self {
        Self::Text(invalid.to_string())
    }
}

/// Checks the elements of a list; says at which one the problem is.
pub(crate) fn each<T>(
    list: &str,
    elements: &[T],
    check: impl Fn(&T) -> Result<(), Problem>,
) -> Result<(), Problem> {
    elements
        .iter()
        .enumerate()
        .try_for_each(|(index, element)| check(element).within(format_args!("{list}[{index}]")))
}
