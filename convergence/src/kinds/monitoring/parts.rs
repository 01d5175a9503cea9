//! Building blocks of the scenarios of workloads: objects, changes, and tests for the end of a change.

use serde_json::{Value, json};

use crate::plain::text_of;
use crate::scenario::{Change, Done, Edit, EndState, Scenario, Test, UserAction};
use crate::state::{State, holds, is_ready};

/// The name of the workload in every scenario.
pub(super) const NAME: &str = "main";

/// The annotation of surplus shards that are retained.
pub(super) const DEADLINE: &str = "operator.prometheus.io/deletion-deadline";

/// The prefix of the names of Secrets and ConfigMaps that users create.
pub(super) const USER_PREFIX: &str = "user-";

/// The kinds that workloads select.
const SELECTED: [&str; 6] = [
    "servicemonitors.monitoring.coreos.com",
    "podmonitors.monitoring.coreos.com",
    "probes.monitoring.coreos.com",
    "scrapeconfigs.monitoring.coreos.com",
    "prometheusrules.monitoring.coreos.com",
    "alertmanagerconfigs.monitoring.coreos.com",
];

/// An object of monitoring.
pub(super) fn object(version: &str, kind: &str, name: &str, spec: &Value) -> Value {
    json!({
        "apiVersion": format!("monitoring.coreos.com/{version}"),
        "kind": kind,
        "metadata": {"name": name},
        "spec": spec,
    })
}

/// A Secret of a user, with one key.
pub(super) fn secret(name: &str, text: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "stringData": {"key": text},
    })
}

/// Username and password from such a Secret.
pub(super) fn login(secret: &str) -> Value {
    let key = json!({"name": secret, "key": "key"});
    json!({"username": key, "password": key})
}

pub(super) fn service_monitor(name: &str, endpoint: &Value) -> Value {
    object("v1", "ServiceMonitor", name, &json!({"selector": {}, "endpoints": [endpoint]}))
}

pub(super) fn pod_monitor(name: &str, endpoint: &Value) -> Value {
    object("v1", "PodMonitor", name, &json!({"selector": {}, "podMetricsEndpoints": [endpoint]}))
}

pub(super) fn probe(name: &str) -> Value {
    let targets = json!({"staticConfig": {"static": ["one.example.com"]}});
    object("v1", "Probe", name, &json!({"prober": {"url": "prober:9115"}, "targets": targets}))
}

pub(super) fn scrape_config(name: &str) -> Value {
    object("v1alpha1", "ScrapeConfig", name, &json!({"staticConfigs": [{"targets": ["one:9090"]}]}))
}

/// Rules that record one expression.
pub(super) fn rules(expression: &str) -> Value {
    json!({"groups": [{"name": "group", "rules": [{"record": "recorded", "expr": expression}]}]})
}

pub(super) fn rule(name: &str, expression: &str) -> Value {
    object("v1", "PrometheusRule", name, &rules(expression))
}

/// A claim template with a name and a size.
pub(super) fn storage(name: &str, size: &str) -> Value {
    json!({"volumeClaimTemplate": {
        "metadata": {"name": name},
        "spec": {"resources": {"requests": {"storage": size}}},
    }})
}

/// Creates these objects.
pub(super) fn create(name: &'static str, objects: Vec<Value>, done: Test) -> Change {
    Change { name, action: UserAction::Create(objects), done: Done::Settled(done) }
}

/// Changes the spec of the workload.
pub(super) fn patch(name: &'static str, spec: &Value, done: Test) -> Change {
    Change { name, action: UserAction::Patch(json!({ "spec": spec })), done: Done::Settled(done) }
}

/// Changes other objects.
pub(super) fn edit(name: &'static str, edits: Vec<Edit>, done: Test) -> Change {
    Change { name, action: UserAction::Edit(edits), done: Done::Settled(done) }
}

/// Changes the spec of another object.
pub(super) fn spec(kind: &'static str, name: &'static str, spec: &Value) -> Edit {
    Edit { kind, name, patch: Some(json!({ "spec": spec })) }
}

