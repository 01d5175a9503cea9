//! Which pods get other labels, and which pod a StatefulSet waits for.

use std::collections::BTreeMap;

use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelectorRequirement;
use k8s_openapi::jiff::Timestamp;
use kernel::object::Key;

use super::build::{labeled, leaving, orphaned, pod, stateful_set};
use crate::rollout::replicas::Replicas;
use crate::rollout::{AWAITS, Relabel, Removal, RepairPolicy, Situation, Why, awaits};

fn situation<'s>(set: &'s StatefulSet, pods: &'s [Pod]) -> Situation<'s> {
    let (repair, now) = (RepairPolicy::Failing, Timestamp::UNIX_EPOCH);
    Situation { set, pods, claims: &[], may_patch_pods: Some(true), repair, now }
}

fn relabels(set: &StatefulSet, pods: &[Pod]) -> Vec<Relabel> {
    Replicas::of(&situation(set, pods)).expect("replicas").relabels()
}

#[test]
fn pods_without_an_owner_get_the_labels_of_the_selector() {
    let set = stateful_set(2);
    let pods = [
        labeled(orphaned(pod(0)), "app", "old"),
        orphaned(pod(1)),
        labeled(orphaned(pod(2)), "app", "old"),
        labeled(pod(3), "app", "old"),
        leaving(labeled(orphaned(pod(4)), "app", "old")),
    ];
    let labels = BTreeMap::from([("app".to_owned(), "toy".to_owned())]);
    let relabel = |ordinal: i32| Relabel {
        key: Key::new("", &format!("set-{ordinal}")),
        uid: format!("uid-{ordinal}"),
        labels: labels.clone(),
    };
    // Surplus pods too: the controller adopts and removes them.
    assert_eq!(relabels(&set, &pods), [relabel(0), relabel(2)]);
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
    assert_eq!(relabels(&set, &[orphaned(pod(0))]), []);
}

#[test]
fn a_pod_is_awaited_until_it_is_gone() {
    let pods = [pod(0)];
    let removal = Removal::of(&pods[0], Why::Labels);
    let other = Removal::of(&pods[0], Why::Stuck);
    let mut set = stateful_set(1);
    assert_eq!(awaits(&situation(&set, &pods), None), None);
    assert_eq!(awaits(&situation(&set, &pods), Some(&other)), None);
    assert_eq!(awaits(&situation(&set, &pods), Some(&removal)), Some("uid-0".into()));
    set.metadata.annotations = Some([(AWAITS.to_owned(), "uid-0".to_owned())].into());
    assert_eq!(awaits(&situation(&set, &pods), Some(&removal)), None);
    assert_eq!(awaits(&situation(&set, &pods), None), None);
    assert_eq!(awaits(&situation(&set, &[]), None), Some(String::new()));
    set.metadata.annotations = Some([(AWAITS.to_owned(), String::new())].into());
    assert_eq!(awaits(&situation(&set, &[]), None), None);
}
