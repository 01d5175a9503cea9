//! How an Alertmanager is asked whether it is well.

use k8s_openapi::api::core::v1::Probe;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use super::instance::Instance;
use crate::workload::{path, probes};

/// Whether it lives.
pub(super) fn liveness(instance: &Instance<'_>) -> Option<Probe> {
    let probe = handler(instance, "/-/healthy")?;
    Some(Probe { timeout_seconds: Some(3), failure_threshold: Some(10), ..probe })
}

/// Whether it can be used.
pub(super) fn readiness(instance: &Instance<'_>) -> Option<Probe> {
    let probe = handler(instance, "/-/ready")?;
    Some(Probe {
        initial_delay_seconds: Some(3),
        timeout_seconds: Some(3),
        period_seconds: Some(5),
        failure_threshold: Some(10),
        ..probe
    })
}

/// Nobody can ask one that listens on the loopback address.
fn handler(instance: &Instance<'_>, path: &str) -> Option<Probe> {
    if instance.spec.listen_local {
        return None;
    }
    let path = path::clean(&format!("{}{path}", instance.route_prefix()));
    let mut probe = probes::http(path, IntOrString::String(instance.spec.port_name.clone()));
    if let Some(request) = probe.http_get.as_mut().filter(|_| instance.has_tls()) {
        request.scheme = Some("HTTPS".into());
    }
    Some(probe)
}
