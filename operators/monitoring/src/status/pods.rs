//! The pods of a StatefulSet, and what they come to.

use std::collections::BTreeMap;

use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta};

use crate::status::condition::Availability;

/// Label with the revision that a pod was made from.
const REVISION: &str = "controller-revision-hash";

/// Label with the number of a pod.
const INDEX: &str = "apps.kubernetes.io/pod-index";

/// A StatefulSet and its pods, by number.
#[derive(Debug, Clone)]
pub struct Pods<'p> {
    /// The StatefulSet.
    pub(crate) stateful_set: &'p StatefulSet,
    pods: Vec<&'p Pod>,
}

/// How many pods there are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// All of them.
    pub all: i32,
    /// Those that run what was asked for last.
    pub updated: i32,
    /// Those that are ready.
    pub ready: i32,
}

impl<'p> Pods<'p> {
    /// Finds the pods of a StatefulSet among others.
    pub fn of(stateful_set: &'p StatefulSet, pods: impl IntoIterator<Item = &'p Pod>) -> Self {
        let selector = stateful_set.spec.as_ref().map(|spec| &spec.selector);
        let belongs = |pod: &&Pod| belongs(pod, "StatefulSet", &stateful_set.metadata, selector);
        let mut pods: Vec<&Pod> = pods.into_iter().filter(belongs).collect();
        pods.sort_by_key(|pod| ordinal(pod));
        Self { stateful_set, pods }
    }

    /// How many there are.
    pub fn counts(&self) -> Counts {
        let count = |wanted: &dyn Fn(&Pod) -> bool| {
            let number = self.pods.iter().filter(|pod| wanted(pod)).count();
            i32::try_from(number).unwrap_or(i32::MAX)
        };
        Counts {
            all: count(&|_| true),
            updated: count(&|pod| revision(pod) == self.updated_revision()),
            ready: count(&is_ready),
        }
    }

    /// Whether enough of them are ready, and why not.
    pub fn availability(&self, expected: i32) -> (Availability, &'static str) {
        match self.counts().ready {
            ready if ready >= expected => (Availability::Available, ""),
            0 => (Availability::Unavailable, "NoPodReady"),
            _ => (Availability::Degraded, "SomePodsNotReady"),
        }
    }

    /// What keeps pods from being ready, each with its name.
    pub fn messages(&self) -> impl Iterator<Item = String> {
        self.pods.iter().filter_map(|pod| {
            let message = message(pod).filter(|message| !message.is_empty())?;
            Some(format!("pod {}: {message}", pod.metadata.name.as_deref().unwrap_or_default()))
        })
    }

    /// The pods, by number.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &'p Pod> {
        self.pods.iter().copied()
    }

    fn updated_revision(&self) -> &str {
        let status = self.stateful_set.status.as_ref();
        status.and_then(|status| status.update_revision.as_deref()).unwrap_or_default()
    }
}

/// Whether a pod was made by a workload of this kind with this name, which looks for its pods so.
pub(crate) fn belongs(pod: &Pod, kind: &str, owner: &ObjectMeta, selector: Option<&LabelSelector>) -> bool {
    let mut owners = pod.metadata.owner_references.iter().flatten();
    pod.metadata.namespace == owner.namespace
        && selector.is_some_and(|selector| matches(selector, pod.metadata.labels.as_ref()))
        && owners.any(|known| known.kind == kind && Some(&known.name) == owner.name.as_ref())
}

/// The revision that a pod was made from.
pub fn revision(pod: &Pod) -> &str {
    pod.metadata
        .labels
        .as_ref()
        .and_then(|labels| labels.get(REVISION))
        .map(String::as_str)
        .unwrap_or_default()
}

/// Whether a pod runs and says that it is ready.
pub fn is_ready(pod: &Pod) -> bool {
    let Some(status) = pod.status.as_ref().filter(|status| status.phase.as_deref() == Some("Running")) else {
        return false;
    };
    let ready = status.conditions.iter().flatten().find(|condition| condition.type_ == "Ready");
    ready.is_some_and(|ready| ready.status == "True")
}

