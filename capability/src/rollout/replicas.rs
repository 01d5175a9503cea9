//! The pods with the names of a StatefulSet, and who owns them. For `blocked`, `relabel` and `repair`.

use std::collections::BTreeMap;
use std::ops::Range;

use k8s_openapi::api::apps::v1::{StatefulSetSpec, StatefulSetStatus};
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use k8s_openapi::jiff::{SignedDuration, Timestamp};
use kube::core::{Selector, SelectorExt as _};

use super::Situation;
use crate::health::PodHealth;

/// Label with the name of a pod, set by the StatefulSet controller.
pub(super) const POD_NAME: &str = "statefulset.kubernetes.io/pod-name";

/// Who owns a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PodOwner {
    /// The StatefulSet.
    StatefulSet,
    /// None, and the StatefulSet will adopt it.
    Adoptable,
    /// None, and its labels prevent the StatefulSet from adopting it.
    Mislabeled,
    /// Another controller; or none, and no StatefulSet ever created it.
    Other,
}

/// A pod with the name of a replica.
#[derive(Debug, Clone)]
pub(super) struct Replica<'r> {
    pub(super) pod: &'r Pod,
    pub(super) ordinal: i32,
    pub(super) owner: PodOwner,
    pub(super) health: PodHealth,
}

/// A StatefulSet and the pods with its names, by ordinal.
#[derive(Debug)]
pub(super) struct Replicas<'r> {
    pub(super) situation: &'r Situation<'r>,
    pub(super) spec: &'r StatefulSetSpec,
    pods: BTreeMap<i32, Replica<'r>>,
}

impl<'r> Replicas<'r> {
    /// Finds the pods of a StatefulSet; `None` if it is being deleted.
    pub(super) fn of(situation: &'r Situation<'r>) -> Option<Self> {
        let metadata = &situation.set.metadata;
        let spec = situation.set.spec.as_ref().filter(|_| metadata.deletion_timestamp.is_none())?;
        let replica = |pod: &'r Pod| {
            let name =
                pod.metadata.name.as_deref().filter(|_| pod.metadata.namespace == metadata.namespace)?;
            let ordinal = ordinal(name, metadata.name.as_deref()?)?;
            let owner = owner(situation, &spec.selector, pod);
            Some((ordinal, Replica { pod, ordinal, owner, health: PodHealth::of(pod) }))
        };
        Some(Self { situation, spec, pods: situation.pods.iter().filter_map(replica).collect() })
    }

    /// All of them, by ordinal.
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &Replica<'r>> + Clone {
        self.pods.values()
    }

    /// Those within the desired number of replicas.
    pub(super) fn wanted(&self) -> impl DoubleEndedIterator<Item = &Replica<'r>> {
        self.pods.range(self.ordinals()).map(|(_, replica)| replica)
    }

    /// Those above the desired number of replicas.
    pub(super) fn surplus(&self) -> impl DoubleEndedIterator<Item = &Replica<'r>> {
        let wanted = self.ordinals();
        self.iter().filter(move |replica| !wanted.contains(&replica.ordinal))
    }

    pub(super) fn get(&self, ordinal: i32) -> Option<&Replica<'r>> {
        self.pods.get(&ordinal)
    }

    /// The ordinals of the desired replicas.
    pub(super) fn ordinals(&self) -> Range<i32> {
        let start = self.spec.ordinals.as_ref().and_then(|ordinals| ordinals.start).unwrap_or_default();
        start..start.saturating_add(self.spec.replicas.unwrap_or(1).max(0))
    }

    /// Whether the StatefulSet controller has observed the latest change.
    pub(super) fn are_observed(&self) -> bool {
        let observed = self.status().and_then(|status| status.observed_generation).unwrap_or_default();
        observed >= self.situation.set.metadata.generation.unwrap_or_default()
    }

    /// Whether pods are replaced only when the user deletes them.
    pub(super) fn wait_for_user(&self) -> bool {
        let strategy = self.spec.update_strategy.as_ref().and_then(|strategy| strategy.type_.as_deref());
        strategy == Some("OnDelete")
    }

    /// Whether a pod is of the revision that would be created in its place.
    pub(super) fn is_current(&self, replica: &Replica<'_>) -> bool {
        let wanted = self.status().and_then(|status| {
            if self.is_held_back(replica) { &status.current_revision } else { &status.update_revision }
                .as_ref()
        });
        // A pod is considered current until the revision is known.
        wanted.is_none_or(|wanted| wanted.is_empty() || *wanted == replica.health.revision)
    }

    /// Whether a revision is the current one or the update revision of the rollout.
    pub(super) fn is_of_rollout(&self, revision: &str) -> bool {
        let known = self.status().map(|status| [&status.current_revision, &status.update_revision]);
        let known = known.unwrap_or([&None, &None]);
        known.into_iter().any(|known| known.as_deref().unwrap_or_default() == revision)
    }

    /// Whether the StatefulSet controller will replace a pod itself.
    pub(super) fn will_be_replaced(&self, replica: &Replica<'_>) -> bool {
        !self.wait_for_user() && !self.is_held_back(replica) && !self.is_current(replica)
    }

    /// Whether a pod has been ready for `minReadySeconds`.
    pub(super) fn is_available(&self, replica: &Replica<'_>) -> bool {
        replica.health.serves() && self.available_at(replica).is_none_or(|time| time <= self.situation.now)
    }

    /// When a ready pod becomes available, if `minReadySeconds` is set.
    pub(super) fn available_at(&self, replica: &Replica<'_>) -> Option<Timestamp> {
        let seconds = self.spec.min_ready_seconds.filter(|seconds| *seconds > 0)?;
        replica.health.since?.checked_add(SignedDuration::from_secs(seconds.into())).ok()
    }

    /// Whether a pod is below the partition, so that the update revision is not rolled out to it.
    fn is_held_back(&self, replica: &Replica<'_>) -> bool {
        let strategy = self.spec.update_strategy.as_ref();
        let rolling = strategy.and_then(|strategy| strategy.rolling_update.as_ref());
        let partition = rolling.and_then(|rolling| rolling.partition).unwrap_or_default();
        replica.ordinal < self.ordinals().start.saturating_add(partition)
    }

    fn status(&self) -> Option<&'r StatefulSetStatus> {
        self.situation.set.status.as_ref()
    }
}

