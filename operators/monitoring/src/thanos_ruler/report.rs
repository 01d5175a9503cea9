//! The status of a ThanosRuler.

use api_monitoring::ThanosRuler;
use api_monitoring::status::ThanosRulerStatus;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use crate::kind::Seen;
use crate::status::{Reconciliation, summary};

/// The status.
pub(crate) fn report(
    ruler: &ThanosRuler,
    seen: &Seen,
    last: &Reconciliation,
    now: &Time,
) -> ThanosRulerStatus {
    ThanosRulerStatus { workload: summary::of_one_set(ruler, seen, last, now) }
}