/// Why a pod is not ready: the first step on its way that it did not take.
pub(crate) fn message(pod: &Pod) -> Option<&str> {
    let conditions = pod.status.as_ref()?.conditions.as_ref()?;
    let failed = ["PodScheduled", "Initialized", "ContainersReady", "Ready"].into_iter().find_map(|step| {
        conditions.iter().find(|condition| condition.type_ == step && condition.status == "False")
    });
    failed?.message.as_deref()
}

/// The number of a pod, from its label or else from its name.
fn ordinal(pod: &Pod) -> Option<u64> {
    let label = pod.metadata.labels.as_ref().and_then(|labels| labels.get(INDEX));
    let name = || pod.metadata.name.as_deref()?.rsplit_once('-').map(|(_, number)| number);
    label.map(String::as_str).or_else(name)?.parse().ok()
}

/// Whether a selector matches labels; one that says nothing matches everything.
pub fn matches(selector: &LabelSelector, labels: Option<&BTreeMap<String, String>>) -> bool {
    let value = |key: &str| labels.and_then(|labels| labels.get(key));
    let equal = selector.match_labels.iter().flatten().all(|(key, wanted)| value(key) == Some(wanted));
    equal
        && selector.match_expressions.iter().flatten().all(|requirement| {
            let value = value(&requirement.key);
            let listed = value.is_some_and(|value| {
                requirement.values.as_ref().is_some_and(|values| values.contains(value))
            });
            match requirement.operator.as_str() {
                "In" => listed,
                "NotIn" => !listed,
                "Exists" => value.is_some(),
                "DoesNotExist" => value.is_none(),
                _ => false,
            }
        })
}

#[cfg(test)]
pub(crate) mod tests {
    use k8s_openapi::api::apps::v1::{StatefulSetSpec, StatefulSetStatus};
    use k8s_openapi::api::core::v1::{PodCondition, PodStatus};
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::{
        LabelSelectorRequirement, ObjectMeta, OwnerReference,
    };

    use super::*;

    /// A StatefulSet that rolls out from one revision to another.
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

    /// A pod of that StatefulSet, which says something about the steps on its way.
    pub(crate) fn pod(name: &str, revision: &str, steps: &[(&str, &str)]) -> Pod {
        let owner =
            OwnerReference { kind: "StatefulSet".into(), name: "set".into(), ..OwnerReference::default() };
        let conditions = steps.iter().map(|(step, status)| PodCondition {
            type_: (*step).into(),
            status: (*status).into(),
            message: Some(format!("{step} is {status}")),
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
    fn pods_are_told_by_number_with_the_first_step_that_failed() {
        let set = stateful_set("a", "b");
        let pods = [
            pod("set-10", "b", &[("Ready", "False"), ("ContainersReady", "False")]),
            pod("set-2", "a", &[("Ready", "False"), ("PodScheduled", "True")]),
            pod("set-3", "a", &[("Ready", "True")]),
        ];
        let found = Pods::of(&set, &pods);
        assert_eq!(found.counts(), Counts { all: 3, updated: 1, ready: 1 });
        assert_eq!(
            found.messages().collect::<Vec<_>>(),
            ["pod set-2: Ready is False", "pod set-10: ContainersReady is False"]
        );
        assert_eq!(found.availability(1), (Availability::Available, ""));
        assert_eq!(found.availability(2), (Availability::Degraded, "SomePodsNotReady"));
        assert_eq!(Pods::of(&set, &pods[..2]).availability(1), (Availability::Unavailable, "NoPodReady"));
        assert_eq!(Pods::of(&set, &[]).availability(0), (Availability::Available, ""));
    }

    #[test]
    fn a_label_counts_more_than_a_name() {
        let set = stateful_set("a", "a");
        let mut pods = [pod("set-0", "a", &[]), pod("set-1", "a", &[])];
        pods[0].metadata.labels.get_or_insert_default().insert(INDEX.into(), "5".into());
        let names: Vec<_> = Pods::of(&set, &pods).iter().map(|pod| pod.metadata.name.as_deref()).collect();
        assert_eq!(names, [Some("set-1"), Some("set-0")]);
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

    #[test]
    fn a_pod_that_does_not_run_is_not_ready() {
        let mut pod = pod("set-0", "a", &[("Ready", "True")]);
        assert!(is_ready(&pod));
        pod.status.get_or_insert_default().phase = Some("Pending".into());
        assert!(!is_ready(&pod));
    }
}
