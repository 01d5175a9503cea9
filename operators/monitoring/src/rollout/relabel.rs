//! Pods that a StatefulSet with another selector shall adopt: they get the labels that it asks for. Only pods that belong
//! to nobody are touched: as long as the old StatefulSet is there they are its own.

use std::collections::BTreeMap;

use crate::status::pods::matches;
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use k8s_openapi::jiff::Timestamp;

use crate::rollout::members::{Member, Members, Tie};

/// Labels that a pod shall have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relabel {
    /// The name of the pod.
    pub name: String,
    /// Its unique id: no other pod of the same name is meant.
    pub uid: String,
    /// The labels that it lacks; its others stay.
    pub labels: BTreeMap<String, String>,
}

/// The pods that get other labels: all of them at once, because nothing restarts by that.
pub fn wanted(set: &StatefulSet, pods: &[&Pod]) -> Vec<Relabel> {
    let members = Members::of(set, pods, Timestamp::UNIX_EPOCH);
    let members = members.iter().flat_map(Members::iter).filter_map(|member| {
        let text = |part: &Option<String>| part.clone().unwrap_or_default();
        let metadata = &member.pod.metadata;
        let labels = missing(&set.spec.as_ref()?.selector, member)?;
        Some(Relabel { name: text(&metadata.name), uid: text(&metadata.uid), labels })
    });
    members.collect()
}

/// The labels that let a pod be adopted; nothing, if it is adopted without, or not even with them.
pub(crate) fn missing(selector: &LabelSelector, member: &Member<'_>) -> Option<BTreeMap<String, String>> {
    if member.tie != Tie::Loose || member.is_leaving() {
        return None;
    }
    let present = member.pod.metadata.labels.clone().unwrap_or_default();
    let mut missing = selector.match_labels.clone().unwrap_or_default();
    missing.retain(|key, value| present.get(key) != Some(value));
    let mut labels = present;
    labels.extend(missing.clone());
    matches(selector, Some(&labels)).then_some(missing)
}

#[cfg(test)]
mod tests {
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelectorRequirement;

    use super::*;
    use crate::rollout::tests::build::{self, labeled, orphaned, pod, stateful_set};

    #[test]
    fn pods_of_nobody_get_the_labels_that_the_selector_asks_for() {
        let set = stateful_set(2);
        let pods = [
            labeled(orphaned(pod(0)), "app", "old"),
            orphaned(pod(1)),
            labeled(orphaned(pod(2)), "app", "old"),
            labeled(pod(3), "app", "old"),
            build::leaving(labeled(orphaned(pod(4)), "app", "old")),
        ];
        let pods: Vec<&Pod> = pods.iter().collect();
        let labels = BTreeMap::from([("app".to_owned(), "toy".to_owned())]);
        let relabel = |ordinal: i32| Relabel {
            name: format!("set-{ordinal}"),
            uid: format!("uid-{ordinal}"),
            labels: labels.clone(),
        };
        // Also one that is too many: adopted, it is removed as such.
        assert_eq!(wanted(&set, &pods), [relabel(0), relabel(2)]);
    }

    #[test]
    fn a_selector_that_labels_cannot_satisfy_changes_nothing() {
        let mut set = stateful_set(1);
        let requirement = LabelSelectorRequirement {
            key: "app".into(),
            operator: "DoesNotExist".into(),
            ..LabelSelectorRequirement::default()
        };
        set.spec.get_or_insert_default().selector.match_expressions = Some(vec![requirement]);
        assert_eq!(wanted(&set, &[&orphaned(pod(0))]), []);
    }
}
