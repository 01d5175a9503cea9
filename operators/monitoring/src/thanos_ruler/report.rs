//! The status of a ThanosRuler.

use api_monitoring::ThanosRuler;
use api_monitoring::status::ThanosRulerStatus;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use crate::status::condition;
use crate::status::observed::{key, observe};
use crate::status::pods::Pods;
use crate::status::reconciliation::{self, Reconciliation};

/// What is told about a ThanosRuler. Its StatefulSet may not be there.
pub fn report(
    ruler: &ThanosRuler,
    pods: Option<&Pods<'_>>,
    reconciliation: &Reconciliation,
    now: &Time,
) -> ThanosRulerStatus {
    let (metadata, spec) = (&ruler.metadata, &ruler.spec);
    let old = ruler.status.as_ref().map_or(&[][..], |status| &status.conditions);
    let observed = observe(pods, spec.replicas);
    let reconciled = reconciliation::condition(reconciliation, &key(metadata));
    ThanosRulerStatus {
        paused: spec.paused,
        replicas: observed.counts.all,
        updated_replicas: observed.counts.updated,
        available_replicas: observed.counts.ready,
        unavailable_replicas: observed.counts.all - observed.counts.ready,
        conditions: condition::replaced(old, [observed.condition, reconciled], metadata.generation, now),
    }
}
