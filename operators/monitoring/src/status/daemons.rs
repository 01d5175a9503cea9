//! The pods of a DaemonSet, and what they come to. Only its controller knows how many nodes shall have one, so its status
//! counts; the pods say why one is not ready.

use capability::health::PodHealth;
use k8s_openapi::api::apps::v1::{DaemonSet, DaemonSetStatus};
use k8s_openapi::api::core::v1::Pod;

use crate::status::condition::Availability;
use crate::status::pods::{Counts, belongs};

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

    /// How many nodes shall have a pod, have one of the latest kind, and have one that is available.
    pub fn counts(&self) -> Counts {
        self.status().map(counts).unwrap_or_default()
    }

    /// Whether enough nodes have a pod that is available, and why not.
    pub fn availability(&self) -> (Availability, &'static str) {
        let Some(counts) = self.status().map(counts) else {
            return (Availability::Unavailable, "NoPodReady");
        };
        counts.availability(counts.all)
    }

    /// What keeps nodes from having a pod that is ready: a line for each pod, and one for all nodes without any. One that
    /// is wanted on no node is available, and says so.
    pub fn messages(&self) -> Vec<String> {
        let Some(status) = self.status() else {
            return vec!["the DaemonSet is new: its controller has not looked at it yet".to_owned()];
        };
        let wanted = status.desired_number_scheduled;
        if wanted == 0 {
            return vec!["no node fits: see nodeSelector, affinity and tolerations".to_owned()];
        }
        if self.availability().0 == Availability::Available {
            return Vec::new();
        }
        let line =
            |pod: &PodHealth| format!("pod {}: {}", pod.name, pod.message.as_deref().unwrap_or("not ready"));
        let mut lines: Vec<String> = self.pods.iter().filter(|pod| !pod.is_ready).map(line).collect();
        let without = wanted - status.current_number_scheduled;
        if without > 0 {
            lines.push(format!("{without} of {wanted} nodes: no pod yet"));
        }
        lines
    }

    /// What its controller says, once it has looked.
    fn status(&self) -> Option<&DaemonSetStatus> {
        let status = self.daemon_set.status.as_ref();
        status.filter(|status| status.observed_generation.is_some_and(|seen| seen > 0))
    }
}

