//! The status of a PrometheusAgent. One that runs in StatefulSets is reported like a server.

use api_monitoring::PrometheusAgent;
use api_monitoring::status::PrometheusStatus;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kernel::object::Key;

use crate::agent::OfAgent;
use crate::agent::declaration::NAMING;
use crate::agent::validate::runs_on_every_node;
use crate::kind::Seen;
use crate::prometheus::report::{report as report_shards, status_of_shard, with_scale};
use crate::status::Availability;
use crate::status::summary::Summary;
use crate::status::{Daemons, Reconciliation};

/// The status.
pub(crate) fn report(
    agent: &PrometheusAgent,
    seen: &Seen,
    last: &Reconciliation,
    now: &Time,
) -> PrometheusStatus {
    let spec = &agent.spec.shared;
    if !runs_on_every_node(agent) {
        return report_shards::<OfAgent>(agent, spec, seen, last, now);
    }
    let mut summary = Summary::default();
    let daemons = seen.daemon_set.as_ref().map(|set| Daemons::of(set, &seen.pods));
    let counts = daemons.as_ref().map(Daemons::counts).unwrap_or_default();
    if let Some(daemons) = daemons {
        summary.add(counts, daemons.availability());
        summary.messages.extend(daemons.messages());
    } else {
        summary.add(counts, (Availability::Unavailable, "DaemonSetNotFound"));
        let Key { namespace, name } = Key::of(&agent.metadata);
        summary.messages.push(format!("daemonset {namespace}/{} not found", NAMING.of(&name)));
    }
    // Its pods have the number of shard 0.
    let shard_statuses = vec![status_of_shard(0, counts)];
    let workload = summary.status(agent, last, now);
    let status = PrometheusStatus { workload, shard_statuses, ..PrometheusStatus::default() };
    with_scale::<OfAgent>(agent, spec, status)
}
