//! The kinds under test. A kind joins by a line here.

mod example;

use crate::scenario::Subject;

/// Every kind.
pub fn all() -> Vec<Subject> {
    vec![example::subject()]
}
