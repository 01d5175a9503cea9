//! Whether a workload is available.

/// Whether a workload is available.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Availability {
    /// All desired pods are ready.
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
