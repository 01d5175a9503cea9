//! What Kubernetes leaves undone about the pods of a StatefulSet: each StatefulSet is decided about on its own, from what
//! is there and the time. Nothing is remembered.
//!
//! | file | owns |
//! |---|---|
//! | `replicas` | the pods with the names of a StatefulSet, and who owns them |
//! | `blocked` | pods that the StatefulSet controller can never bring up to date |
//! | `relabel` | pods that a StatefulSet with another selector shall adopt |
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

/// The annotation of a StatefulSet with the unique id of the pod that it waits for; empty, if for none.
///
/// A StatefulSet controller that could not create a pod tries again ever more seldom, and no event tells it when the pod
/// that had the name, and no owner, is gone. Any write to the StatefulSet does: the annotation is emptied then.
pub const AWAITS: &str = "mainstay.dev/awaits";

/// What is known of a StatefulSet.
#[derive(Debug, Clone, Copy)]
pub struct Situation<'s> {
    /// The StatefulSet as it is there, not as it is wanted.
    pub set: &'s StatefulSet,
    /// Pods of its namespace; those of others are left out.
    pub pods: &'s [Pod],
    /// Claims of its namespace; empty, if they are not known.
    pub claims: &'s [PersistentVolumeClaim],
    /// Whether the operator may change labels of pods. While it is not known, pods that other labels would let the
    /// StatefulSet adopt are left alone.
    pub may_patch_pods: Option<bool>,
    /// What is done about pods that a rollout waits for.
    pub repair: RepairPolicy,
    /// The time.
    pub now: Timestamp,
}

/// What is to be done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Decision {
    /// Pods that get other labels; as long as there are any, none is removed.
    pub relabels: Vec<Relabel>,
    /// The pod that is removed now.
    pub removal: Option<Removal>,
    /// What the annotation [`AWAITS`] of the StatefulSet shall say, if something else than it does; written before the pod
    /// is removed.
    pub awaits: Option<String>,
    /// What only the user can do, in words.
    pub remarks: Vec<String>,
    /// When to look again, though nothing changed.
    pub requeue_at: Option<Timestamp>,
}

/// Decides. A StatefulSet that is being deleted is left alone.
pub fn decide(situation: &Situation<'_>) -> Decision {
    let Some(replicas) = Replicas::of(situation) else { return Decision::default() };
    if situation.may_patch_pods != Some(false) {
        let relabels = replicas.relabels();
        if !relabels.is_empty() {
            return Decision { relabels, ..Decision::default() };
        }
    }
    let mut decision = if replicas.are_observed() { replicas.blocked() } else { Decision::default() };
    decision.removal = decision.removal.or_else(|| replicas.repair());
    decision.awaits = awaits(situation, decision.removal.as_ref());
    decision
}

/// What the annotation shall say, if something else than it does.
fn awaits(situation: &Situation<'_>, removal: Option<&Removal>) -> Option<String> {
    let annotations = situation.set.metadata.annotations.as_ref();
    let said = annotations.and_then(|annotations| annotations.get(AWAITS)).map_or("", String::as_str);
    let is_there = |uid: &str| situation.pods.iter().any(|pod| pod.metadata.uid.as_deref() == Some(uid));
    match removal.filter(|removal| removal.why == Why::Labels) {
        Some(removal) if removal.uid != said => Some(removal.uid.clone()),
        Some(_) => None,
        None => (!said.is_empty() && !is_there(said)).then(String::new),
    }
}
