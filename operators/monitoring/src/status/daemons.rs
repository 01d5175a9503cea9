//! The pods of a DaemonSet, and whether it is available. Only its controller knows how many nodes should have a pod, so the
//! numbers come from its status. The pods show why one is not ready.

use capability::health::PodHealth;
use k8s_openapi::api::apps::v1::{DaemonSet, DaemonSetStatus};
use k8s_openapi::api::core::v1::Pod;

use crate::status::Availability;
use crate::status::pods::{PodCounts, belongs};

/// A DaemonSet and its pods, by name.
#[derive(Debug, Clone)]
pub struct Daemons<'p> {
    daemon_set: &'p DaemonSet,
    pods: Vec<PodHealth>,
}

impl<'p> Daemons<'p> {
    /// Finds the pods of a DaemonSet among others.
    pub fn of(daemon_set: &'p DaemonSet, pods: impl IntoIterator<Item = &'p Pod>) -> Self {
        let selector = daemon_set.spec.as_ref().map(|spec| &spec.selector);
        let belongs = |pod: &&Pod| belongs(pod, "DaemonSet", &daemon_set.metadata, selector);
        let mut pods: Vec<PodHealth> = pods.into_iter().filter(belongs).map(PodHealth::of).collect();
        pods.sort_by(|one, other| one.name.cmp(&other.name));
        Self { daemon_set, pods }
    }

    /// How many nodes should have a pod, have one of the latest revision, and have one that is available.
    pub fn counts(&self) -> PodCounts {
        self.status().map(counts).unwrap_or_default()
    }

    /// Whether enough nodes have a pod that is available, and why not.
    pub fn availability(&self) -> Availability {
        let Some(counts) = self.status().map(counts) else {
            return Availability::NoPodReady;
        };
        counts.availability(counts.all)
    }

    /// Why nodes have no ready pod: a line for each pod, and one for all nodes without a pod. A DaemonSet without matching
    /// nodes is available and has a message.
    pub fn messages(&self) -> Vec<String> {
        let Some(status) = self.status() else {
            return vec!["the DaemonSet is new: its controller has not processed it yet".to_owned()];
        };
        let desired = status.desired_number_scheduled;
        if desired == 0 {
            return vec!["no node matches: check nodeSelector, affinity and tolerations".to_owned()];
        }
        if self.availability() == Availability::Available {
            return Vec::new();
        }
        let line =
            |pod: &PodHealth| format!("pod {}: {}", pod.name, pod.message.as_deref().unwrap_or("not ready"));
        let mut lines: Vec<String> = self.pods.iter().filter(|pod| !pod.is_ready).map(line).collect();
        let without = desired - status.current_number_scheduled;
        if without > 0 {
            lines.push(format!("{without} of {desired} nodes: no pod yet"));
        }
        lines
    }

    /// The status, once its controller has processed it.
    fn status(&self) -> Option<&DaemonSetStatus> {
        let status = self.daemon_set.status.as_ref();
        status.filter(|status| status.observed_generation.is_some_and(|seen| seen > 0))
    }
}

