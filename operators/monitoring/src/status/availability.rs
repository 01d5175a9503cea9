//! Whether a workload is available, and why not.

/// Whether the pods of a workload are available. The worst is the greatest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Availability {
    /// All desired pods are ready.
    Available,
    /// Some pods are ready.
    SomePodsNotReady,
    /// No pod is ready.
    NoPodReady,
    /// A StatefulSet is missing.
    StatefulSetNotFound,
    /// The DaemonSet is missing.
    DaemonSetNotFound,
}

impl Availability {
    /// The status of the condition.
    pub fn status(self) -> &'static str {
        match self {
            Self::Available => "True",
            Self::SomePodsNotReady => "Degraded",
            Self::NoPodReady | Self::StatefulSetNotFound | Self::DaemonSetNotFound => "False",
        }
    }

    /// The reason of the condition.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Available => "",
            Self::SomePodsNotReady => "SomePodsNotReady",
            Self::NoPodReady => "NoPodReady",
            Self::StatefulSetNotFound => "StatefulSetNotFound",
            Self::DaemonSetNotFound => "DaemonSetNotFound",
        }
    }
}
