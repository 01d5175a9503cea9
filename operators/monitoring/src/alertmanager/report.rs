//! The status of an Alertmanager.

use api_monitoring::Alertmanager;
use api_monitoring::status::AlertmanagerStatus;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use crate::alertmanager::declaration::NAMING;
use crate::kind::Seen;
use crate::status::{Reconciliation, summary};
use crate::workload::labels::printed;

/// The status.
pub(crate) fn report(
    alertmanager: &Alertmanager,
    seen: &Seen,
    last: &Reconciliation,
    now: &Time,
) -> AlertmanagerStatus {
    let name = alertmanager.metadata.name.as_deref().unwrap_or_default();
    AlertmanagerStatus {
        workload: summary::of_one_set(alertmanager, seen, last, now),
        selector: printed(&NAMING.labels(name)),
    }
}

#[cfg(test)]
mod tests {
    use api_monitoring::status::WorkloadStatus;

    use super::*;
    use crate::status::pods::tests::{pod, stateful_set};

    #[test]
    fn an_available_one_still_reports_pods_that_are_not_ready() {
        let set = stateful_set("a", "b");
        let pods = [pod("set-0", "a", &[("Ready", "True")]), pod("set-1", "b", &[("PodScheduled", "False")])];
        let seen = Seen { sets: [("set".to_owned(), set)].into(), pods: pods.to_vec(), ..Seen::default() };
        let now = Time("2026-01-02T03:04:05Z".parse().expect("a time"));
        let mut alertmanager =
            Alertmanager::new("am", api_monitoring::alertmanager::AlertmanagerSpec::default());
        alertmanager.spec.workload.paused = true;
        alertmanager.metadata.generation = Some(7);
        let failed = Reconciliation::Failed("no".into());
        let status = report(&alertmanager, &seen, &failed, &now);
        let condition =
            |type_: &str, status: &str, reason: &str, message: &str| api_monitoring::status::Condition {
                type_: type_.into(),
                status: status.into(),
                last_transition_time: Some(now.clone()),
                reason: reason.into(),
                message: message.into(),
                observed_generation: 7,
            };
        let workload = WorkloadStatus {
            paused: true,
            replicas: 2,
            updated_replicas: 1,
            available_replicas: 1,
            unavailable_replicas: 1,
            conditions: vec![
                condition("Available", "True", "", "pod set-1: PodScheduled is False"),
                condition("Reconciled", "False", "ReconciliationFailed", "no"),
            ],
        };
        let selector = "alertmanager=am,app.kubernetes.io/instance=am,\
                        app.kubernetes.io/managed-by=prometheus-operator,app.kubernetes.io/name=alertmanager";
        assert_eq!(status, AlertmanagerStatus { workload, selector: selector.into() });
    }
}