/// Changes the text in a Secret of a user.
pub(super) fn rewrite_secret(name: &'static str, text: &str) -> Edit {
    Edit { kind: "Secret", name, patch: Some(json!({"stringData": {"key": text}})) }
}

/// Deletes the workload.
pub(super) fn delete(done: Test) -> Change {
    Change { name: "delete", action: UserAction::Delete, done: Done::Settled(done) }
}

/// A scenario whose first change is disturbed in another scenario.
pub(super) fn after(first: Change, name: &'static str, changes: Vec<Change>) -> Scenario {
    let changes = std::iter::once(first).chain(changes).collect();
    Scenario { name, changes, from: 1, end_state: EndState::Running }
}

/// The same, with the deletion of the workload at the end.
pub(super) fn ending(first: Change, name: &'static str, done: Test) -> Scenario {
    Scenario { end_state: EndState::Gone, ..after(first, name, vec![delete(done)]) }
}

/// The workload, if its status is about the current generation.
fn observed<'a>(state: &'a State, kind: &str) -> Option<&'a Value> {
    let workload = state.get(kind, NAME)?;
    let conditions = workload["status"]["conditions"].as_array()?;
    let reconciled = conditions.iter().find(|one| one["type"] == "Reconciled")?;
    (reconciled["observedGeneration"] == workload["metadata"]["generation"]).then_some(workload)
}

/// The workload is available, its pods have loaded the configuration, and the status of all selected objects is current.
pub(super) fn serves(state: &State, kind: &str) -> bool {
    let all = ["Reconciled", "Available", "ConfigurationLoaded"];
    let is_bad = |condition: &Value| condition["status"] == "False";
    let has_bad = |workload: &Value| {
        workload["status"]["conditions"].as_array().is_some_and(|all| all.iter().any(is_bad))
    };
    let is_well = |workload: &Value| {
        all.iter().all(|one| holds(workload, one)) && !has_bad(workload) && counts(workload, state)
    };
    observed(state, kind).is_some_and(is_well) && is_reported(state)
}

/// Whether a status counts the pods that its StatefulSets or its DaemonSet want.
fn counts(workload: &Value, state: &State) -> bool {
    let surplus = |set: &Value| set["metadata"]["annotations"][DEADLINE].is_string();
    let sets = state.of_kind("statefulsets.apps").filter(|set| !surplus(set));
    let replicas = sets.filter_map(|set| set["spec"]["replicas"].as_u64());
    let daemons = state.of_kind("daemonsets.apps");
    let nodes = daemons.filter_map(|set| set["status"]["desiredNumberScheduled"].as_u64());
    let wanted: u64 = replicas.chain(nodes).sum();
    let fields = ["replicas", "updatedReplicas", "availableReplicas"];
    fields.iter().all(|field| workload["status"][field] == wanted)
}

/// The workload is paused.
pub(super) fn is_paused(state: &State, kind: &str) -> bool {
    observed(state, kind).is_some_and(|workload| workload["spec"]["paused"] == true)
}

/// The spec of the workload is rejected.
pub(super) fn is_refused(state: &State, kind: &str) -> bool {
    observed(state, kind).is_some_and(|workload| !holds(workload, "Reconciled"))
}

/// The status of every selected object is about the current generation.
fn is_reported(state: &State) -> bool {
    selected(state).all(|object| {
        let observed = &object["status"]["bindings"][0]["conditions"][0]["observedGeneration"];
        *observed == object["metadata"]["generation"]
    })
}

/// How many selected objects are rejected.
pub(super) fn refused(state: &State) -> usize {
    let is_refused = |object: &&Value| object["status"]["bindings"][0]["conditions"][0]["status"] == "False";
    selected(state).filter(is_refused).count()
}

fn selected(state: &State) -> impl Iterator<Item = &Value> {
    SELECTED.into_iter().flat_map(|kind| state.of_kind(kind))
}

