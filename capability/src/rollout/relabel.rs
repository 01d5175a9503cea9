//! Pods that a StatefulSet with another selector should adopt: they get the labels that it selects. Only pods without an
//! owner are changed: the others belong to the old StatefulSet while it exists.

use std::collections::BTreeMap;

use kernel::object::Key;

use super::replicas::{PodOwner, Replica, Replicas, selects};

/// Labels that are added to a pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relabel {
    /// The pod.
    pub key: Key,
    /// Its unique id: no other pod with the same name is changed.
    pub uid: String,
    /// The labels that it lacks. Its other labels are kept.
    pub labels: BTreeMap<String, String>,
}

impl Replicas<'_> {
    /// The pods that get other labels: all of them at once, because that restarts no pod.
    pub(super) fn relabels(&self) -> Vec<Relabel> {
        let relabels = self.iter().filter_map(|replica| {
            let uid = replica.pod.metadata.uid.clone().unwrap_or_default();
            let labels = self.missing_labels(replica)?;
            Some(Relabel { key: Key::of(&replica.pod.metadata), uid, labels })
        });
        relabels.collect()
    }

    /// The labels with which a pod is adopted; `None` if it is adopted without them, or not even with them.
    pub(super) fn missing_labels(&self, replica: &Replica<'_>) -> Option<BTreeMap<String, String>> {
        if replica.owner != PodOwner::Mislabeled || replica.health.is_terminating {
            return None;
        }
        let selector = &self.spec.selector;
        let mut labels = replica.pod.metadata.labels.clone().unwrap_or_default();
        let mut missing = selector.match_labels.clone().unwrap_or_default();
        missing.retain(|key, value| labels.get(key) != Some(value));
        labels.extend(missing.clone());
        selects(selector, Some(&labels)).then_some(missing)
    }
}
