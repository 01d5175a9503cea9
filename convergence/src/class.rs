//! The classes of perturbations, and which of them each scenario must meet. Pure.

use std::fmt;

use crate::plan::Perturbation;
use crate::scenario::{Aftermath, Scenario, Subject};

use kernel::faults::Fault;

/// Perturbations of one kind: a draw takes at least one of each class for each scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// The operator dies before or after a write.
    Crash,
    /// The server does what it is asked, and the answer is lost.
    AnswerLost,
    /// The server refuses a request.
    Refused,
    /// All writes of a kind are refused until the status says so.
    Denied,
    /// The first watch of a kind fails when the operator starts.
    Blocked,
    /// The events of a kind are held back.
    Held,
    /// The watch of a kind ends.
    Cut,
    /// A call to an instance fails.
    Outside,
    /// The operator does not run while a change is made.
    Absent,
    /// Passes are forced when there is nothing to do.
    Idle,
    /// The operator starts with an old view.
    Stale,
    /// Somebody else changes a child.
    Drift,
    /// One property of the spec changes.
    Property,
}

impl Class {
    /// Every class.
    pub const ALL: [Self; 13] = [
        Self::Crash,
        Self::AnswerLost,
        Self::Refused,
        Self::Denied,
        Self::Blocked,
        Self::Held,
        Self::Cut,
        Self::Outside,
        Self::Absent,
        Self::Idle,
        Self::Stale,
        Self::Drift,
        Self::Property,
    ];

    /// That of a perturbation.
    pub fn of(perturbation: &Perturbation) -> Self {
        match perturbation {
            Perturbation::Fault(_, Fault::CrashBefore | Fault::CrashAfter) => Self::Crash,
            Perturbation::Fault(_, Fault::AnswerLost) => Self::AnswerLost,
            Perturbation::Fault(..) => Self::Refused,
            Perturbation::Denied { .. } => Self::Denied,
            Perturbation::Blocked { .. } => Self::Blocked,
            Perturbation::Held { .. } => Self::Held,
            Perturbation::Cut { .. } => Self::Cut,
            Perturbation::Outside { .. } => Self::Outside,
            Perturbation::Absent { .. } => Self::Absent,
            Perturbation::Idle => Self::Idle,
            Perturbation::Stale { .. } => Self::Stale,
            Perturbation::Drift(_) => Self::Drift,
            Perturbation::Property(_) => Self::Property,
        }
    }

    /// In reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Crash => "crash",
            Self::AnswerLost => "answer-lost",
            Self::Refused => "refused",
            Self::Denied => "denied",
            Self::Blocked => "blocked",
            Self::Held => "held",
            Self::Cut => "cut",
            Self::Outside => "outside",
            Self::Absent => "absent",
            Self::Idle => "idle",
            Self::Stale => "stale",
            Self::Drift => "drift",
            Self::Property => "property",
        }
    }

    /// Whether a scenario must meet this class, whatever its reference says. What is not asked of every scenario:
    /// - `Stale` only makes sense where everything is made from nothing and nothing else is there: the plainest scenario of
    ///   a kind.
    /// - `Denied` needs a write of a child by the first change that is disturbed: the plainest scenario has one, of the others
    ///   only the reference knows.
    /// - `Drift` needs children at the end.
    /// - `Property` needs properties, and a resource that says everything.
    /// - `Outside` needs a call to an instance, which only the reference knows.
    pub fn is_due(self, subject: &Subject, scenario: &Scenario) -> bool {
        match self {
            Self::Crash
            | Self::AnswerLost
            | Self::Refused
            | Self::Blocked
            | Self::Held
            | Self::Cut
            | Self::Absent
            | Self::Idle => true,
            Self::Denied | Self::Stale => subject.is_plainest(scenario),
            Self::Drift => scenario.aftermath != Aftermath::Gone,
            Self::Property => scenario.aftermath == Aftermath::Whole && !subject.properties.is_empty(),
            Self::Outside => false,
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::kinds;

    #[test]
    fn every_scenario_meets_at_least_eight_classes() {
        let subjects = kinds::all();
        let mut due: BTreeMap<Class, usize> = BTreeMap::new();
        for subject in &subjects {
            for scenario in &subject.scenarios {
                let classes = Class::ALL.iter().filter(|class| class.is_due(subject, scenario));
                assert!(classes.clone().count() >= 8, "{}", scenario.name);
                classes.for_each(|class| *due.entry(*class).or_default() += 1);
            }
        }
        let scenarios: usize = subjects.iter().map(|subject| subject.scenarios.len()).sum();
        assert_eq!(due[&Class::Crash], scenarios);
        assert_eq!(due[&Class::Stale], subjects.len());
        for class in Class::ALL.into_iter().filter(|class| *class != Class::Outside) {
            assert!(due.contains_key(&class), "nothing meets {class}");
        }
    }
}