/// The workload and all its objects are deleted, and no status mentions it any more.
pub(super) fn is_gone(state: &State, kind: &str) -> bool {
    let stays = |kind: &str, name: &str| {
        SELECTED.contains(&kind) || kind == "persistentvolumeclaims" || name.starts_with(USER_PREFIX)
    };
    let has_no_bindings = |object: &Value| object["status"]["bindings"].as_array().is_none_or(Vec::is_empty);
    state.get(kind, NAME).is_none()
        && state.0.keys().all(|name| stays(&name.kind, &name.name))
        && selected(state).all(has_no_bindings)
}

/// Whether a value of a Secret contains a text.
pub(super) fn secret_contains(state: &State, secret: &str, text: &str) -> bool {
    let data = state.get("secrets", secret).and_then(|secret| secret["data"].as_object());
    let mut values = data.into_iter().flat_map(serde_json::Map::values).filter_map(Value::as_str);
    values.any(|value| text_of(value).is_some_and(|found| found.contains(text)))
}

/// Whether a value of a ConfigMap contains a text.
pub(super) fn config_map_contains(state: &State, map: &str, text: &str) -> bool {
    let data = state.get("configmaps", map).and_then(|map| map["data"].as_object());
    let mut values = data.into_iter().flat_map(serde_json::Map::values).filter_map(Value::as_str);
    values.any(|value| value.contains(text))
}

/// How many pods there are.
pub(super) fn pods(state: &State) -> usize {
    state.of_kind("pods").count()
}

/// Whether every pod is ready and has an image with this tag.
pub(super) fn all_run(state: &State, tag: &str) -> bool {
    let runs = |pod: &Value| {
        let image = pod["spec"]["containers"][0]["image"].as_str();
        image.is_some_and(|image| image.ends_with(tag)) && is_ready(pod)
    };
    pods(state) > 0 && state.of_kind("pods").all(runs)
}

/// Whether every pod has a claim from the template with this name, of this size.
pub(super) fn all_have(state: &State, template: &str, size: &str) -> bool {
    state.of_kind("pods").all(|pod| {
        let volumes = pod["spec"]["volumes"].as_array();
        let claims = volumes
            .into_iter()
            .flatten()
            .filter_map(|volume| volume["persistentVolumeClaim"]["claimName"].as_str());
        let mut wanted = claims.filter(|claim| claim.starts_with(template));
        wanted.any(|claim| {
            let claim = state.get("persistentvolumeclaims", claim);
            claim.is_some_and(|claim| claim["status"]["capacity"]["storage"] == size)
        })
    })
}

/// Whether every StatefulSet has this claim template.
pub(super) fn templates(state: &State, template: &str, size: &str) -> bool {
    state.of_kind("statefulsets.apps").all(|set| {
        let first = &set["spec"]["volumeClaimTemplates"][0];
        first["metadata"]["name"] == template && first["spec"]["resources"]["requests"]["storage"] == size
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Name;

    #[test]
    fn an_agent_on_every_node_is_complete_when_its_status_counts_its_pods() {
        let kind = "prometheusagents.monitoring.coreos.com";
        let conditions = ["Reconciled", "Available", "ConfigurationLoaded"]
            .map(|kind| json!({"type": kind, "status": "True", "observedGeneration": 1}));
        let state = |updated: u64| {
            let status = json!({
                "conditions": conditions, "replicas": 1, "updatedReplicas": updated, "availableReplicas": 1,
            });
            let agent = json!({"metadata": {"generation": 1}, "status": status});
            let set = json!({"status": {"desiredNumberScheduled": 1}});
            let objects = [(kind, agent), ("daemonsets.apps", set)];
            let named = objects.map(|(kind, object)| (Name { kind: kind.into(), name: NAME.into() }, object));
            State(named.into())
        };
        assert!(serves(&state(1), kind));
        assert!(!serves(&state(0), kind), "the status is older than that of the DaemonSet");
    }
}
