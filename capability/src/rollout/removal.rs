//! A pod that is removed, and why.

use std::fmt;

use k8s_openapi::api::core::v1::Pod;

/// A pod that is removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removal {
    /// Its name.
    pub name: String,
    /// Its unique id: no other pod with the same name is removed.
    pub uid: String,
    /// How it is removed.
    pub method: Method,
    /// Why.
    pub why: Why,
}

/// How a pod is removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// By deletion.
    Delete,
    /// By eviction, if no disruption budget forbids that.
    Evict,
}

/// Why a pod is removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// It lacks the volume of a claim template, and the volumes of a pod cannot be changed.
    Storage {
        /// The claim that it should have.
        claim: String,
    },
    /// It has no owner, and the name of a pod that should have other labels.
    Labels,
    /// Its host name comes from another Service.
    Subdomain {
        /// The Service that its host name should come from.
        service: String,
    },
    /// It has a volume of a claim template that was removed.
    Surplus {
        /// The claim that it should not have.
        claim: String,
    },
    /// It uses a claim of another storage class that the user has deleted.
    Class {
        /// The claim.
        claim: String,
    },
    /// It is of an old revision, and fails for a reason that a restart does not resolve.
    Failing {
        /// The reason, as the kubelet reports it.
        reason: String,
    },
    /// It is not ready and of a revision before the rollout, and the policy of the user removes such pods.
    Stuck,
}

impl Why {
    /// Whether the StatefulSet controller stops at such a pod.
    pub(super) fn is_blocking(&self) -> bool {
        matches!(self, Self::Storage { .. } | Self::Labels)
    }
}

impl Removal {
    /// The deletion of this pod.
    pub(super) fn of(pod: &Pod, why: Why) -> Self {
        let text = |part: &Option<String>| part.clone().unwrap_or_default();
        let (name, uid) = (text(&pod.metadata.name), text(&pod.metadata.uid));
        Self { name, uid, method: Method::Delete, why }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Storage { claim } => write!(f, "it lacks the volume of claim {claim}"),
            Self::Labels => f.write_str("it has no owner and lacks the labels that its StatefulSet selects"),
            Self::Subdomain { service } => write!(f, "its host name does not come from Service {service}"),
            Self::Surplus { claim } => {
                write!(f, "it has the volume of claim {claim}, whose template was removed")
            }
            Self::Class { claim } => {
                write!(f, "it uses claim {claim}, which was deleted and has another storage class")
            }
            Self::Failing { reason } => write!(f, "it fails with {reason} and is of an old revision"),
            Self::Stuck => f.write_str("it is not ready and of an old revision"),
        }
    }
}

impl fmt::Display for Removal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let removed = match self.method {
            Method::Delete => "deleted",
            Method::Evict => "evicted",
        };
        write!(f, "pod {} is {removed}: {}", self.name, self.why)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_removal_has_a_message_with_its_reason() {
        let claim = || "data-set-0".to_owned();
        for (method, why, words) in [
            (
                Method::Delete,
                Why::Storage { claim: claim() },
                "pod set-0 is deleted: it lacks the volume of claim data-set-0",
            ),
            (
                Method::Delete,
                Why::Labels,
                "pod set-0 is deleted: it has no owner and lacks the labels that its StatefulSet selects",
            ),
            (
                Method::Delete,
                Why::Subdomain { service: "new".into() },
                "pod set-0 is deleted: its host name does not come from Service new",
            ),
            (
                Method::Delete,
                Why::Surplus { claim: claim() },
                "pod set-0 is deleted: it has the volume of claim data-set-0, whose template was removed",
            ),
            (
                Method::Delete,
                Why::Class { claim: claim() },
                "pod set-0 is deleted: it uses claim data-set-0, which was deleted and has another storage class",
            ),
            (
                Method::Delete,
                Why::Failing { reason: "ErrImagePull".into() },
                "pod set-0 is deleted: it fails with ErrImagePull and is of an old revision",
            ),
            (Method::Evict, Why::Stuck, "pod set-0 is evicted: it is not ready and of an old revision"),
        ] {
            let removal = Removal { name: "set-0".into(), uid: "1".into(), method, why };
            assert_eq!(removal.to_string(), words);
        }
    }
}
