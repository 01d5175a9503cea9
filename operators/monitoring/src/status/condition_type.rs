//! The conditions that the operator adds to those of the Prometheus Operator, and the events about them.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kernel::condition::{Truth, stated};

/// The type of a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConditionType {
    /// Whether the last pass succeeded. The Prometheus Operator has it too.
    Reconciled,
    /// Which references of the workload are missing. Present only while one is missing.
    ReferencesResolved,
    /// Problems of pods and volumes that only a user can solve. Present only while there is one.
    RolledOut,
    /// Whether all pods have loaded the configuration.
    ConfigurationLoaded,
}

impl ConditionType {
    /// All of them, in the order of their events.
    pub const ALL: [Self; 4] =
        [Self::Reconciled, Self::ReferencesResolved, Self::RolledOut, Self::ConfigurationLoaded];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reconciled => "Reconciled",
            Self::ReferencesResolved => "ReferencesResolved",
            Self::RolledOut => "RolledOut",
            Self::ConfigurationLoaded => "ConfigurationLoaded",
        }
    }

    /// The reason of the event that is posted when it becomes false.
    pub fn failure(self) -> &'static str {
        match self {
            Self::Reconciled => "ReconciliationFailed",
            Self::ReferencesResolved => "MissingReference",
            Self::RolledOut => "NeedsAttention",
            Self::ConfigurationLoaded => "ConfigurationNotLoaded",
        }
    }

    /// A condition of this type that is false.
    pub(crate) fn failed(self, message: &str) -> Condition {
        stated(self.as_str(), Truth::False.as_str(), self.failure(), message)
    }
}
