//! What one StatefulSet comes to, for the workloads that have only one.

use api_monitoring::status::Condition;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::status::condition::{self, Availability};
use crate::status::pods::{Counts, Pods};

/// What one StatefulSet comes to.
pub(crate) struct Observed {
    pub(crate) counts: Counts,
    pub(crate) condition: Condition,
}

/// Counts the pods of a workload that has one StatefulSet. Pods that are not needed for it to be available are told too.
pub(crate) fn observe(pods: Option<&Pods<'_>>, replicas: Option<i32>) -> Observed {
    let Some(pods) = pods else {
        let reason = "StatefulSetNotFound".into();
        let condition = condition::available(Availability::Unavailable, reason, String::new());
        return Observed { counts: Counts::default(), condition };
    };
    let (availability, reason) = pods.availability(replicas.unwrap_or(1));
    let messages: Vec<String> = pods.messages().collect();
    let condition = condition::available(availability, reason.into(), messages.join("\n"));
    Observed { counts: pods.counts(), condition }
}

/// Namespace and name in one text.
pub(crate) fn key(metadata: &ObjectMeta) -> String {
    let text = |part: &Option<String>| part.clone().unwrap_or_default();
    format!("{}/{}", text(&metadata.namespace), text(&metadata.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_without_a_stateful_set_says_so() {
        let observed = observe(None, None);
        assert_eq!(observed.counts, Counts::default());
        let expected =
            condition::available(Availability::Unavailable, "StatefulSetNotFound".into(), String::new());
        assert_eq!(observed.condition, expected);
    }
}
