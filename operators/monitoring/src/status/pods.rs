//! The pods of a StatefulSet, and whether it is available.

use capability::health::PodHealth;
use capability::rollout::selects;
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta};

use crate::status::Availability;

/// Label with the number of a pod.
const INDEX: &str = "apps.kubernetes.io/pod-index";

/// A StatefulSet and its pods, by number.
#[derive(Debug, Clone)]
pub struct Pods<'p> {
    update_revision: &'p str,
    pods: Vec<PodHealth>,
}

/// How many pods there are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PodCounts {
    /// All of them.
    pub all: i32,
    /// Those of the latest revision.
    pub updated: i32,
    /// Those that are ready.
    pub ready: i32,
}

impl PodCounts {
    /// Whether as many are ready as are expected, and why not.
    pub(crate) fn availability(self, expected: i32) -> Availability {
        match self.ready {
            ready if ready >= expected => Availability::Available,
            0 => Availability::NoPodReady,
            _ => Availability::SomePodsNotReady,
        }
    }
}

impl<'p> Pods<'p> {
    /// Finds the pods of a StatefulSet among others.
    pub fn of(stateful_set: &'p StatefulSet, pods: impl IntoIterator<Item = &'p Pod>) -> Self {
        let selector = stateful_set.spec.as_ref().map(|spec| &spec.selector);
        let belongs = |pod: &&Pod| belongs(pod, "StatefulSet", &stateful_set.metadata, selector);
        let mut pods: Vec<&Pod> = pods.into_iter().filter(belongs).collect();
        pods.sort_by_key(|pod| ordinal(pod));
        let status = stateful_set.status.as_ref();
        let update_revision = status.and_then(|status| status.update_revision.as_deref()).unwrap_or_default();
        Self { update_revision, pods: pods.into_iter().map(PodHealth::of).collect() }
    }

    /// How many there are.
    pub fn counts(&self) -> PodCounts {
        let count = |is_counted: fn(&PodHealth, &str) -> bool| {
            let number = self.pods.iter().filter(|pod| is_counted(pod, self.update_revision)).count();
            i32::try_from(number).unwrap_or(i32::MAX)
        };
        PodCounts {
            all: count(|_, _| true),
            updated: count(|pod, update_revision| pod.revision == update_revision),
            ready: count(|pod, _| pod.is_ready),
        }
    }

    /// Whether enough of them are ready, and why not.
    pub fn availability(&self, expected: i32) -> Availability {
        self.counts().availability(expected)
    }

    /// Why pods are not ready, each with its name.
    pub fn messages(&self) -> impl Iterator<Item = String> {
        self.pods.iter().filter_map(|pod| Some(format!("pod {}: {}", pod.name, pod.message.as_ref()?)))
    }
}

/// Whether a pod was created by a workload of this kind with this name and selector.
pub(crate) fn belongs(pod: &Pod, kind: &str, owner: &ObjectMeta, selector: Option<&LabelSelector>) -> bool {
    let mut owners = pod.metadata.owner_references.iter().flatten();
    pod.metadata.namespace == owner.namespace
        && selector.is_some_and(|selector| selects(selector, pod.metadata.labels.as_ref()))
        && owners.any(|known| known.kind == kind && Some(&known.name) == owner.name.as_ref())
}

/// The number of a pod, from its label or else from its name.
fn ordinal(pod: &Pod) -> Option<u64> {
    let label = pod.metadata.labels.as_ref().and_then(|labels| labels.get(INDEX));
    let name = || pod.metadata.name.as_deref()?.rsplit_once('-').map(|(_, number)| number);
    label.map(String::as_str).or_else(name)?.parse().ok()
}

#[cfg(test)]
pub(crate) mod tests;
