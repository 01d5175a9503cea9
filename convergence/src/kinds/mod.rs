//! The kinds under test. A new kind is one line here.

mod example;
mod monitoring;

use crate::scenario::Subject;

/// Every kind.
pub fn all() -> Vec<Subject> {
    let mut all = vec![example::subject()];
    all.extend(monitoring::subjects());
    all
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_two_scenarios_have_the_same_name() {
        let subjects = all();
        let names = || subjects.iter().flat_map(|subject| &subject.scenarios).map(|scenario| scenario.name);
        assert_eq!(names().collect::<BTreeSet<_>>().len(), names().count());
    }
}
