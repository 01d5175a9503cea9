//! The pods that bear the names of a StatefulSet, and whose they are. For `blocked`, `relabel` and `repair`.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::status::pods::{is_ready, matches, revision};
use k8s_openapi::api::apps::v1::{StatefulSet, StatefulSetSpec, StatefulSetStatus};
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::jiff::{SignedDuration, Timestamp};

/// Label with the name of a pod, set by the StatefulSet controller.
pub(crate) const POD_NAME: &str = "statefulset.kubernetes.io/pod-name";

/// Whose a pod is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tie {
    /// The StatefulSet's.
    Held,
    /// Nobody's, and the StatefulSet will adopt it.
    Orphan,
    /// Nobody's, and its labels keep the StatefulSet from adopting it.
    Loose,
    /// Somebody else's; or nobody's, and no StatefulSet ever made it.
    Foreign,
}

/// A pod in its place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Member<'m> {
    pub(crate) pod: &'m Pod,
    pub(crate) ordinal: i32,
    pub(crate) tie: Tie,
}

/// A StatefulSet and the pods that bear its names, by number.
#[derive(Debug)]
pub(crate) struct Members<'m> {
    pub(crate) set: &'m StatefulSet,
    pub(crate) spec: &'m StatefulSetSpec,
    pods: BTreeMap<i32, Member<'m>>,
    pub(crate) now: Timestamp,
}

impl Member<'_> {
    pub(crate) fn name(&self) -> &str {
        self.pod.metadata.name.as_deref().unwrap_or_default()
    }

    pub(crate) fn is_leaving(&self) -> bool {
        self.pod.metadata.deletion_timestamp.is_some()
    }

    /// Whether it is ready and stays.
    pub(crate) fn is_ready(&self) -> bool {
        is_ready(self.pod) && !self.is_leaving()
    }
}

impl<'m> Members<'m> {
    /// Finds the pods among others; nothing, if the StatefulSet is on its way out.
    pub(crate) fn of(set: &'m StatefulSet, pods: &[&'m Pod], now: Timestamp) -> Option<Self> {
        let spec = set.spec.as_ref().filter(|_| set.metadata.deletion_timestamp.is_none())?;
        let pods = pods.iter().filter_map(|pod| member(set, spec, pod));
        Some(Self { set, spec, pods: pods.map(|member| (member.ordinal, member)).collect(), now })
    }

    /// All of them, by number.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &Member<'m>> {
        self.pods.values()
    }

    /// Those that the StatefulSet wants.
    pub(crate) fn wanted(&self) -> impl DoubleEndedIterator<Item = &Member<'m>> {
        self.pods.range(self.ordinals()).map(|(_, member)| member)
    }

    /// Those that are too many.
    pub(crate) fn surplus(&self) -> impl DoubleEndedIterator<Item = &Member<'m>> {
        let wanted = self.ordinals();
        self.iter().filter(move |member| !wanted.contains(&member.ordinal))
    }

    pub(crate) fn get(&self, ordinal: i32) -> Option<&Member<'m>> {
        self.pods.get(&ordinal)
    }

    /// The numbers of the pods that the StatefulSet wants.
    pub(crate) fn ordinals(&self) -> Range<i32> {
        let start = self.spec.ordinals.as_ref().and_then(|ordinals| ordinals.start).unwrap_or_default();
        start..start.saturating_add(self.spec.replicas.unwrap_or(1).max(0))
    }

    /// Whether the StatefulSet controller has seen the latest change.
    pub(crate) fn are_settled(&self) -> bool {
        let seen = self.status().and_then(|status| status.observed_generation).unwrap_or_default();
        seen >= self.set.metadata.generation.unwrap_or_default()
    }

    /// Whether pods are replaced only when somebody deletes them.
    pub(crate) fn wait_for_user(&self) -> bool {
        let strategy = self.spec.update_strategy.as_ref().and_then(|strategy| strategy.type_.as_deref());
        strategy == Some("OnDelete")
    }

    /// Whether a pod is of the revision that would be made in its place.
    pub(crate) fn is_current(&self, member: &Member<'_>) -> bool {
        let status = self.status();
        let wanted = if self.is_held_back(member) {
            status.and_then(|status| status.current_revision.as_deref())
        } else {
            status.and_then(|status| status.update_revision.as_deref())
        };
        // What is not known yet is taken for right.
        wanted.is_none_or(|wanted| wanted.is_empty() || wanted == revision(member.pod))
    }

    /// Whether the StatefulSet controller replaces a pod by itself, sooner or later.
    pub(crate) fn will_be_replaced(&self, member: &Member<'_>) -> bool {
        !self.wait_for_user() && !self.is_held_back(member) && !self.is_current(member)
    }

    /// Whether a pod is ready and was it for long enough.
    pub(crate) fn is_available(&self, member: &Member<'_>) -> bool {
        member.is_ready() && self.available_at(member).is_none_or(|time| time <= self.now)
    }

    /// When a pod that is ready will have been it for long enough, if that matters.
    pub(crate) fn available_at(&self, member: &Member<'_>) -> Option<Timestamp> {
        let seconds = self.spec.min_ready_seconds.filter(|seconds| *seconds > 0)?;
        let conditions = member.pod.status.as_ref()?.conditions.as_ref()?;
        let ready = conditions.iter().find(|condition| condition.type_ == "Ready")?;
        let since = ready.last_transition_time.as_ref()?.0;
        since.checked_add(SignedDuration::from_secs(seconds.into())).ok()
    }

    /// Whether a pod is below the partition, where nothing new is rolled out.
    fn is_held_back(&self, member: &Member<'_>) -> bool {
        let rolling =
            self.spec.update_strategy.as_ref().and_then(|strategy| strategy.rolling_update.as_ref());
        let partition = rolling.and_then(|rolling| rolling.partition).unwrap_or_default();
        member.ordinal < self.ordinals().start.saturating_add(partition)
    }

    fn status(&self) -> Option<&'m StatefulSetStatus> {
        self.set.status.as_ref()
    }
}

