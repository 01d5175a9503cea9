//! The state of the pods of a workload, and the counts in its status that follow from it. Pure.

use std::collections::BTreeSet;

use api_monitoring::status::WorkloadStatus;
use api_monitoring::workload::WorkloadResource;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kernel::condition::stated;

use crate::kind::Seen;
use crate::status::pods::PodCounts;
use crate::status::{Availability, Pods};

/// The state of the pods of a workload, over all of its shards.
#[derive(Debug, Default)]
pub struct PodSummary {
    counts: PodCounts,
    availabilities: BTreeSet<Availability>,
    /// Why pods are not ready.
    pub(crate) messages: Vec<String>,
    /// The number of each shard, and how many pods it has.
    pub(crate) shards: Vec<(i32, PodCounts)>,
}

impl PodSummary {
    /// Adds the pods of a StatefulSet or DaemonSet.
    pub(crate) fn add(&mut self, counts: PodCounts, availability: Availability) {
        self.counts.all += counts.all;
        self.counts.updated += counts.updated;
        self.counts.ready += counts.ready;
        self.availabilities.insert(availability);
    }

    /// The condition `Available`.
    pub fn available(&self) -> Condition {
        let worst = self.availabilities.last().copied().unwrap_or(Availability::Available);
        let mut reasons: Vec<&str> = self.availabilities.iter().map(|one| one.reason()).collect();
        reasons.retain(|reason| !reason.is_empty());
        reasons.sort_unstable();
        stated("Available", worst.status(), &reasons.join("And"), &self.messages.join("\n"))
    }

    /// The status that all workloads have, without conditions.
    pub(crate) fn status<R: WorkloadResource>(&self, resource: &R) -> WorkloadStatus {
        let PodCounts { all, updated, ready } = self.counts;
        WorkloadStatus {
            paused: resource.workload().paused,
            replicas: all,
            updated_replicas: updated,
            available_replicas: ready,
            unavailable_replicas: all - ready,
            conditions: Vec::new(),
        }
    }
}

/// The pods of a workload with one StatefulSet. All pods that are not ready have a message, even if enough are available.
pub(crate) fn of_one_set<R: WorkloadResource>(resource: &R, seen: &Seen) -> PodSummary {
    let mut summary = PodSummary::default();
    if let Some(set) = seen.sets.values().next() {
        let pods = Pods::of(set, &seen.pods);
        summary.add(pods.counts(), pods.availability(resource.workload().replicas.unwrap_or(1)));
        summary.messages.extend(pods.messages());
    } else {
        summary.add(PodCounts::default(), Availability::StatefulSetNotFound);
    }
    summary
}

#[cfg(test)]
mod tests {
    use api_monitoring::Alertmanager;
    use api_monitoring::alertmanager::AlertmanagerSpec;

    use super::*;
    use crate::status::pods::tests::{pod, stateful_set};

    #[test]
    fn a_workload_without_a_stateful_set_says_so() {
        let summary = of_one_set(&Alertmanager::default(), &Seen::default());
        assert_eq!(summary.available(), stated("Available", "False", "StatefulSetNotFound", ""));
        assert_eq!(summary.status(&Alertmanager::default()), WorkloadStatus::default());
    }

    #[test]
    fn an_available_workload_still_reports_pods_that_are_not_ready() {
        let set = stateful_set("a", "b");
        let pods = [pod("set-0", "a", &[("Ready", "True")]), pod("set-1", "b", &[("PodScheduled", "False")])];
        let seen = Seen { sets: [("set".to_owned(), set)].into(), pods: pods.to_vec(), ..Seen::default() };
        let mut alertmanager = Alertmanager::new("am", AlertmanagerSpec::default());
        alertmanager.spec.workload.paused = true;
        let summary = of_one_set(&alertmanager, &seen);
        let available = stated("Available", "True", "", "pod set-1: PodScheduled is False");
        assert_eq!(summary.available(), available);
        let status = WorkloadStatus {
            paused: true,
            replicas: 2,
            updated_replicas: 1,
            available_replicas: 1,
            unavailable_replicas: 1,
            conditions: Vec::new(),
        };
        assert_eq!(summary.status(&alertmanager), status);
    }
}
