//! Agents.

pub mod plan;
pub mod pods;
pub mod validate;

use api_monitoring::{PrometheusAgent, SelectableKind};
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use kernel::declare::Declaration;
use serde_json::Value;

use crate::declaration;
use crate::kind::{Facts, Naming, Needs, Seen, Workload};
use crate::plan::monitors;
use crate::plan::{Invalid, LeftOut, Planned, Rendered, Selections, Surroundings};
use crate::prometheus::pods::Instance;
use crate::prometheus::report::{self, Found, report_on_every_node, with_scale};
use crate::status::reconciliation::Selects;
use crate::status::{Daemons, Reconciliation};
use crate::workload::defaults::{PROMETHEUS_VERSION, or_default};

/// Agents.
#[derive(Debug)]
pub struct OfAgent;

impl Workload for OfAgent {
    type Resource = PrometheusAgent;
    type Valid<'v> = validate::Valid<'v>;

    const DECLARATION: &'static Declaration = &declaration::AGENT;
    const SELECTABLE: &'static [SelectableKind] = &monitors::KINDS;
    const NAMING: Naming = Naming {
        application: "prometheus-agent",
        governing_service: "prometheus-agent-operated",
        prefix: "prom-agent",
        configuration_suffix: "",
        configuration_key: "prometheus.yaml.gz",
        rules: None,
    };
    const POINTING: &'static [&'static str] =
        &["additionalScrapeConfigs", "apiserverConfig", "remoteWrite", "scrapeClasses", "tracingConfig"];
    const SELECTS: Option<Selects> = Some(Selects::ForAgent);

    fn metadata(resource: &PrometheusAgent) -> &ObjectMeta {
        &resource.metadata
    }

    fn facts(resource: &PrometheusAgent) -> Facts<'_> {
        let spec = &resource.spec.shared;
        let labels = Instance::agent(resource).map(|instance| instance.common_labels());
        Facts {
            paused: spec.paused,
            operand: ("Prometheus", or_default(&spec.version, PROMETHEUS_VERSION)),
            port: 9090,
            route_prefix: &spec.route_prefix,
            tls: spec.web.as_ref().is_some_and(|web| web.file.tls_config.is_some()),
            selects_no_monitors: false,
            base: None,
            containers: [&spec.containers, &spec.init_containers],
            needs: Needs::of(spec.storage.as_ref(), spec.service_name.as_ref(), labels.ok()),
            deprecated: Vec::new(),
        }
    }

    fn status(resource: &PrometheusAgent) -> Value {
        serde_json::to_value(&resource.status).unwrap_or_default()
    }

    fn validate<'v>(
        resource: &'v PrometheusAgent,
        around: &Surroundings<'v>,
    ) -> Result<validate::Valid<'v>, Invalid> {
        validate::validate(resource, around)
    }

    fn render(
        valid: &validate::Valid<'_>,
        around: &Surroundings<'_>,
        selections: &Selections,
        rendered: &mut Rendered,
    ) {
        plan::render(valid, around, selections, rendered);
    }

    fn build(
        valid: &validate::Valid<'_>,
        around: &Surroundings<'_>,
        left_out: &LeftOut,
        rendered: &mut Rendered,
    ) -> Result<Planned, Invalid> {
        plan::build(valid, around, left_out, rendered)
    }

    fn report(resource: &PrometheusAgent, seen: &Seen, last: &Reconciliation, now: &Time) -> Value {
        let workload = resource.into();
        let status = if resource.spec.mode.as_deref() == Some("DaemonSet") {
            let daemons = seen.daemon_set.as_ref().map(|set| Daemons::of(set, &seen.pods));
            report_on_every_node(&workload, daemons.as_ref(), last, now)
        } else {
            let sets = seen.sets.iter().map(|(name, set)| (name.clone(), set)).collect();
            let pods: Vec<&Pod> = seen.pods.iter().collect();
            let found = Found { stateful_sets: &sets, pods: &pods };
            report::report(&workload, found, last, now)
        };
        let labels = Instance::agent(resource).map(|instance| instance.common_labels());
        let status = with_scale(status, &resource.spec.shared, &labels.unwrap_or_default());
        serde_json::to_value(status).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use k8s_openapi::api::apps::v1::{DaemonSet, StatefulSet};
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
