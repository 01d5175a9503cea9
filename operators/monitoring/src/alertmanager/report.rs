//! The status of an Alertmanager. Pure.

use api_monitoring::Alertmanager;
use api_monitoring::status::AlertmanagerStatus;

use crate::alertmanager::declaration::NAMING;
use crate::status::PodSummary;
use crate::workload::labels::printed;

/// The status, without the conditions that all workloads have.
pub(crate) fn report(alertmanager: &Alertmanager, pods: &PodSummary) -> AlertmanagerStatus {
    let name = alertmanager.metadata.name.as_deref().unwrap_or_default();
    AlertmanagerStatus { workload: pods.status(alertmanager), selector: printed(&NAMING.labels(name)) }
}

#[cfg(test)]
mod tests {
    use api_monitoring::alertmanager::AlertmanagerSpec;

    use super::*;

    #[test]
    fn scale_reads_the_labels_of_the_pods() {
        let status = report(&Alertmanager::new("am", AlertmanagerSpec::default()), &PodSummary::default());
        let selector = "alertmanager=am,app.kubernetes.io/instance=am,\
                        app.kubernetes.io/managed-by=prometheus-operator,app.kubernetes.io/name=alertmanager";
        assert_eq!(status, AlertmanagerStatus { selector: selector.into(), ..AlertmanagerStatus::default() });
    }
}
