//! Prometheus agents: they scrape and forward, and store nothing. What they share with servers is in [`crate::prometheus`].
//!
//! | file | stage |
//! |---|---|
//! | [`declaration`] | what the operator watches and owns |
//! | [`validate`] | what is wrong with a PrometheusAgent |
//! | [`plan`] | its objects, a file a child |
//! | `report` | its status |

pub mod declaration;
pub mod plan;
mod report;
pub mod validate;

use api_monitoring::{PrometheusAgent, SelectableKind};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kernel::declare::Declaration;
use serde_json::{Value, json};

use crate::agent::validate::Valid;
use crate::kind::{Application, Naming, Seen, Workload};
use crate::plan::{PlanContext, PlanError};
use crate::prometheus::declaration as server;
use crate::status::Reconciliation;
use crate::status::reconciliation::Selects;

/// Prometheus agents.
#[derive(Debug)]
pub struct OfAgent;

impl Workload for OfAgent {
    type Resource = PrometheusAgent;
    type Valid<'v> = Valid<'v>;

    const DECLARATION: &'static Declaration = &declaration::DECLARATION;
    const SELECTABLE: &'static [SelectableKind] = &SelectableKind::WITH_JOBS;
    const NAMING: Naming = declaration::NAMING;
    const APPLICATION: Application = server::APPLICATION;
    const POINTING: &'static [&'static str] = declaration::POINTING;
    const SELECTS: Option<Selects> = Some(Selects::ForAgent);

    fn validate<'v>(
        resource: &'v PrometheusAgent,
        context: &PlanContext<'v>,
    ) -> Result<Valid<'v>, PlanError> {
        validate::validate(resource, context)
    }

    fn report(resource: &PrometheusAgent, seen: &Seen, last: &Reconciliation, now: &Time) -> Value {
        json!(report::report(resource, seen, last, now))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use k8s_openapi::api::apps::v1::{DaemonSet, StatefulSet};
    use k8s_openapi::api::core::v1::Pod;
    use k8s_openapi::jiff::Timestamp;
    use serde_json::json;

    use super::*;

    fn agent(mode: &str) -> PrometheusAgent {
        serde_json::from_value(json!({
            "metadata": {"name": "a", "namespace": "n", "generation": 1}, "spec": {"mode": mode},
        }))
        .unwrap()
    }

    fn pod(name: &str, kind: &str) -> Pod {
        let owner = json!({"apiVersion": "apps/v1", "kind": kind, "name": "prom-agent-a", "uid": "u"});
        let ready = json!({"type": "Ready", "status": "True"});
        serde_json::from_value(json!({
            "metadata": {"name": name, "namespace": "n", "ownerReferences": [owner]},
            "status": {"phase": "Running", "conditions": [ready]},
        }))
        .unwrap()
    }

    /// Both kinds of pods are there, as while one takes the place of the other.
    fn seen() -> Seen {
        let metadata = json!({"name": "prom-agent-a", "namespace": "n", "generation": 1});
        let set = |status: Value| json!({"metadata": metadata, "spec": {"selector": {}, "template": {}}, "status": status});
        let daemons: DaemonSet = serde_json::from_value(set(json!({
            "observedGeneration": 1, "desiredNumberScheduled": 2, "currentNumberScheduled": 2, "numberReady": 2,
            "updatedNumberScheduled": 1, "numberAvailable": 2, "numberMisscheduled": 0,
        })))
        .unwrap();
        let mut stateful = set(json!({"replicas": 1}));
        stateful["spec"]["serviceName"] = "s".into();
        let stateful: StatefulSet = serde_json::from_value(stateful).unwrap();
        Seen {
            sets: [("prom-agent-a".to_owned(), stateful)].into(),
            daemon_set: Some(daemons),
            pods: vec![pod("x", "DaemonSet"), pod("y", "DaemonSet"), pod("prom-agent-a-0", "StatefulSet")],
            ..Seen::default()
        }
    }

    fn told(mode: &str, seen: &Seen) -> Value {
        let now = Time(Timestamp::UNIX_EPOCH);
        let status = OfAgent::report(&agent(mode), seen, &Reconciliation::Done(None), &now);
        let counts = ["replicas", "updatedReplicas", "availableReplicas", "unavailableReplicas", "shards"];
        let counts = counts.map(|field| status[field].clone());
        let available = &status["conditions"][0];
        assert_eq!(available["type"], "Available");
        json!([counts, available["status"], available["reason"]])
    }

    #[test]
    fn an_agent_on_every_node_is_what_its_daemon_set_is() {
        assert_eq!(told("DaemonSet", &seen()), json!([[2, 1, 2, 0, 1], "True", null]));
        let nothing = json!([[0, 0, 0, 0, 1], "False", "DaemonSetNotFound"]);
        assert_eq!(told("DaemonSet", &Seen { daemon_set: None, ..seen() }), nothing);
    }

    #[test]
    fn another_agent_is_what_its_stateful_sets_are() {
        assert_eq!(told("StatefulSet", &seen()), json!([[1, 1, 1, 0, 1], "True", null]));
        let nothing = json!([[0, 0, 0, 0, 1], "False", "StatefulSetNotFound"]);
        assert_eq!(told("StatefulSet", &Seen { sets: BTreeMap::new(), ..seen() }), nothing);
    }
}
