//! The counts and conditions that the status of every workload has.

use std::collections::BTreeSet;

use api_monitoring::status::{Condition, WorkloadStatus};
use api_monitoring::workload::WorkloadResource;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use crate::kind::Seen;
use crate::status::Pods;
use crate::status::condition::{self, Availability};
use crate::status::pods::Counts;
use crate::status::reconciliation::{self, Reconciliation};

/// The state of the pods of a workload, over all of its shards.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    counts: Counts,
    worst: Option<Availability>,
    reasons: BTreeSet<&'static str>,
    /// What keeps pods from being ready.
    pub(crate) messages: Vec<String>,
}

impl Summary {
    /// Adds the pods of a StatefulSet or DaemonSet.
    pub(crate) fn add(&mut self, counts: Counts, (availability, reason): (Availability, &'static str)) {
        self.counts.all += counts.all;
        self.counts.updated += counts.updated;
        self.counts.ready += counts.ready;
        self.worst = self.worst.max(Some(availability));
        self.reasons.extend(Some(reason).filter(|reason| !reason.is_empty()));
    }

    /// The status. Conditions of other types are not in it.
    pub(crate) fn status<R: WorkloadResource>(
        self,
        resource: &R,
        last: &Reconciliation,
        now: &Time,
    ) -> WorkloadStatus {
        let Counts { all, updated, ready } = self.counts;
        let available = Condition {
            type_: "Available".into(),
            status: self.worst.unwrap_or(Availability::Available).as_str().into(),
            reason: self.reasons.into_iter().collect::<Vec<_>>().join("And"),
            message: self.messages.join("\n"),
            ..Condition::default()
        };
        let old = resource.workload_status().map_or(&[][..], |status| &status.conditions);
        let new = [available, reconciliation::condition(last)];
        WorkloadStatus {
            paused: resource.workload().paused,
            replicas: all,
            updated_replicas: updated,
            available_replicas: ready,
            unavailable_replicas: all - ready,
            conditions: condition::replaced(old, new, resource.meta().generation, now),
        }
    }
}

/// The status of a workload that has one StatefulSet. It also reports pods that are not needed for it to be available.
pub(crate) fn of_one_set<R: WorkloadResource>(
    resource: &R,
    seen: &Seen,
    last: &Reconciliation,
    now: &Time,
) -> WorkloadStatus {
    let mut summary = Summary::default();
    if let Some(set) = seen.sets.values().next() {
        let pods = Pods::of(set, &seen.pods);
        summary.add(pods.counts(), pods.availability(resource.workload().replicas.unwrap_or(1)));
        summary.messages.extend(pods.messages());
    } else {
        summary.add(Counts::default(), (Availability::Unavailable, "StatefulSetNotFound"));
    }
    summary.status(resource, last, now)
}

#[cfg(test)]
mod tests {
    use api_monitoring::ThanosRuler;
    use k8s_openapi::jiff::Timestamp;

    use super::*;

    #[test]
    fn a_workload_without_a_stateful_set_says_so() {
        let now = Time(Timestamp::UNIX_EPOCH);
        let done = Reconciliation::Done(None);
        let status = of_one_set(&ThanosRuler::default(), &Seen::default(), &done, &now);
        let condition = |type_: &str, status: &str, reason: &str| Condition {
            type_: type_.into(),
            status: status.into(),
            reason: reason.into(),
            last_transition_time: Some(now.clone()),
            ..Condition::default()
        };
        let conditions =
            vec![condition("Available", "False", "StatefulSetNotFound"), condition("Reconciled", "True", "")];
        assert_eq!(status, WorkloadStatus { conditions, ..WorkloadStatus::default() });
    }
}
