//! Conditions, and how new ones replace old ones.

use api_monitoring::status::Condition;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

/// Whether a workload can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Availability {
    /// As many pods are ready as were asked for.
    Available,
    /// Some pods are ready.
    Degraded,
    /// No pod is ready.
    Unavailable,
}

impl Availability {
    /// As conditions write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Available => "True",
            Self::Degraded => "Degraded",
            Self::Unavailable => "False",
        }
    }
}

/// The condition that tells whether a workload can be used.
pub(crate) fn available(availability: Availability, reason: String, message: String) -> Condition {
    Condition {
        type_: "Available".into(),
        status: availability.as_str().into(),
        reason,
        message,
        ..Condition::default()
    }
}

/// The new conditions, all said about one generation. One whose status did not change keeps the time of its last change.
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
