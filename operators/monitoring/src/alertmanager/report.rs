//! The status of an Alertmanager.

use std::collections::BTreeMap;

use api_monitoring::Alertmanager;
use api_monitoring::status::AlertmanagerStatus;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use crate::prometheus::report::selector_text;
use crate::status::condition;
use crate::status::observed::{key, observe};
use crate::status::pods::Pods;
use crate::status::reconciliation::{self, Reconciliation};

/// What is told about an Alertmanager, whose pods carry some labels. Its StatefulSet may not be there.
pub fn report(
    alertmanager: &Alertmanager,
    pods: Option<&Pods<'_>>,
    selector: &BTreeMap<String, String>,
    reconciliation: &Reconciliation,
    now: &Time,
) -> AlertmanagerStatus {
    let (metadata, spec) = (&alertmanager.metadata, &alertmanager.spec);
    let old = alertmanager.status.as_ref().map_or(&[][..], |status| &status.conditions);
    let observed = observe(pods, spec.replicas);
    let reconciled = reconciliation::condition(reconciliation, &key(metadata));
    AlertmanagerStatus {
        paused: spec.paused,
        replicas: observed.counts.all,
        updated_replicas: observed.counts.updated,
        available_replicas: observed.counts.ready,
        unavailable_replicas: observed.counts.all - observed.counts.ready,
        selector: selector_text(selector),
        conditions: condition::replaced(old, [observed.condition, reconciled], metadata.generation, now),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::pods::tests::{pod, stateful_set};

    #[test]
    fn an_available_one_still_tells_what_is_wrong() {
        let set = stateful_set("a", "b");
        let pods = [pod("set-0", "a", &[("Ready", "True")]), pod("set-1", "b", &[("PodScheduled", "False")])];
        let pods = Pods::of(&set, &pods);
        let now = Time("2026-01-02T03:04:05Z".parse().expect("a time"));
        let mut alertmanager =
            Alertmanager::new("am", api_monitoring::alertmanager::AlertmanagerSpec::default());
        alertmanager.spec.paused = true;
        alertmanager.metadata.generation = Some(7);
        let selector = BTreeMap::from([("alertmanager".into(), "am".into())]);
        let status = report(&alertmanager, Some(&pods), &selector, &Reconciliation::Never, &now);
        let condition =
            |type_: &str, status: &str, reason: &str, message: &str| api_monitoring::status::Condition {
                type_: type_.into(),
                status: status.into(),
                last_transition_time: Some(now.clone()),
                reason: reason.into(),
                message: message.into(),
                observed_generation: 7,
            };
        let expected = AlertmanagerStatus {
            paused: true,
            replicas: 2,
            updated_replicas: 1,
            available_replicas: 1,
            unavailable_replicas: 1,
            selector: "alertmanager=am".into(),
            conditions: vec![
                condition("Available", "True", "", "pod set-1: PodScheduled is False"),
                condition("Reconciled", "Unknown", "NotFound", "object \"/am\" not found"),
            ],
        };
        assert_eq!(status, expected);
    }
}
