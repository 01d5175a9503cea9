//! Templates in fields of receivers. Alertmanager checks them before it knows its own functions, so only those of the
//! language are there.

use go_syntax::template::{self, Given};

use crate::admission::problem::{Problem, broken};

pub(crate) use template::is_template;

/// Whether a template can be read.
pub(crate) fn check(text: &str) -> Result<(), Problem> {
    template::check(text, &Given::default()).or_else(|invalid| broken(invalid.to_string()))
}
