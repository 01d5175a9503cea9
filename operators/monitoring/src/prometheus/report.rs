//! The status of a Prometheus or a PrometheusAgent, over all shards.

use api_monitoring::prometheus::shared::SharedSpec;
use api_monitoring::status::{PrometheusStatus, ShardStatus};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kernel::object::Key;

use crate::kind::{Seen, Workload};
use crate::status::condition::Availability;
use crate::status::pods::Counts;
use crate::status::summary::Summary;
use crate::status::{Pods, Reconciliation};
use crate::workload::labels::printed;

/// The status of a workload with a StatefulSet for each shard. A StatefulSet that is being deleted does not count.
pub fn report<W: Workload>(
    resource: &W::Resource,
    spec: &SharedSpec,
    seen: &Seen,
    last: &Reconciliation,
    now: &Time,
) -> PrometheusStatus {
    let Key { namespace, name: workload } = Key::of(W::metadata(resource));
    let replicas = spec.workload.replicas.unwrap_or(1);
    let (mut summary, mut shards) = (Summary::default(), Vec::new());
    for shard in 0..spec.shards.unwrap_or(1).max(1) {
        let name = W::NAMING.shard(&workload, shard);
        let mut counts = Counts::default();
        match seen.sets.get(&name) {
            None => {
                summary.add(counts, (Availability::Unavailable, "StatefulSetNotFound"));
                let message = format!("shard {shard}: statefulset {namespace}/{name} not found");
                summary.messages.push(message);
            }
            Some(set) if set.metadata.deletion_timestamp.is_some() => continue,
            Some(set) => {
                let pods = Pods::of(set, &seen.pods);
                counts = pods.counts();
                let availability = pods.availability(replicas);
                summary.add(counts, availability);
                if availability.0 != Availability::Available {
                    let messages = pods.messages().map(|message| format!("shard {shard}: {message}"));
                    summary.messages.extend(messages);
                }
            }
        }
        shards.push(status_of_shard(shard, counts));
    }
    let workload = summary.status(resource, last, now);
    with_scale::<W>(
        resource,
        spec,
        PrometheusStatus { workload, shard_statuses: shards, ..Default::default() },
    )
}

pub(crate) fn status_of_shard(shard: i32, Counts { all, updated, ready }: Counts) -> ShardStatus {
    ShardStatus {
        shard_id: shard.to_string(),
        replicas: all,
        updated_replicas: updated,
        available_replicas: ready,
        unavailable_replicas: all - ready,
    }
}

/// Adds what the `scale` subresource reads: the number of shards and the labels of the pods.
pub(crate) fn with_scale<W: Workload>(
    resource: &W::Resource,
    spec: &SharedSpec,
    status: PrometheusStatus,
) -> PrometheusStatus {
    let selector = printed(&W::NAMING.labels(&Key::of(W::metadata(resource)).name));
    PrometheusStatus { shards: spec.shards.unwrap_or(1), selector, ..status }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use api_monitoring::Prometheus;
    use api_monitoring::status::{Condition, WorkloadStatus};

    use super::*;
    use crate::prometheus::OfPrometheus;
    use crate::status::pods::tests::{pod, stateful_set};

    fn time(text: &str) -> Time {
        Time(text.parse().expect("a time"))
    }

    fn reported(prometheus: &Prometheus, seen: &Seen) -> PrometheusStatus {
        let now = time("2026-01-02T03:04:05Z");
        let done = Reconciliation::Done(None);
        report::<OfPrometheus>(prometheus, &prometheus.spec.shared, seen, &done, &now)
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
        let sets =
            BTreeMap::from([("prometheus-p".to_owned(), first), ("prometheus-p-shard-1".to_owned(), second)]);
        let status = reported(&prometheus(3), &Seen { sets, pods: vec![stuck], ..Seen::default() });
        let available = &status.workload.conditions[0];
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
        let workload = WorkloadStatus { conditions, ..WorkloadStatus::default() };
        prometheus.status = Some(PrometheusStatus { workload, ..PrometheusStatus::default() });
        let status = reported(&prometheus, &Seen::default());
        let times: Vec<_> = status
            .workload
            .conditions
            .iter()
            .map(|condition| (condition.type_.as_str(), condition.last_transition_time.clone()))
            .collect();
        let now = time("2026-01-02T03:04:05Z");
        assert_eq!(times, [("Available", Some(now)), ("Reconciled", Some(before))]);
    }

    #[test]
    fn scale_reads_shards_and_labels() {
        let status = reported(&prometheus(2), &Seen::default());
        let labels = "app.kubernetes.io/instance=p,app.kubernetes.io/managed-by=prometheus-operator,\
                      app.kubernetes.io/name=prometheus,operator.prometheus.io/name=p,prometheus=p";
        assert_eq!((status.shards, status.selector.as_str()), (2, labels));
    }
}
