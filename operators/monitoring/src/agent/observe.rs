//! The state of the pods of a PrometheusAgent. One that runs in StatefulSets is observed like a server. Pure.

use api_monitoring::PrometheusAgent;
use kernel::object::Key;

use crate::agent::OfAgent;
use crate::agent::declaration::NAMING;
use crate::agent::validate::runs_on_every_node;
use crate::kind::Seen;
use crate::prometheus;
use crate::status::{Availability, Daemons, PodSummary};

/// The pods.
pub(crate) fn observe(agent: &PrometheusAgent, seen: &Seen) -> PodSummary {
    if !runs_on_every_node(agent) {
        return prometheus::observe::observe::<OfAgent>(agent, &agent.spec.shared, seen);
    }
    let mut summary = PodSummary::default();
    let daemons = seen.daemon_set.as_ref().map(|set| Daemons::of(set, &seen.pods));
    let counts = daemons.as_ref().map(Daemons::counts).unwrap_or_default();
    if let Some(daemons) = daemons {
        summary.add(counts, daemons.availability());
        summary.messages.extend(daemons.messages());
    } else {
        summary.add(counts, Availability::DaemonSetNotFound);
        let Key { namespace, name } = Key::of(&agent.metadata);
        summary.messages.push(format!("daemonset {namespace}/{} not found", NAMING.of(&name)));
    }
    // Its pods have the number of shard 0.
    summary.shards.push((0, counts));
    summary
}
