//! The conditions of workloads.

use api_monitoring::status::Condition;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

/// Whether a workload is available.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Availability {
    /// As many pods are ready as the user asks for.
    Available,
    /// Some pods are ready.
    Degraded,
    /// No pod is ready.
    Unavailable,
}

impl Availability {
    /// The status of the condition.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Available => "True",
            Self::Degraded => "Degraded",
            Self::Unavailable => "False",
        }
    }
}

/// The new conditions, all of one generation. One whose status did not change keeps its last transition time.
pub(crate) fn replaced<const N: usize>(
    old: &[Condition],
    new: [Condition; N],
    generation: Option<i64>,
    now: &Time,
) -> Vec<Condition> {
    new.into_iter()
        .map(|mut condition| {
            let before = old.iter().find(|other| other.type_ == condition.type_);
            condition.last_transition_time = match before.filter(|before| before.status == condition.status) {
                Some(before) => before.last_transition_time.clone(),
                None => Some(now.clone()),
            };
            condition.observed_generation = generation.unwrap_or_default();
            condition
        })
        .collect()
}
