//! The status of a Prometheus or an agent, over all shards.

use std::collections::{BTreeMap, BTreeSet};

use api_monitoring::prometheus::shared::SharedSpec;
use api_monitoring::status::{Condition, PrometheusStatus, ShardStatus};
use api_monitoring::{Prometheus, PrometheusAgent};
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};

use crate::status::condition::{self, Availability};
use crate::status::daemons::Daemons;
use crate::status::pods::Pods;
use crate::status::reconciliation::{self, Reconciliation};

/// A Prometheus or an agent, as far as its status is concerned.
#[derive(Debug, Clone, Copy)]
pub struct Workload<'w> {
    /// What the names of its StatefulSets, or of its DaemonSet, begin with.
    prefix: &'static str,
    metadata: &'w ObjectMeta,
    spec: &'w SharedSpec,
    conditions: &'w [Condition],
}

impl<'w> From<&'w Prometheus> for Workload<'w> {
    fn from(prometheus: &'w Prometheus) -> Self {
        Self {
            prefix: "prometheus",
            metadata: &prometheus.metadata,
            spec: &prometheus.spec.shared,
            conditions: prometheus.status.as_ref().map_or(&[], |status| &status.conditions),
        }
    }
}

impl<'w> From<&'w PrometheusAgent> for Workload<'w> {
    fn from(agent: &'w PrometheusAgent) -> Self {
        Self {
            prefix: "prom-agent",
            metadata: &agent.metadata,
            spec: &agent.spec.shared,
            conditions: agent.status.as_ref().map_or(&[], |status| &status.conditions),
        }
    }
}

impl Workload<'_> {
    fn namespace(&self) -> &str {
        self.metadata.namespace.as_deref().unwrap_or_default()
    }

    fn name(&self) -> &str {
        self.metadata.name.as_deref().unwrap_or_default()
    }

    /// The name of the StatefulSet of a shard; the first is also that of a DaemonSet.
    fn set_name(&self, shard: i32) -> String {
        let (prefix, name) = (self.prefix, self.name());
        if shard == 0 { format!("{prefix}-{name}") } else { format!("{prefix}-{name}-shard-{shard}") }
    }
}

/// What was found in the cluster.
#[derive(Debug, Clone, Copy)]
pub struct Found<'f> {
    /// StatefulSets of the namespace, by name.
    pub stateful_sets: &'f BTreeMap<String, &'f StatefulSet>,
    /// Pods of the namespace.
    pub pods: &'f [&'f Pod],
}

/// What is told about a workload. What its `scale` needs is added by [`with_scale`].
pub fn report(
    workload: &Workload<'_>,
    found: Found<'_>,
    reconciliation: &Reconciliation,
    now: &Time,
) -> PrometheusStatus {
    let mut gathering = Gathering::default();
    for shard in 0..workload.spec.shards.unwrap_or(1).max(1) {
        let name = workload.set_name(shard);
        match found.stateful_sets.get(&name) {
            None => gathering.missing(shard, &format!("{}/{name}", workload.namespace())),
            Some(set) if set.metadata.deletion_timestamp.is_some() => {}
            Some(set) => {
                let pods = Pods::of(set, found.pods.iter().copied());
                gathering.shard(shard, &pods, workload.spec.replicas.unwrap_or(1));
            }
        }
    }
    gathering.finish(workload, reconciliation, now)
}

/// What is told about an agent that runs on every node. Its DaemonSet may not be there.
pub fn report_on_every_node(
    workload: &Workload<'_>,
    daemons: Option<&Daemons<'_>>,
    reconciliation: &Reconciliation,
    now: &Time,
) -> PrometheusStatus {
    let mut gathering = Gathering::default();
    gathering.on_every_node(daemons, &format!("{}/{}", workload.namespace(), workload.set_name(0)));
    gathering.finish(workload, reconciliation, now)
}

/// Adds what the `scale` subresource reads: the number of shards and the labels of the pods.
#[must_use]
pub fn with_scale(
    status: PrometheusStatus,
    spec: &SharedSpec,
    selector: &BTreeMap<String, String>,
) -> PrometheusStatus {
    PrometheusStatus { shards: spec.shards.unwrap_or(1), selector: selector_text(selector), ..status }
}

/// Labels as a selector is written in one line.
pub(crate) fn selector_text(labels: &BTreeMap<String, String>) -> String {
    labels.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(",")
}

/// What the shards come to, one after the other.
#[derive(Debug, Default)]
struct Gathering {
    shards: Vec<ShardStatus>,
    worst: Option<Availability>,
    reasons: BTreeSet<&'static str>,
    messages: Vec<String>,
}

impl Gathering {
    fn missing(&mut self, shard: i32, key: &str) {
        self.add(Availability::Unavailable, "StatefulSetNotFound");
        self.messages.push(format!("shard {shard}: statefulset {key} not found"));
        self.shards.push(ShardStatus { shard_id: shard.to_string(), ..ShardStatus::default() });
    }

    fn shard(&mut self, shard: i32, pods: &Pods<'_>, replicas: i32) {
        let counts = pods.counts();
        self.shards.push(ShardStatus {
            shard_id: shard.to_string(),
            replicas: counts.all,
            updated_replicas: counts.updated,
            available_replicas: counts.ready,
            unavailable_replicas: counts.all - counts.ready,
        });
        let (availability, reason) = pods.availability(replicas);
        self.add(availability, reason);
        if availability != Availability::Available {
            self.messages.extend(pods.messages().map(|message| format!("shard {shard}: {message}")));
        }
    }

