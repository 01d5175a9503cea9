//! What is to be done about one StatefulSet, all in all. Each shard of a workload is decided about on its own.

use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod};
use k8s_openapi::jiff::Timestamp;

use crate::rollout::relabel::{self, Relabel};
use crate::rollout::removal::Removal;
use crate::rollout::repair::{self, Policy};
use crate::rollout::{blocked, members, wake};

/// What is known of a StatefulSet.
#[derive(Debug, Clone, Copy)]
pub struct Situation<'s> {
    /// The StatefulSet as it is there, not as it is wanted.
    pub set: &'s StatefulSet,
    /// Pods of its namespace; those of others are left out.
    pub pods: &'s [&'s Pod],
    /// Claims of its namespace; empty, if they are not known.
    pub claims: &'s [&'s PersistentVolumeClaim],
    /// Whether pods may be given other labels.
    pub may_patch_pods: bool,
    /// What is done about pods that a roll-out waits for.
    pub repair: Policy,
    /// The time.
    pub now: Timestamp,
}

/// What is to be done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Decision {
    /// Pods that get other labels; as long as there are any, none is removed.
    pub relabels: Vec<Relabel>,
    /// The pod that goes now.
    pub removal: Option<Removal>,
    /// What the annotation [`AWAITS`](crate::rollout::wake::AWAITS) of the StatefulSet shall say, if something else than it does;
    /// written before the pod is removed.
    pub awaits: Option<String>,
    /// What only the user can do, in words.
    pub remarks: Vec<String>,
    /// When to look again, though nothing changed.
    pub requeue_after: Option<Timestamp>,
}

/// Decides. Nothing is done about a StatefulSet that is on its way out: what is made in its place is decided about.
pub fn decide(situation: &Situation<'_>) -> Decision {
    let Situation { set, pods, now, .. } = *situation;
    if members::Members::of(set, pods, now).is_none() {
        return Decision::default();
    }
    if situation.may_patch_pods {
        let relabels = relabel::wanted(set, pods);
        if !relabels.is_empty() {
            return Decision { relabels, ..Decision::default() };
        }
    }
    let blocked::Next { removal, remarks, requeue_after } = blocked::next(situation);
    let removal = removal.or_else(|| repair::wanted(situation));
    let awaits = wake::awaits(set, pods, removal.as_ref());
    Decision { relabels: Vec::new(), removal, awaits, remarks, requeue_after }
}