fn counts(status: &DaemonSetStatus) -> Counts {
    Counts {
        all: status.desired_number_scheduled,
        updated: status.updated_number_scheduled.unwrap_or_default(),
        ready: status.number_available.unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use api_monitoring::PrometheusAgent;
    use api_monitoring::prometheus_agent::PrometheusAgentSpec;
    use api_monitoring::status::{Condition, PrometheusStatus, ShardStatus, WorkloadStatus};
    use k8s_openapi::api::apps::v1::DaemonSetSpec;
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
    use k8s_openapi::jiff::Timestamp;

    use super::*;
    use crate::OfAgent;
    use crate::kind::{Seen, Workload as _};
    use crate::status::Reconciliation;
    use crate::status::pods::tests::pod;

    /// A DaemonSet that is wanted on some nodes, has pods on some of them, and some of these are available.
    fn daemon_set(wanted: i32, there: i32, available: i32) -> DaemonSet {
        DaemonSet {
            metadata: ObjectMeta { name: Some("set".into()), generation: Some(2), ..ObjectMeta::default() },
            spec: Some(DaemonSetSpec::default()),
            status: Some(DaemonSetStatus {
                observed_generation: Some(2),
                desired_number_scheduled: wanted,
                current_number_scheduled: there,
                updated_number_scheduled: Some(there),
                // The server leaves out what is zero.
                number_available: Some(available).filter(|available| *available > 0),
                ..DaemonSetStatus::default()
            }),
        }
    }

    fn daemon(name: &str, steps: &[(&str, &str)]) -> Pod {
        let mut pod = pod(name, "a", steps);
        pod.metadata.owner_references.get_or_insert_default()[0].kind = "DaemonSet".into();
        pod
    }

    fn told(set: Option<&DaemonSet>, pods: &[Pod]) -> PrometheusStatus {
        let mut agent = PrometheusAgent::new("a", PrometheusAgentSpec::default());
        agent.metadata.namespace = Some("ns".into());
        agent.spec.mode = Some("DaemonSet".into());
        let seen = Seen { daemon_set: set.cloned(), pods: pods.to_vec(), ..Seen::default() };
        let now = Time(Timestamp::UNIX_EPOCH);
        let status = OfAgent::report(&agent, &seen, &Reconciliation::Done(None), &now);
        let status: PrometheusStatus = serde_json::from_value(status).unwrap();
        // The `scale` subresource reads these.
        PrometheusStatus { shards: 0, selector: String::new(), ..status }
    }

    fn expected(counts: [i32; 4], (status, reason, message): (&str, &str, &str)) -> PrometheusStatus {
        let [replicas, updated_replicas, available_replicas, unavailable_replicas] = counts;
        let condition = |type_: &str, status: &str, reason: &str, message: &str| Condition {
            type_: type_.into(),
            status: status.into(),
            reason: reason.into(),
            message: message.into(),
            last_transition_time: Some(Time(Timestamp::UNIX_EPOCH)),
            ..Condition::default()
        };
        let workload = WorkloadStatus {
            replicas,
            updated_replicas,
            available_replicas,
            unavailable_replicas,
            conditions: vec![
                condition("Available", status, reason, message),
                condition("Reconciled", "True", "", ""),
            ],
            ..WorkloadStatus::default()
        };
        PrometheusStatus {
            workload,
            shard_statuses: vec![ShardStatus {
                shard_id: "0".into(),
                replicas,
                updated_replicas,
                available_replicas,
                unavailable_replicas,
            }],
            ..PrometheusStatus::default()
        }
    }

    #[test]
    fn it_is_available_where_every_node_has_a_pod_that_is() {
        let pods = [daemon("x", &[("Ready", "True")]), daemon("y", &[("Ready", "True")])];
        assert_eq!(told(Some(&daemon_set(2, 2, 2)), &pods), expected([2, 2, 2, 0], ("True", "", "")));
    }

    #[test]
    fn every_pod_that_is_not_ready_has_a_line() {
        let pods = [
            daemon("z", &[]),
            daemon("y", &[("Ready", "False"), ("ContainersReady", "False")]),
            daemon("x", &[("Ready", "True")]),
            // One of somebody else.
            pod("set-0", "a", &[("Ready", "False")]),
        ];
        let lines = "pod y: ContainersReady is False\npod z: not ready\n1 of 4 nodes: no pod yet";
        assert_eq!(
            told(Some(&daemon_set(4, 3, 1)), &pods),
            expected([4, 3, 1, 3], ("Degraded", "SomePodsNotReady", lines))
        );
        let lines = "pod y: ContainersReady is False\npod z: not ready";
        assert_eq!(
            told(Some(&daemon_set(2, 2, 0)), &pods[..2]),
            expected([2, 2, 0, 2], ("False", "NoPodReady", lines))
        );
    }

    #[test]
    fn one_that_is_not_there_is_not_available() {
        assert_eq!(
            told(None, &[]),
            expected([0; 4], ("False", "DaemonSetNotFound", "daemonset ns/prom-agent-a not found"))
        );
    }

    #[test]
    fn one_that_nobody_has_looked_at_is_not_available() {
        let mut set = daemon_set(0, 0, 0);
        let words = "the DaemonSet is new: its controller has not looked at it yet";
        for status in [None, Some(DaemonSetStatus::default())] {
            set.status = status;
            assert_eq!(told(Some(&set), &[]), expected([0; 4], ("False", "NoPodReady", words)));
        }
    }

    #[test]
    fn one_that_fits_no_node_says_so() {
        let words = "no node fits: see nodeSelector, affinity and tolerations";
        assert_eq!(told(Some(&daemon_set(0, 0, 0)), &[]), expected([0; 4], ("True", "", words)));
    }
}
