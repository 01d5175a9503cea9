//! The status of a ThanosRuler. Pure.

use api_monitoring::ThanosRuler;
use api_monitoring::status::ThanosRulerStatus;

use crate::status::PodSummary;

/// The status, without the conditions that all workloads have.
pub(crate) fn report(ruler: &ThanosRuler, pods: &PodSummary) -> ThanosRulerStatus {
    ThanosRulerStatus { workload: pods.status(ruler) }
}