    /// The one shard of an agent that runs on every node: its pods say that they are shard 0.
    fn on_every_node(&mut self, daemons: Option<&Daemons<'_>>, key: &str) {
        let counts = daemons.map(Daemons::counts).unwrap_or_default();
        self.shards.push(ShardStatus {
            shard_id: "0".to_owned(),
            replicas: counts.all,
            updated_replicas: counts.updated,
            available_replicas: counts.ready,
            unavailable_replicas: counts.all - counts.ready,
        });
        let Some(daemons) = daemons else {
            self.add(Availability::Unavailable, "DaemonSetNotFound");
            self.messages.push(format!("daemonset {key} not found"));
            return;
        };
        let (availability, reason) = daemons.availability();
        self.add(availability, reason);
        self.messages.extend(daemons.messages());
    }

    fn add(&mut self, availability: Availability, reason: &'static str) {
        self.worst = self.worst.max(Some(availability));
        if !reason.is_empty() {
            self.reasons.insert(reason);
        }
    }

    fn finish(
        self,
        workload: &Workload<'_>,
        reconciliation: &Reconciliation,
        now: &Time,
    ) -> PrometheusStatus {
        let sum = |count: fn(&ShardStatus) -> i32| self.shards.iter().map(count).sum();
        let reason = self.reasons.iter().copied().collect::<Vec<_>>().join("And");
        let available = condition::available(
            self.worst.unwrap_or(Availability::Available),
            reason,
            self.messages.join("\n"),
        );
        let key = format!("{}/{}", workload.namespace(), workload.name());
        let reconciled = reconciliation::condition(reconciliation, &key);
        PrometheusStatus {
            paused: workload.spec.paused,
            replicas: sum(|shard| shard.replicas),
            updated_replicas: sum(|shard| shard.updated_replicas),
            available_replicas: sum(|shard| shard.available_replicas),
            unavailable_replicas: sum(|shard| shard.unavailable_replicas),
            conditions: condition::replaced(
                workload.conditions,
                [available, reconciled],
                workload.metadata.generation,
                now,
            ),
            shard_statuses: self.shards,
            ..PrometheusStatus::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::pods::tests::{pod, stateful_set};

    fn time(text: &str) -> Time {
        Time(text.parse().expect("a time"))
    }

    fn told(
        prometheus: &Prometheus,
        sets: &BTreeMap<String, &StatefulSet>,
        pods: &[&Pod],
    ) -> PrometheusStatus {
        let found = Found { stateful_sets: sets, pods };
        report(&prometheus.into(), found, &Reconciliation::Done(None), &time("2026-01-02T03:04:05Z"))
    }

    fn prometheus(shards: i32) -> Prometheus {
        let mut prometheus = Prometheus::new("p", api_monitoring::prometheus::PrometheusSpec::default());
        prometheus.metadata.namespace = Some("ns".into());
        prometheus.spec.shared.shards = Some(shards);
        prometheus
    }

    #[test]
    fn shards_are_combined_and_a_shard_that_is_being_deleted_does_not_count() {
        let mut first = stateful_set("a", "b");
        let mut second = first.clone();
        first.metadata.deletion_timestamp = Some(time("2026-01-01T00:00:00Z"));
        second.metadata.name = Some("prometheus-p-shard-1".into());
        let mut stuck = pod("prometheus-p-shard-1-0", "c", &[("Ready", "False")]);
        stuck.metadata.owner_references.get_or_insert_default()[0].name = "prometheus-p-shard-1".into();
        let sets = BTreeMap::from([
            ("prometheus-p".to_owned(), &first),
            ("prometheus-p-shard-1".to_owned(), &second),
        ]);
        let status = told(&prometheus(3), &sets, &[&stuck]);
        let available = &status.conditions[0];
        assert_eq!(available.status, "False");
        assert_eq!(available.reason, "NoPodReadyAndStatefulSetNotFound");
        assert_eq!(
            available.message,
            "shard 1: pod prometheus-p-shard-1-0: Ready is False\n\
             shard 2: statefulset ns/prometheus-p-shard-2 not found"
        );
        let ids: Vec<&str> = status.shard_statuses.iter().map(|shard| shard.shard_id.as_str()).collect();
        assert_eq!(ids, ["1", "2"]);
    }

    #[test]
    fn a_condition_keeps_its_time_until_its_status_changes() {
        let before = time("2020-01-01T00:00:00Z");
        let old = |type_: &str, status: &str| Condition {
            type_: type_.into(),
            status: status.into(),
            last_transition_time: Some(before.clone()),
            ..Condition::default()
        };
        let mut prometheus = prometheus(0);
        let conditions = vec![old("Reconciled", "True"), old("Available", "True"), old("Else", "True")];
        prometheus.status = Some(PrometheusStatus { conditions, ..PrometheusStatus::default() });
        let status = told(&prometheus, &BTreeMap::new(), &[]);
        let times: Vec<_> = status
            .conditions
            .iter()
            .map(|condition| (condition.type_.as_str(), condition.last_transition_time.clone()))
            .collect();
        let now = time("2026-01-02T03:04:05Z");
        assert_eq!(times, [("Available", Some(now)), ("Reconciled", Some(before))]);
    }

    #[test]
    fn scale_reads_shards_and_labels() {
        let labels = BTreeMap::from([("b".into(), "2".into()), ("a".into(), "1".into())]);
        let status = with_scale(PrometheusStatus::default(), &SharedSpec::default(), &labels);
        assert_eq!((status.shards, status.selector.as_str()), (1, "a=1,b=2"));
    }
}
