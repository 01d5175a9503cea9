//! Pods that a stuck rollout waits for. A StatefulSet controller that waits for a pod to become ready before it goes on
//! (`OrderedReady` always, `Parallel` where `MaxUnavailableStatefulSet` is on, as in Kubernetes 1.35.0) waits forever if
//! the template was corrected since: the old pod is never replaced.

use super::removal::{Method, Removal, Why};
use super::replicas::{PodOwner, Replica, Replicas};

/// How such pods are repaired.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum RepairPolicy {
    /// Those that fail for a reason that a restart does not resolve are deleted.
    #[default]
    Failing,
    /// They are left alone.
    None,
    /// Those that are not ready and of a revision that is neither the old one nor the new one are evicted, if no
    /// disruption budget forbids that.
    Evict,
    /// The same are deleted.
    Delete,
}

impl Replicas<'_> {
    /// The pod that is removed, if there is one: at most one, and none before the controller has observed the latest
    /// change.
    pub(super) fn repair(&self) -> Option<Removal> {
        if !self.are_observed() {
            return None;
        }
        match self.situation.repair {
            RepairPolicy::Failing => self.failing(),
            RepairPolicy::None => None,
            RepairPolicy::Evict => Some(Removal { method: Method::Evict, ..self.stuck()? }),
            RepairPolicy::Delete => self.stuck(),
        }
    }

    /// As in the Prometheus Operator: the last pod of a revision before the rollout, unless enough others are ready.
    fn stuck(&self) -> Option<Removal> {
        let mut owned = self.iter().filter(|replica| replica.owner == PodOwner::StatefulSet);
        let ready = owned.clone().filter(|replica| replica.health.is_ready).count();
        if ready >= self.ordinals().len() {
            return None;
        }
        let is_stuck = |replica: &&Replica<'_>| {
            let health = &replica.health;
            !health.is_ready && !health.is_terminating && !self.is_of_rollout(&health.revision)
        };
        Some(Removal::of(owned.rfind(is_stuck)?.pod, Why::Stuck))
    }

    /// A pod is removed if a pod of another revision would replace it. The first pod is removed first, because an ordered
    /// controller waits for it; the next one after the new revision has become ready.
    fn failing(&self) -> Option<Removal> {
        let is_on_trial = |replica: &Replica<'_>| self.is_current(replica) && !self.is_available(replica);
        let is_busy = |replica: &Replica<'_>| replica.health.is_terminating || is_on_trial(replica);
        if self.wait_for_user() || self.wanted().any(is_busy) {
            return None;
        }
        let mut old = self.wanted().filter(|replica| {
            replica.owner == PodOwner::StatefulSet && !self.is_current(replica) && !replica.health.is_ready
        });
        old.find_map(|replica| {
            let reason = replica.health.failure.as_ref()?.reason.clone();
            Some(Removal::of(replica.pod, Why::Failing { reason }))
        })
    }
}
