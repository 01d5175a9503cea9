//! Pods that a StatefulSet with another selector shall adopt: they get the labels that it selects. Only pods without an
//! owner are changed: as long as the old StatefulSet is there they are its own.

use std::collections::BTreeMap;

use kernel::object::Key;

use super::replicas::{PodOwner, Replica, Replicas, selects};

/// Labels that a pod shall have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relabel {
    /// The pod.
    pub key: Key,
    /// Its unique id: no other pod of the same name is meant.
    pub uid: String,
    /// The labels that it lacks; its others stay.
    pub labels: BTreeMap<String, String>,
}

impl Replicas<'_> {
    /// The pods that get other labels: all of them at once, because nothing restarts by that.
    pub(super) fn relabels(&self) -> Vec<Relabel> {
        let relabels = self.iter().filter_map(|replica| {
            let uid = replica.pod.metadata.uid.clone().unwrap_or_default();
            let labels = self.missing_labels(replica)?;
            Some(Relabel { key: Key::of(&replica.pod.metadata), uid, labels })
        });
        relabels.collect()
    }

    /// The labels that let a pod be adopted; nothing, if it is adopted without, or not even with them.
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
