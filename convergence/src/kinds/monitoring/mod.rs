//! The workloads of monitoring. One process runs the operators of all of them, as in a cluster, with bindings on.

mod agent;
mod alertmanager;
mod parts;
mod prometheus;
mod thanos_ruler;

use std::net::SocketAddr;

use mainstay::products::Running;
use operator_monitoring::{Monitoring, PRODUCT};
use serde_json::Value;

use crate::difference::Difference;
use crate::scenario::{Extent, Scenario, Subject};
use crate::state::{Name, holds};

/// The workloads, with all that is tried on them.
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
        extent: Extent::InTurns,
        shows_trouble,
        brought,
        ignored,
        left_to_others: |_, _| false,
        start,
    }
}

fn start(_instances: SocketAddr) -> Running {
    let mut monitoring = Monitoring::default();
    monitoring.settings.bindings = true;
    monitoring.settings.daemon_sets = true;
    Running::only(&PRODUCT, monitoring)
}

fn shows_trouble(workload: &Value) -> bool {
    workload["status"]["conditions"].is_array() && !holds(workload, "Reconciled")
}

/// What monitors and workloads point to.
fn brought(name: &Name) -> bool {
    name.name.starts_with(parts::BROUGHT)
}

/// - Pods are touched so that the kubelet brings a new configuration at once. One that was made after the last change, or
///   while no operator ran, was not.
/// - The revision of a set that was rolled there and back may have another number than one that was never touched.
fn ignored(difference: &Difference<'_>) -> bool {
    let Difference { name, path, .. } = *difference;
    name.kind == "pods"
        && (path.ends_with("mainstay.dev~1touched") || path.ends_with("controller-revision-hash"))
}
