//! The status of a Prometheus or a PrometheusAgent. Pure.

use api_monitoring::prometheus::shared::SharedSpec;
use api_monitoring::status::{PrometheusStatus, ShardStatus};
use kernel::object::Key;

use crate::kind::Workload;
use crate::status::PodSummary;
use crate::status::pods::PodCounts;
use crate::workload::labels::printed;

/// The status, without the conditions that all workloads have. The `scale` subresource reads the number of shards and the labels of the pods.
pub fn report<W: Workload>(resource: &W::Resource, spec: &SharedSpec, pods: &PodSummary) -> PrometheusStatus {
    PrometheusStatus {
        workload: pods.status(resource),
        shard_statuses: pods.shards.iter().map(status_of_shard).collect(),
        shards: spec.shards.unwrap_or(1),
        selector: printed(&W::NAMING.labels(&Key::of(W::metadata(resource)).name)),
    }
}

fn status_of_shard((shard, PodCounts { all, updated, ready }): &(i32, PodCounts)) -> ShardStatus {
    ShardStatus {
        shard_id: shard.to_string(),
        replicas: *all,
        updated_replicas: *updated,
        available_replicas: *ready,
        unavailable_replicas: all - ready,
    }
}

#[cfg(test)]
mod tests {
    use api_monitoring::Prometheus;
    use api_monitoring::prometheus::PrometheusSpec;

    use super::*;
    use crate::kind::Seen;
    use crate::prometheus::OfPrometheus;

    #[test]
    fn scale_reads_shards_and_labels() {
        let mut prometheus = Prometheus::new("p", PrometheusSpec::default());
        prometheus.spec.shared.shards = Some(2);
        let pods = OfPrometheus::observe(&prometheus, &Seen::default());
        let status = report::<OfPrometheus>(&prometheus, &prometheus.spec.shared, &pods);
        let labels = "app.kubernetes.io/instance=p,app.kubernetes.io/managed-by=prometheus-operator,\
                      app.kubernetes.io/name=prometheus,operator.prometheus.io/name=p,prometheus=p";
        assert_eq!((status.shards, status.selector.as_str()), (2, labels));
        let ids: Vec<&str> = status.shard_statuses.iter().map(|shard| shard.shard_id.as_str()).collect();
        assert_eq!(ids, ["0", "1"]);
    }
}