/// The pod in its place, if it bears a name of the StatefulSet.
fn member<'m>(set: &StatefulSet, spec: &StatefulSetSpec, pod: &'m Pod) -> Option<Member<'m>> {
    if pod.metadata.namespace != set.metadata.namespace {
        return None;
    }
    let name = pod.metadata.name.as_deref()?;
    let number = name.strip_prefix(set.metadata.name.as_deref()?)?.strip_prefix('-')?;
    let ordinal: i32 = number.parse().ok()?;
    let is_plain = ordinal >= 0 && ordinal.to_string() == number;
    is_plain.then(|| Member { pod, ordinal, tie: tie(set, spec, pod) })
}

fn tie(set: &StatefulSet, spec: &StatefulSetSpec, pod: &Pod) -> Tie {
    let owners = pod.metadata.owner_references.as_deref().unwrap_or_default();
    if let Some(controller) = owners.iter().find(|owner| owner.controller == Some(true)) {
        let is_ours = Some(&controller.uid) == set.metadata.uid.as_ref();
        return if is_ours { Tie::Held } else { Tie::Foreign };
    }
    if matches(&spec.selector, pod.metadata.labels.as_ref()) {
        return Tie::Orphan;
    }
    // Another pod that only happens to have the name was never given this label.
    let made_for = pod.metadata.labels.as_ref().and_then(|labels| labels.get(POD_NAME));
    if made_for == pod.metadata.name.as_ref() { Tie::Loose } else { Tie::Foreign }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rollout::tests::build::{self, pod, stateful_set};

    fn now() -> Timestamp {
        Timestamp::UNIX_EPOCH
    }

    #[test]
    fn a_pod_is_known_by_its_name() {
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
        let pods: Vec<&Pod> = pods.iter().collect();
        let members = Members::of(&set, &pods, now()).expect("members");
        let ordinals = |members: Vec<&Member<'_>>| -> Vec<i32> {
            members.into_iter().map(|member| member.ordinal).collect()
        };
        assert_eq!(ordinals(members.iter().collect()), [0, 3]);
        assert_eq!(ordinals(members.wanted().collect()), [0]);
        assert_eq!(ordinals(members.surplus().collect()), [3]);
    }

    #[test]
    fn numbers_begin_where_the_set_says() {
        let mut set = stateful_set(2);
        set.spec.get_or_insert_default().ordinals.get_or_insert_default().start = Some(5);
        assert_eq!(Members::of(&set, &[], now()).expect("members").ordinals(), 5..7);
    }

    #[test]
    fn a_pod_belongs_to_the_set_to_nobody_or_to_somebody_else() {
        let set = stateful_set(1);
        let tie = |pod: &Pod| Members::of(&set, &[pod], now()).and_then(|members| Some(members.get(0)?.tie));
        let held = pod(0);
        assert_eq!(tie(&held), Some(Tie::Held));
        let orphan = build::orphaned(held.clone());
        assert_eq!(tie(&orphan), Some(Tie::Orphan));
        let loose = build::labeled(orphan.clone(), "app", "old");
        assert_eq!(tie(&loose), Some(Tie::Loose));
        let stranger = build::labeled(loose.clone(), POD_NAME, "else");
        assert_eq!(tie(&stranger), Some(Tie::Foreign));
        let mut theirs = held;
        theirs.metadata.owner_references.get_or_insert_default()[0].uid = "another".into();
        assert_eq!(tie(&theirs), Some(Tie::Foreign));
    }

    #[test]
    fn a_pod_is_available_when_it_was_ready_for_long_enough() {
        let mut set = stateful_set(1);
        let pod = build::ready(pod(0), 100);
        let is_available = |set: &StatefulSet, second: i64| {
            let now = Timestamp::from_second(second).expect("a time");
            let pods = [&pod];
            let members = Members::of(set, &pods, now).expect("members");
            members.is_available(members.get(0).expect("a pod"))
        };
        assert!(is_available(&set, 100));
        set.spec.get_or_insert_default().min_ready_seconds = Some(30);
        assert!(!is_available(&set, 129));
        assert!(is_available(&set, 130));
    }

    #[test]
    fn below_the_partition_the_current_revision_is_wanted() {
        let mut set = build::revisions(stateful_set(2), "old", "new");
        let rolling = set.spec.get_or_insert_default().update_strategy.get_or_insert_default();
        rolling.rolling_update.get_or_insert_default().partition = Some(1);
        let pods = [build::of(pod(0), "old"), build::of(pod(1), "old")];
        let pods: Vec<&Pod> = pods.iter().collect();
        let members = Members::of(&set, &pods, now()).expect("members");
        let current: Vec<bool> = members.iter().map(|member| members.is_current(member)).collect();
        let replaced: Vec<bool> = members.iter().map(|member| members.will_be_replaced(member)).collect();
        assert_eq!((current, replaced), (vec![true, false], vec![false, true]));
    }
}
