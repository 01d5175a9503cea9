//! Tests of which pods count, and of the messages about them.

use std::collections::BTreeMap;

use k8s_openapi::api::apps::v1::{StatefulSetSpec, StatefulSetStatus};
use k8s_openapi::api::core::v1::{PodCondition, PodStatus};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelectorRequirement, ObjectMeta, OwnerReference};

use super::*;

/// Label with the revision of a pod.
const REVISION: &str = "controller-revision-hash";

/// A StatefulSet during a rollout from one revision to another.
pub(crate) fn stateful_set(current: &str, update: &str) -> StatefulSet {
    StatefulSet {
        metadata: ObjectMeta { name: Some("set".into()), ..ObjectMeta::default() },
        spec: Some(StatefulSetSpec::default()),
        status: Some(StatefulSetStatus {
            current_revision: Some(current.into()),
            update_revision: Some(update.into()),
            ..StatefulSetStatus::default()
        }),
    }
}

/// A pod of that StatefulSet with these conditions.
pub(crate) fn pod(name: &str, revision: &str, conditions: &[(&str, &str)]) -> Pod {
    let owner =
        OwnerReference { kind: "StatefulSet".into(), name: "set".into(), ..OwnerReference::default() };
    let conditions = conditions.iter().map(|(type_, status)| PodCondition {
        type_: (*type_).into(),
        status: (*status).into(),
        message: Some(format!("{type_} is {status}")),
        ..PodCondition::default()
    });
    Pod {
        metadata: ObjectMeta {
            name: Some(name.into()),
            labels: Some(BTreeMap::from([(REVISION.into(), revision.into())])),
            owner_references: Some(vec![owner]),
            ..ObjectMeta::default()
        },
        spec: None,
        status: Some(PodStatus {
            phase: Some("Running".into()),
            conditions: Some(conditions.collect()),
            ..PodStatus::default()
        }),
    }
}

#[test]
fn pods_are_listed_by_number_with_the_first_failed_condition() {
    let set = stateful_set("a", "b");
    let pods = [
        pod("set-10", "b", &[("Ready", "False"), ("ContainersReady", "False")]),
        pod("set-2", "a", &[("Ready", "False"), ("PodScheduled", "True")]),
        pod("set-3", "a", &[("Ready", "True")]),
    ];
    let found = Pods::of(&set, &pods);
    assert_eq!(found.counts(), PodCounts { all: 3, updated: 1, ready: 1 });
    assert_eq!(
        found.messages().collect::<Vec<_>>(),
        ["pod set-2: Ready is False", "pod set-10: ContainersReady is False"]
    );
    assert_eq!(found.availability(1), Availability::Available);
    assert_eq!(found.availability(2), Availability::SomePodsNotReady);
    assert_eq!(Pods::of(&set, &pods[..2]).availability(1), Availability::NoPodReady);
    assert_eq!(Pods::of(&set, &[]).availability(0), Availability::Available);
}

#[test]
fn a_label_counts_more_than_a_name() {
    let set = stateful_set("a", "a");
    let mut pods = [pod("set-0", "a", &[]), pod("set-1", "a", &[])];
    pods[0].metadata.labels.get_or_insert_default().insert(INDEX.into(), "5".into());
    let names: Vec<_> = Pods::of(&set, &pods).pods.into_iter().map(|pod| pod.name).collect();
    assert_eq!(names, ["set-1", "set-0"]);
}

#[test]
fn pods_of_others_are_left_out() {
    let mut set = stateful_set("a", "a");
    let pods = [pod("set-0", "a", &[])];
    let requirement = |operator: &str, values: &[&str]| LabelSelectorRequirement {
        key: REVISION.into(),
        operator: operator.into(),
        values: Some(values.iter().map(|value| (*value).into()).collect()),
    };
    for (expressions, expected) in [
        (vec![requirement("In", &["a"])], 1),
        (vec![requirement("In", &["b"])], 0),
        (vec![requirement("NotIn", &["a"])], 0),
        (vec![requirement("NotIn", &["b"])], 1),
        (vec![requirement("Exists", &[])], 1),
        (vec![requirement("DoesNotExist", &[])], 0),
        (vec![requirement("Near", &[])], 0),
    ] {
        let selector = &mut set.spec.get_or_insert_default().selector;
        selector.match_expressions = Some(expressions);
        assert_eq!(Pods::of(&set, &pods).counts().all, expected, "{:?}", set.spec);
    }
    set.metadata.name = Some("other".into());
    set.spec = Some(StatefulSetSpec::default());
    assert_eq!(Pods::of(&set, &pods).counts().all, 0);
}
