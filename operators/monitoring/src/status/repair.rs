//! The pod that a stuck roll-out waits for: it is not ready, and its revision is neither the one that was nor the one that
//! shall be, so the StatefulSet controller leaves it alone for ever.

use k8s_openapi::api::core::v1::Pod;

use crate::status::pods::{Pods, is_ready, revision};

/// What is done about such a pod.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum RepairPolicy {
    /// Nothing.
    #[default]
    None,
    /// It is evicted, if no disruption budget forbids that.
    Evict,
    /// It is deleted.
    Delete,
}

/// A pod that shall go.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Repair<'p> {
    /// By eviction.
    Evict(&'p Pod),
    /// By deletion.
    Delete(&'p Pod),
}

/// The pod that shall go, if there is one: at most one a pass, and none before the controller has seen the latest change.
pub fn wanted<'p>(pods: &Pods<'p>, policy: RepairPolicy) -> Option<Repair<'p>> {
    let status = pods.stateful_set.status.as_ref();
    let seen = status.and_then(|status| status.observed_generation).unwrap_or_default();
    if policy == RepairPolicy::None || seen != pods.stateful_set.metadata.generation.unwrap_or_default() {
        return None;
    }
    let current = status.and_then(|status| status.current_revision.as_deref()).unwrap_or_default();
    let updated = status.and_then(|status| status.update_revision.as_deref()).unwrap_or_default();
    let is_stuck = |pod: &&Pod| {
        !is_ready(pod)
            && ![current, updated].contains(&revision(pod))
            && pod.metadata.deletion_timestamp.is_none()
    };
    let pod = pods.iter().rev().find(is_stuck)?;
    match policy {
        RepairPolicy::None => None,
        RepairPolicy::Evict => Some(Repair::Evict(pod)),
        RepairPolicy::Delete => Some(Repair::Delete(pod)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::pods::tests::{pod, stateful_set};

    #[test]
    fn the_last_pod_of_a_forgotten_revision_goes() {
        let mut set = stateful_set("old", "new");
        let stuck = [("Ready", "False")];
        let pods = [
            pod("set-0", "bad", &stuck),
            pod("set-1", "bad", &stuck),
            pod("set-2", "bad", &[("Ready", "True")]),
            pod("set-3", "old", &stuck),
            pod("set-4", "new", &stuck),
        ];
        let found = Pods::of(&set, &pods);
        assert_eq!(wanted(&found, RepairPolicy::None), None);
        assert_eq!(wanted(&found, RepairPolicy::Evict), Some(Repair::Evict(&pods[1])));
        assert_eq!(wanted(&found, RepairPolicy::Delete), Some(Repair::Delete(&pods[1])));
        // The controller has not seen the latest change yet.
        set.metadata.generation = Some(2);
        assert_eq!(wanted(&Pods::of(&set, &pods), RepairPolicy::Delete), None);
    }
}
