//! The state of the pods of a Prometheus or a PrometheusAgent, over all shards. Pure.

use api_monitoring::prometheus::shared::SharedSpec;
use kernel::object::Key;

use crate::kind::{Seen, Workload};
use crate::status::pods::PodCounts;
use crate::status::{Availability, PodSummary, Pods};

/// The pods of a workload with a StatefulSet for each shard. A StatefulSet that is being deleted does not count.
pub fn observe<W: Workload>(resource: &W::Resource, spec: &SharedSpec, seen: &Seen) -> PodSummary {
    let Key { namespace, name: workload } = Key::of(W::metadata(resource));
    let replicas = spec.workload.replicas.unwrap_or(1);
    let mut summary = PodSummary::default();
    for shard in 0..spec.shards.unwrap_or(1).max(1) {
        let name = W::NAMING.shard(&workload, shard);
        let mut counts = PodCounts::default();
        match seen.sets.get(&name) {
            None => {
                summary.add(counts, Availability::StatefulSetNotFound);
                let message = format!("shard {shard}: statefulset {namespace}/{name} not found");
                summary.messages.push(message);
            }
            Some(set) if set.metadata.deletion_timestamp.is_some() => continue,
            Some(set) => {
                let pods = Pods::of(set, &seen.pods);
                counts = pods.counts();
                let availability = pods.availability(replicas);
                summary.add(counts, availability);
                if availability != Availability::Available {
                    let messages = pods.messages().map(|message| format!("shard {shard}: {message}"));
                    summary.messages.extend(messages);
                }
            }
        }
        summary.shards.push((shard, counts));
    }
    summary
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use api_monitoring::Prometheus;
    use api_monitoring::prometheus::PrometheusSpec;
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
    use kernel::condition::stated;

    use super::*;
    use crate::prometheus::OfPrometheus;
    use crate::status::pods::tests::{pod, stateful_set};

    #[test]
    fn shards_are_combined_and_a_shard_that_is_being_deleted_does_not_count() {
        let mut first = stateful_set("a", "b");
        let mut second = first.clone();
        first.metadata.deletion_timestamp = Some(Time("2026-01-01T00:00:00Z".parse().expect("a time")));
        second.metadata.name = Some("prometheus-p-shard-1".into());
        let mut stuck = pod("prometheus-p-shard-1-0", "c", &[("Ready", "False")]);
        stuck.metadata.owner_references.get_or_insert_default()[0].name = "prometheus-p-shard-1".into();
        let sets =
            BTreeMap::from([("prometheus-p".to_owned(), first), ("prometheus-p-shard-1".to_owned(), second)]);
        let mut prometheus = Prometheus::new("p", PrometheusSpec::default());
        prometheus.metadata.namespace = Some("ns".into());
        prometheus.spec.shared.shards = Some(3);
        let seen = Seen { sets, pods: vec![stuck], ..Seen::default() };
        let summary = observe::<OfPrometheus>(&prometheus, &prometheus.spec.shared, &seen);
        let message = "shard 1: pod prometheus-p-shard-1-0: Ready is False\n\
                       shard 2: statefulset ns/prometheus-p-shard-2 not found";
        let available = stated("Available", "False", "NoPodReadyAndStatefulSetNotFound", message);
        assert_eq!(summary.available(), available);
        let shards: Vec<i32> = summary.shards.iter().map(|(shard, _)| *shard).collect();
        assert_eq!(shards, [1, 2]);
    }
}
