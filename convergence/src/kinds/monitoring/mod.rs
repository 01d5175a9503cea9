//! The workloads of monitoring. One process runs the operators of all of them, as in a cluster, with bindings enabled.

mod agent;
mod alertmanager;
mod parts;
mod prometheus;
mod thanos_ruler;

use std::net::SocketAddr;

use mainstay::products::RunningProducts;
use operator_monitoring::{Monitoring, PRODUCT};
use serde_json::Value;

use crate::difference::Difference;
use crate::scenario::{Coverage, Scenario, Subject};
use crate::state::{Name, holds};

/// The workloads and their scenarios.
pub(super) fn subjects() -> Vec<Subject> {
    vec![prometheus::subject(), agent::subject(), alertmanager::subject(), thanos_ruler::subject()]
}

/// What all of them share.
fn subject(declaration: &'static kernel::declare::Declaration, scenarios: Vec<Scenario>) -> Subject {
    Subject {
        name: declaration.name,
        declaration,
        resource: parts::NAME,
        scenarios,
        properties: Vec::new(),
        coverage: Coverage::InTurns,
        shows_trouble,
        is_users_own,
        ignored,
        left_to_others: |_, _| false,
        start,
    }
}

fn start(_instances: SocketAddr) -> RunningProducts {
    let mut monitoring = Monitoring::default();
    monitoring.settings.bindings = true;
    monitoring.settings.daemon_sets = true;
    RunningProducts::only(&PRODUCT, monitoring)
}

fn shows_trouble(workload: &Value) -> bool {
    workload["status"]["conditions"].is_array() && !holds(workload, "Reconciled")
}

/// Secrets and ConfigMaps that monitors and workloads refer to.
fn is_users_own(name: &Name) -> bool {
    name.name.starts_with(parts::USER_PREFIX)
}

/// - Pods are annotated so that the kubelet syncs a new configuration at once, except pods that were created after the last
///   change, or while no operator ran.
/// - The revision of a StatefulSet that was changed and changed back may have another number than one that never changed.
fn ignored(difference: &Difference<'_>) -> bool {
    let Difference { name, path, .. } = *difference;
    name.kind == "pods"
        && (path.ends_with("mainstay.dev~1touched") || path.ends_with("controller-revision-hash"))
}
