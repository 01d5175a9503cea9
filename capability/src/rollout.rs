//! Repairs of pods that a StatefulSet controller does not make. The decision about a StatefulSet depends only on its present
//! state and the time.
//!
//! | file | owns |
//! |---|---|
//! | `replicas` | the pods with the names of a StatefulSet, and who owns them |
//! | `blocked` | pods that the StatefulSet controller can never bring up to date |
//! | `relabel` | pods that a StatefulSet with another selector should adopt |
//! | `repair` | pods that a stuck rollout waits for |
//! | `removal` | a pod that is removed, and why |

mod blocked;
mod relabel;
mod removal;
mod repair;
mod replicas;
#[cfg(test)]
pub(crate) mod tests;

use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod};
use k8s_openapi::jiff::Timestamp;

pub use relabel::Relabel;
pub use removal::{Method, Removal, Why};
pub use repair::RepairPolicy;
pub use replicas::{ordinal, selects};

use replicas::Replicas;

/// The annotation of a StatefulSet with the unique id of the pod that it waits for; empty if it waits for none.
///
/// A StatefulSet controller that could not create a pod retries with back-off, and gets no event when the pod that has the
/// name but no owner is gone. Any write to the StatefulSet triggers it, so the annotation is cleared at that time.
pub const AWAITS: &str = "mainstay.dev/awaits";

/// The state that a decision depends on.
#[derive(Debug, Clone, Copy)]
pub struct Situation<'s> {
    /// The present StatefulSet, not the desired one.
    pub set: &'s StatefulSet,
    /// Pods of its namespace; pods of other StatefulSets are ignored.
    pub pods: &'s [Pod],
    /// Claims of its namespace; empty if they are not known.
    pub claims: &'s [PersistentVolumeClaim],
    /// Whether the operator has the permission to patch pods. While it is not known, pods that the StatefulSet would adopt
    /// with other labels are left alone.
    pub may_patch_pods: Option<bool>,
    /// How pods that a rollout waits for are repaired.
    pub repair: RepairPolicy,
    /// The time.
    pub now: Timestamp,
}

/// The repairs of a StatefulSet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RolloutDecision {
    /// Pods that get other labels. While there are any, no pod is removed.
    pub relabels: Vec<Relabel>,
    /// The pod that is removed now.
    pub removal: Option<Removal>,
    /// The new value of the annotation [`AWAITS`] of the StatefulSet, if it changes. It is written before the pod is removed.
    pub awaits: Option<String>,
    /// Messages about what only the user can do.
    pub remarks: Vec<String>,
    /// When to reconcile again if nothing changes.
    pub requeue_at: Option<Timestamp>,
}

/// Decides on the repairs. A StatefulSet that is being deleted is left alone.
pub fn decide(situation: &Situation<'_>) -> RolloutDecision {
    let Some(replicas) = Replicas::of(situation) else { return RolloutDecision::default() };
    if situation.may_patch_pods != Some(false) {
        let relabels = replicas.relabels();
        if !relabels.is_empty() {
            return RolloutDecision { relabels, ..RolloutDecision::default() };
        }
    }
    let mut decision = if replicas.are_observed() { replicas.blocked() } else { RolloutDecision::default() };
    decision.removal = decision.removal.or_else(|| replicas.repair());
    decision.awaits = awaits(situation, decision.removal.as_ref());
    decision
}

/// The new value of the annotation, if it changes.
fn awaits(situation: &Situation<'_>, removal: Option<&Removal>) -> Option<String> {
    let annotations = situation.set.metadata.annotations.as_ref();
    let present = annotations.and_then(|annotations| annotations.get(AWAITS)).map_or("", String::as_str);
    let exists = |uid: &str| situation.pods.iter().any(|pod| pod.metadata.uid.as_deref() == Some(uid));
    match removal.filter(|removal| removal.why == Why::Labels) {
        Some(removal) if removal.uid != present => Some(removal.uid.clone()),
        Some(_) => None,
        None => (!present.is_empty() && !exists(present)).then(String::new),
    }
}
