//! The classes of perturbations, and which of them must be tested with each scenario. Pure.

use std::fmt;

use crate::plan::Perturbation;
use crate::scenario::{EndState, Scenario, Subject};

use kernel::faults::Fault;

/// Perturbations of one kind. A draw includes at least one of each class for each scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// The operator is killed before or after a write.
    Crash,
    /// The API server executes a request, and the response is lost.
    AnswerLost,
    /// The API server rejects a request.
    Refused,
    /// All writes of a kind are rejected until the status reports it.
    Denied,
    /// The first watch of a kind fails when the operator starts.
    Blocked,
    /// The watch events of a kind are delayed.
    Held,
    /// The watch of a kind is interrupted.
    Cut,
    /// A call to an instance fails.
    Outside,
    /// The operator does not run while a change is made.
    Absent,
    /// Passes are forced although nothing is to be done.
    Idle,
    /// The operator starts with an outdated cache.
    Stale,
    /// Somebody else changes a child object.
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

    /// The class of a perturbation.
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

    /// The name in reports.
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

    /// Whether this class must be tested with a scenario, whatever its reference contains. Not with every scenario:
    /// - `Stale` only makes sense where everything is created from nothing: the simplest scenario of a kind.
    /// - `Denied` needs a write of a child object in the first change that is disturbed. The simplest scenario has one; for the
    ///   others, only the reference shows it.
    /// - `Drift` needs child objects at the end.
    /// - `Property` needs properties, and a complete spec.
    /// - `Outside` needs a call to an instance, which only the reference shows.
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
            Self::Denied | Self::Stale => subject.is_simplest(scenario),
            Self::Drift => scenario.end_state != EndState::Gone,
            Self::Property => scenario.end_state == EndState::Whole && !subject.properties.is_empty(),
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
    fn every_scenario_is_tested_with_at_least_eight_classes() {
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
            assert!(due.contains_key(&class), "{class} is tested with no scenario");
        }
    }
}
