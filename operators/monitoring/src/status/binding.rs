//! The bindings in the status of monitors, rules and AlertmanagerConfigs: whether each workload that selects them accepts them.
//! Pure.

use api_monitoring::status::{BindingCondition, WorkloadBinding};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kernel::condition::bounded;

/// The reference to a workload in a binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkloadReference<'w> {
    /// Its resource, in the plural.
    pub resource: &'w str,
    /// Its namespace.
    pub namespace: &'w str,
    /// Its name.
    pub name: &'w str,
}

/// Whether a workload accepts an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Acceptance<'v> {
    /// Why it is rejected; none, if it is accepted.
    pub rejection: Option<&'v str>,
    /// The generation of the object.
    pub generation: i64,
}

const GROUP: &str = "monitoring.coreos.com";

/// The reason of a rejection.
pub const REJECTED: &str = "InvalidConfiguration";

impl WorkloadReference<'_> {
    /// Whether a binding refers to it.
    pub fn is_bound_by(self, binding: &WorkloadBinding) -> bool {
        let Self { resource, namespace, name } = self;
        binding.group == GROUP
            && binding.resource == resource
            && binding.namespace == namespace
            && binding.name == name
    }

    /// All bindings with this one updated; none, if it does not change.
    pub fn with(
        self,
        bindings: &[WorkloadBinding],
        acceptance: Acceptance<'_>,
        now: &Time,
    ) -> Option<Vec<WorkloadBinding>> {
        let at = bindings.iter().position(|binding| self.is_bound_by(binding));
        let known = at.and_then(|at| match bindings[at].conditions.as_slice() {
            [condition] if condition.type_ == ACCEPTED => Some(condition),
            _ => None,
        });
        let mut condition = acceptance.condition(now);
        if let Some(known) = known.filter(|known| known.status == condition.status) {
            condition.last_transition_time.clone_from(&known.last_transition_time);
        }
        if known == Some(&condition) {
            return None;
        }
        let binding = WorkloadBinding {
            group: GROUP.into(),
            resource: self.resource.into(),
            name: self.name.into(),
            namespace: self.namespace.into(),
            conditions: vec![condition],
        };
        let mut all = bindings.to_vec();
        match at {
            Some(at) => all[at] = binding,
            None => all.push(binding),
        }
        Some(all)
    }

    /// All bindings without its own; none, if it has no binding.
    pub fn without(self, bindings: &[WorkloadBinding]) -> Option<Vec<WorkloadBinding>> {
        let others: Vec<_> = bindings.iter().filter(|binding| !self.is_bound_by(binding)).cloned().collect();
        (others.len() != bindings.len()).then_some(others)
    }
}

const ACCEPTED: &str = "Accepted";

impl Acceptance<'_> {
    fn condition(self, now: &Time) -> BindingCondition {
        let (status, reason) = if self.rejection.is_some() { ("False", REJECTED) } else { ("True", "") };
        BindingCondition {
            type_: ACCEPTED.into(),
            status: status.into(),
            last_transition_time: Some(now.clone()),
            reason: reason.into(),
            message: bounded(self.rejection.unwrap_or_default()).into(),
            observed_generation: self.generation,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ME: WorkloadReference<'_> =
        WorkloadReference { resource: "prometheuses", namespace: "a", name: "b" };
    const OTHER: WorkloadReference<'_> =
        WorkloadReference { resource: "thanosrulers", namespace: "a", name: "b" };

    fn at(second: i64) -> Time {
        Time(k8s_openapi::jiff::Timestamp::from_second(second).unwrap())
    }

    fn good(generation: i64) -> Acceptance<'static> {
        Acceptance { rejection: None, generation }
    }

    #[test]
    fn an_entry_that_exists_is_not_written_again() {
        let others = OTHER.with(&[], good(1), &at(0)).unwrap();
        let first = ME.with(&others, good(1), &at(1)).unwrap();
        assert_eq!(first.len(), 2);
        assert_eq!(ME.with(&first, good(1), &at(2)), None);
        assert_eq!(first[0], others[0], "those of others are kept");
        assert_eq!(ME.without(&first), Some(others.clone()));
        assert_eq!(ME.without(&others), None);
    }

    #[test]
    fn the_time_is_that_of_the_last_change_of_status() {
        let bad = Acceptance { rejection: Some("no such regex"), generation: 2 };
        let steps =
            [(good(1), 0), (good(2), 0), (bad, 2), (Acceptance { rejection: Some("other"), ..bad }, 2)];
        let mut bindings = Vec::new();
        for (second, (acceptance, since)) in (0..).zip(steps) {
            bindings = ME.with(&bindings, acceptance, &at(second)).unwrap();
            let condition = &bindings[0].conditions[0];
            assert_eq!(condition.last_transition_time, Some(at(since)), "{acceptance:?}");
        }
        let expected = BindingCondition {
            type_: "Accepted".into(),
            status: "False".into(),
            last_transition_time: Some(at(2)),
            reason: "InvalidConfiguration".into(),
            message: "other".into(),
            observed_generation: 2,
        };
        assert_eq!(bindings[0].conditions, [expected]);
    }
}