/// The ordinal in the name of a pod, if the name is that of a pod of this StatefulSet.
pub fn ordinal(pod: &str, set: &str) -> Option<i32> {
    let number = pod.strip_prefix(set)?.strip_prefix('-')?;
    let ordinal: i32 = number.parse().ok()?;
    (ordinal >= 0 && ordinal.to_string() == number).then_some(ordinal)
}

/// Whether a selector matches the labels of a pod.
pub fn selects(selector: &LabelSelector, labels: Option<&BTreeMap<String, String>>) -> bool {
    let selector = Selector::try_from(selector.clone());
    selector.is_ok_and(|selector| selector.matches(labels.unwrap_or(&BTreeMap::new())))
}

fn owner(situation: &Situation<'_>, selector: &LabelSelector, pod: &Pod) -> PodOwner {
    let mut owners = pod.metadata.owner_references.iter().flatten();
    if let Some(controller) = owners.find(|owner| owner.controller == Some(true)) {
        let is_ours = Some(&controller.uid) == situation.set.metadata.uid.as_ref();
        return if is_ours { PodOwner::StatefulSet } else { PodOwner::Other };
    }
    let labels = pod.metadata.labels.as_ref();
    if selects(selector, labels) {
        return PodOwner::Adoptable;
    }
    // An unrelated pod with the same name does not have this label.
    let created_as = labels.and_then(|labels| labels.get(POD_NAME));
    if created_as == pod.metadata.name.as_ref() { PodOwner::Mislabeled } else { PodOwner::Other }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::apps::v1::StatefulSet;

    use super::*;
    use crate::rollout::RepairPolicy;
    use crate::rollout::tests::build::{self, pod, stateful_set};

    fn situation<'s>(set: &'s StatefulSet, pods: &'s [Pod], second: i64) -> Situation<'s> {
        let now = Timestamp::from_second(second).expect("a time");
        Situation { set, pods, claims: &[], may_patch_pods: None, repair: RepairPolicy::Failing, now }
    }

    #[test]
    fn pods_are_identified_by_their_names() {
        let set = stateful_set(2);
        let mut other = pod(1);
        other.metadata.namespace = Some("other".into());
        let named = |name: &str| {
            let mut pod = pod(0);
            pod.metadata.name = Some(name.into());
            pod
        };
        let names = ["set-01", "set-x-0", "set", "set--1"].map(named);
        let pods: Vec<Pod> = [pod(0), other, pod(3)].into_iter().chain(names).collect();
        let situation = situation(&set, &pods, 0);
        let replicas = Replicas::of(&situation).expect("replicas");
        let ordinals = |replicas: Vec<&Replica<'_>>| -> Vec<i32> {
            replicas.into_iter().map(|replica| replica.ordinal).collect()
        };
        assert_eq!(ordinals(replicas.iter().collect()), [0, 3]);
        assert_eq!(ordinals(replicas.wanted().collect()), [0]);
        assert_eq!(ordinals(replicas.surplus().collect()), [3]);
    }

    #[test]
    fn ordinals_start_at_the_configured_number() {
        let mut set = stateful_set(2);
        set.spec.get_or_insert_default().ordinals.get_or_insert_default().start = Some(5);
        assert_eq!(Replicas::of(&situation(&set, &[], 0)).expect("replicas").ordinals(), 5..7);
    }

    #[test]
    fn the_owner_of_a_pod_is_recognised() {
        let set = stateful_set(1);
        let owner = |pod: &Pod| owner(&situation(&set, &[], 0), &set.spec.as_ref().unwrap().selector, pod);
        let owned = pod(0);
        assert_eq!(owner(&owned), PodOwner::StatefulSet);
        let orphan = build::orphaned(owned.clone());
        assert_eq!(owner(&orphan), PodOwner::Adoptable);
        let mislabeled = build::labeled(orphan.clone(), "app", "old");
        assert_eq!(owner(&mislabeled), PodOwner::Mislabeled);
        let unrelated = build::labeled(mislabeled, POD_NAME, "else");
        assert_eq!(owner(&unrelated), PodOwner::Other);
        let mut theirs = owned;
        theirs.metadata.owner_references.get_or_insert_default()[0].uid = "another".into();
        assert_eq!(owner(&theirs), PodOwner::Other);
    }

    #[test]
    fn a_pod_is_available_after_min_ready_seconds() {
        let mut set = stateful_set(1);
        let pods = [build::ready(pod(0), 100)];
        let is_available = |set: &StatefulSet, second: i64| {
            let situation = situation(set, &pods, second);
            let replicas = Replicas::of(&situation).expect("replicas");
            replicas.is_available(replicas.get(0).expect("a pod"))
        };
        assert!(is_available(&set, 100));
        set.spec.get_or_insert_default().min_ready_seconds = Some(30);
        assert!(!is_available(&set, 129));
        assert!(is_available(&set, 130));
    }

    #[test]
    fn below_the_partition_the_current_revision_is_desired() {
        let mut set = build::revisions(stateful_set(2), "old", "new");
        let rolling = set.spec.get_or_insert_default().update_strategy.get_or_insert_default();
        rolling.rolling_update.get_or_insert_default().partition = Some(1);
        let pods = [build::of(pod(0), "old"), build::of(pod(1), "old")];
        let situation = situation(&set, &pods, 0);
        let replicas = Replicas::of(&situation).expect("replicas");
        let current: Vec<bool> = replicas.iter().map(|replica| replicas.is_current(replica)).collect();
        let replaced: Vec<bool> = replicas.iter().map(|replica| replicas.will_be_replaced(replica)).collect();
        assert_eq!((current, replaced), (vec![true, false], vec![false, true]));
    }
}
