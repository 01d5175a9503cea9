//! A pod that shall go, and why.

use std::fmt;

use k8s_openapi::api::core::v1::Pod;

/// A pod that shall go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removal {
    /// Its name.
    pub name: String,
    /// Its unique id: no other pod of the same name is meant.
    pub uid: String,
    /// How it goes.
    pub how: How,
    /// Why.
    pub why: Why,
}

/// How a pod goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// By deletion.
    Delete,
    /// By eviction, if no disruption budget forbids that.
    Evict,
}

/// Why a pod goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// It lacks the volume of a claim template, and a pod gets no other volumes while it lives.
    Storage {
        /// The claim that it should have.
        claim: String,
    },
    /// It belongs to nobody and stands where a pod with other labels should be.
    Labels,
    /// It has its name from another Service.
    Subdomain {
        /// The Service that it should have its name from.
        service: String,
    },
    /// It has a volume of a claim template that is no longer there.
    Surplus {
        /// The claim that it should not have.
        claim: String,
    },
    /// It holds a claim of another storage class that somebody has deleted.
    Class {
        /// The claim.
        claim: String,
    },
    /// It is of a revision that is no longer wanted, and fails for a reason that a restart cannot mend.
    Failing {
        /// The reason, as the kubelet says it.
        reason: String,
    },
    /// It is not ready and of a forgotten revision, and the user wants such pods gone.
    Stuck,
}

impl Removal {
    /// Of this pod, by deletion.
    pub(crate) fn of(pod: &Pod, why: Why) -> Self {
        let text = |part: &Option<String>| part.clone().unwrap_or_default();
        Self { name: text(&pod.metadata.name), uid: text(&pod.metadata.uid), how: How::Delete, why }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Storage { claim } => write!(f, "it lacks the volume of claim {claim}"),
            Self::Labels => {
                f.write_str("it belongs to nobody and has not the labels that its StatefulSet asks for")
            }
            Self::Subdomain { service } => write!(f, "it has not its name from Service {service}"),
            Self::Surplus { claim } => {
                write!(f, "it has the volume of claim {claim}, whose template is no longer there")
            }
            Self::Class { claim } => {
                write!(f, "it holds claim {claim}, which was deleted and has another storage class")
            }
            Self::Failing { reason } => {
                write!(f, "it fails with {reason} and is of a revision that is no longer wanted")
            }
            Self::Stuck => f.write_str("it is not ready and of a revision that is no longer wanted"),
        }
    }
}

impl fmt::Display for Removal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = match self.how {
            How::Delete => "deleted",
            How::Evict => "evicted",
        };
        write!(f, "pod {} is {how}: {}", self.name, self.why)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_removal_says_what_and_why() {
        let claim = || "data-set-0".to_owned();
        for (how, why, words) in [
            (
                How::Delete,
                Why::Storage { claim: claim() },
                "pod set-0 is deleted: it lacks the volume of claim data-set-0",
            ),
            (
                How::Delete,
                Why::Labels,
                "pod set-0 is deleted: it belongs to nobody and has not the labels that its StatefulSet asks for",
            ),
            (
                How::Delete,
                Why::Subdomain { service: "new".into() },
                "pod set-0 is deleted: it has not its name from Service new",
            ),
            (
                How::Delete,
                Why::Surplus { claim: claim() },
                "pod set-0 is deleted: it has the volume of claim data-set-0, whose template is no longer there",
            ),
            (
                How::Delete,
                Why::Class { claim: claim() },
                "pod set-0 is deleted: it holds claim data-set-0, which was deleted and has another storage class",
            ),
            (
                How::Delete,
                Why::Failing { reason: "ErrImagePull".into() },
                "pod set-0 is deleted: it fails with ErrImagePull and is of a revision that is no longer wanted",
            ),
            (
                How::Evict,
                Why::Stuck,
                "pod set-0 is evicted: it is not ready and of a revision that is no longer wanted",
            ),
        ] {
            let removal = Removal { name: "set-0".into(), uid: "1".into(), how, why };
            assert_eq!(removal.to_string(), words);
        }
    }
}