fn counts(status: &DaemonSetStatus) -> PodCounts {
    PodCounts {
        all: status.desired_number_scheduled,
        updated: status.updated_number_scheduled.unwrap_or_default(),
        ready: status.number_available.unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use api_monitoring::PrometheusAgent;
    use api_monitoring::prometheus_agent::PrometheusAgentSpec;
    use k8s_openapi::api::apps::v1::DaemonSetSpec;
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, ObjectMeta};
    use kernel::condition::stated;

    use super::*;
    use crate::OfAgent;
    use crate::kind::{Seen, Workload as _};
    use crate::status::pods::tests::pod;

    /// A DaemonSet with these numbers of nodes that should have a pod, pods, and available pods.
    fn daemon_set(desired: i32, current: i32, available: i32) -> DaemonSet {
        DaemonSet {
            metadata: ObjectMeta { name: Some("set".into()), generation: Some(2), ..ObjectMeta::default() },
            spec: Some(DaemonSetSpec::default()),
            status: Some(DaemonSetStatus {
                observed_generation: Some(2),
                desired_number_scheduled: desired,
                current_number_scheduled: current,
                updated_number_scheduled: Some(current),
                // The API server omits zero.
                number_available: Some(available).filter(|available| *available > 0),
                ..DaemonSetStatus::default()
            }),
        }
    }

    fn daemon(name: &str, conditions: &[(&str, &str)]) -> Pod {
        let mut pod = pod(name, "a", conditions);
        pod.metadata.owner_references.get_or_insert_default()[0].kind = "DaemonSet".into();
        pod
    }

    /// The pods of each shard, and whether enough of them are available.
    fn observed(set: Option<&DaemonSet>, pods: &[Pod]) -> (Vec<(i32, PodCounts)>, Condition) {
        let mut agent = PrometheusAgent::new("a", PrometheusAgentSpec::default());
        agent.metadata.namespace = Some("ns".into());
        agent.spec.mode = Some("DaemonSet".into());
        let seen = Seen { daemon_set: set.cloned(), pods: pods.to_vec(), ..Seen::default() };
        let summary = OfAgent::observe(&agent, &seen);
        let available = summary.available();
        (summary.shards, available)
    }

    fn expected(
        [all, updated, ready]: [i32; 3],
        (status, reason, message): (&str, &str, &str),
    ) -> (Vec<(i32, PodCounts)>, Condition) {
        (vec![(0, PodCounts { all, updated, ready })], stated("Available", status, reason, message))
    }

    #[test]
    fn it_is_available_if_every_node_has_an_available_pod() {
        let pods = [daemon("x", &[("Ready", "True")]), daemon("y", &[("Ready", "True")])];
        assert_eq!(observed(Some(&daemon_set(2, 2, 2)), &pods), expected([2, 2, 2], ("True", "", "")));
    }

    #[test]
    fn every_pod_that_is_not_ready_has_a_line() {
        let pods = [
            daemon("z", &[]),
            daemon("y", &[("Ready", "False"), ("ContainersReady", "False")]),
            daemon("x", &[("Ready", "True")]),
            // A pod of a StatefulSet.
            pod("set-0", "a", &[("Ready", "False")]),
        ];
        let lines = "pod y: ContainersReady is False\npod z: not ready\n1 of 4 nodes: no pod yet";
        assert_eq!(
            observed(Some(&daemon_set(4, 3, 1)), &pods),
            expected([4, 3, 1], ("Degraded", "SomePodsNotReady", lines))
        );
        let lines = "pod y: ContainersReady is False\npod z: not ready";
        assert_eq!(
            observed(Some(&daemon_set(2, 2, 0)), &pods[..2]),
            expected([2, 2, 0], ("False", "NoPodReady", lines))
        );
    }

    #[test]
    fn a_missing_daemon_set_is_unavailable() {
        assert_eq!(
            observed(None, &[]),
            expected([0; 3], ("False", "DaemonSetNotFound", "daemonset ns/prom-agent-a not found"))
        );
    }

    #[test]
    fn a_daemon_set_that_its_controller_has_not_processed_is_unavailable() {
        let mut set = daemon_set(0, 0, 0);
        let message = "the DaemonSet is new: its controller has not processed it yet";
        for status in [None, Some(DaemonSetStatus::default())] {
            set.status = status;
            assert_eq!(observed(Some(&set), &[]), expected([0; 3], ("False", "NoPodReady", message)));
        }
    }

    #[test]
    fn a_daemon_set_without_matching_nodes_is_available_with_a_message() {
        let message = "no node matches: check nodeSelector, affinity and tolerations";
        assert_eq!(observed(Some(&daemon_set(0, 0, 0)), &[]), expected([0; 3], ("True", "", message)));
    }
}
