//! Prometheus agents: they scrape and forward, and store nothing. What they share with servers, such as the status, is in
//! [`crate::prometheus`].
//!
//! | file | stage |
//! |---|---|
//! | [`declaration`] | what the operator watches and owns |
//! | [`validate`] | checks a PrometheusAgent |
//! | [`plan`] | its objects, one file for each child |
//! | `observe` | the state of its pods |

pub mod declaration;
mod observe;
pub mod plan;
pub mod validate;

use api_monitoring::{PrometheusAgent, SelectableKind};
use kernel::declare::Declaration;
use serde_json::{Value, json};

use crate::agent::validate::Valid;
use crate::kind::{Application, Naming, Seen, Workload};
use crate::plan::{PlanContext, PlanError};
use crate::prometheus::declaration as server;
use crate::prometheus::report::report;
use crate::status::PodSummary;
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
    const REFERENCE_FIELDS: &'static [&'static str] = declaration::REFERENCE_FIELDS;
    const SELECTS: Option<Selects> = Some(Selects::ForAgent);

    fn validate<'v>(
        resource: &'v PrometheusAgent,
        context: &PlanContext<'v>,
    ) -> Result<Valid<'v>, PlanError> {
        validate::validate(resource, context)
    }

    fn observe(resource: &PrometheusAgent, seen: &Seen) -> PodSummary {
        observe::observe(resource, seen)
    }

    fn report(resource: &PrometheusAgent, pods: &PodSummary) -> Value {
        json!(report::<Self>(resource, &resource.spec.shared, pods))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use k8s_openapi::api::apps::v1::{DaemonSet, StatefulSet};
    use k8s_openapi::api::core::v1::Pod;
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

    /// Both kinds of pods exist, as during a change of the mode.
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

    fn summary(mode: &str, seen: &Seen) -> Value {
        let agent = agent(mode);
        let pods = OfAgent::observe(&agent, seen);
        let status = OfAgent::report(&agent, &pods);
        let counts = ["replicas", "updatedReplicas", "availableReplicas", "unavailableReplicas", "shards"];
        let counts = counts.map(|field| status[field].clone());
        let available = pods.available();
        json!([counts, available.status, available.reason])
    }

    #[test]
    fn the_status_of_an_agent_on_every_node_follows_its_daemon_set() {
        assert_eq!(summary("DaemonSet", &seen()), json!([[2, 1, 2, 0, 1], "True", ""]));
        let nothing = json!([[0, 0, 0, 0, 1], "False", "DaemonSetNotFound"]);
        assert_eq!(summary("DaemonSet", &Seen { daemon_set: None, ..seen() }), nothing);
    }

    #[test]
    fn the_status_of_other_agents_follows_their_stateful_sets() {
        assert_eq!(summary("StatefulSet", &seen()), json!([[1, 1, 1, 0, 1], "True", ""]));
        let nothing = json!([[0, 0, 0, 0, 1], "False", "StatefulSetNotFound"]);
        assert_eq!(summary("StatefulSet", &Seen { sets: BTreeMap::new(), ..seen() }), nothing);
    }
}
