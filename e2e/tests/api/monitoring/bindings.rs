//! The status of monitors and rules, with the feature enabled, and events about them.

use anyhow::Result;
use api_monitoring::status::WorkloadBinding;
use e2e::wait::{self, Look, holds};
use k8s_openapi::api::events::v1::Event;
use kube::api::{DeleteParams, DynamicObject, ListParams, Patch, PatchParams};
use kube::{Api, Client};
use serde_json::{Value, json};

use super::fixture::{Running, configuration, control_plane, create, idle, resource};

const ON: &[&str] = &["-feature-gates=StatusForConfigurationResources=true"];

fn api(client: &Client, kind: &str) -> Api<DynamicObject> {
    Api::default_namespaced_with(client.clone(), &resource(kind, "v1"))
}

/// Waits until the bindings of an object are as expected, one line for each workload.
async fn has_bindings(client: &Client, kind: &str, name: &str, wanted: &[&str]) -> Result<()> {
    wait::until(&format!("{kind} {name} to have the bindings {wanted:?}"), async || {
        let object = api(client, kind).get(name).await?;
        let bindings = object.data["status"]["bindings"].clone();
        let bindings: Vec<WorkloadBinding> =
            if bindings.is_null() { Vec::new() } else { serde_json::from_value(bindings)? };
        let line = |binding: &WorkloadBinding| {
            let condition = &binding.conditions[0];
            let text = format!("{} {} {}", condition.status, condition.reason, condition.message);
            format!("{}/{} {} {}", binding.resource, binding.name, condition.observed_generation, text.trim())
        };
        let mut lines: Vec<String> = bindings.iter().map(line).collect();
        lines.sort();
        Ok(if lines == wanted { Look::Found(()) } else { Look::NotYet(format!("{lines:?}")) })
    })
    .await
}

async fn patch(client: &Client, kind: &str, name: &str, patch: &Value) -> Result<()> {
    api(client, kind).patch(name, &PatchParams::default(), &Patch::Merge(patch)).await?;
    Ok(())
}

#[tokio::test]
async fn every_workload_reports_whether_it_accepted_an_object() -> Result<()> {
    let (_plane, client) = control_plane().await?;
    let running = Running::start_with(&client, ON)?;
    let all = json!({"serviceMonitorSelector": {"matchLabels": {"team": "a"}}, "ruleSelector": {}});
    create(&client, "Prometheus", "v1", "one", &all).await?;
    create(&client, "Prometheus", "v1", "two", &all).await?;
    create(&client, "ThanosRuler", "v1", "r", &json!({"queryEndpoints": ["q"], "ruleSelector": {}})).await?;
    let endpoint = |regex: &str| {
        let relabeling = json!({"sourceLabels": ["a"], "regex": regex, "action": "keep"});
        json!({"selector": {}, "endpoints": [{"port": "web", "relabelings": [relabeling]}]})
    };
    create(&client, "ServiceMonitor", "v1", "m", &endpoint("a")).await?;
    let rule = json!({"groups": [{"name": "g", "rules": [{"record": "a", "expr": "vector(1)"}]}]});
    create(&client, "PrometheusRule", "v1", "rule", &rule).await?;
    has_bindings(&client, "ServiceMonitor", "m", &["prometheuses/one 1 True", "prometheuses/two 1 True"])
        .await?;
    let three = ["prometheuses/one 1 True", "prometheuses/two 1 True", "thanosrulers/r 1 True"];
    has_bindings(&client, "PrometheusRule", "rule", &three).await?;

    // Each status is written once, and the write triggers nothing.
    idle(&running).await?;
    let version = async || -> Result<Option<String>> {
        Ok(api(&client, "PrometheusRule").get("rule").await?.metadata.resource_version)
    };
    let before = version().await?;
    create(&client, "ServiceMonitor", "v1", "other", &endpoint("b")).await?;
    has_bindings(&client, "ServiceMonitor", "other", &["prometheuses/one 1 True", "prometheuses/two 1 True"])
        .await?;
    idle(&running).await?;
    assert_eq!(version().await?, before);

    // It becomes invalid: its status and an event name the field. The other one stays in effect.
    patch(&client, "ServiceMonitor", "m", &json!({"spec": endpoint("(")})).await?;
    let message = "endpoints[0]: relabelConfigs: [0]: invalid regex ( for relabel configuration: error parsing regexp: \
                   missing closing ): `^(?s:()$`";
    let rejected = |name: &str| format!("prometheuses/{name} 2 False InvalidConfiguration {message}");
    let rejected = [rejected("one"), rejected("two")];
    let notes: Vec<String> = event_notes(&client, "m").await?;
    anyhow::ensure!(notes.iter().any(|note| rejected[0].ends_with(note)), "{notes:?}");
    has_bindings(&client, "ServiceMonitor", "m", &[&rejected[0], &rejected[1]]).await?;
    configuration(&client, "prometheus-one", |text| {
        text.contains("default/other/0") && !text.contains("default/m/0")
    })
    .await?;

    // It is fixed, and then no longer selected.
    patch(&client, "ServiceMonitor", "m", &json!({"spec": endpoint("c")})).await?;
    has_bindings(&client, "ServiceMonitor", "m", &["prometheuses/one 3 True", "prometheuses/two 3 True"])
        .await?;
    let other = json!({"spec": {"serviceMonitorSelector": {"matchLabels": {"team": "b"}}}});
    patch(&client, "Prometheus", "two", &other).await?;
    has_bindings(&client, "ServiceMonitor", "m", &["prometheuses/one 3 True"]).await?;

    // A workload is deleted, while the operator runs and while it does not, and no status mentions it any more.
    api(&client, "Prometheus").delete("one", &DeleteParams::default()).await?;
    has_bindings(&client, "ServiceMonitor", "m", &[]).await?;
    has_bindings(&client, "PrometheusRule", "rule", &["prometheuses/two 1 True", "thanosrulers/r 1 True"])
        .await?;
    running.end().await;
    api(&client, "Prometheus").delete("two", &DeleteParams::default()).await?;
    let running = Running::start_with(&client, ON)?;
    has_bindings(&client, "PrometheusRule", "rule", &["thanosrulers/r 1 True"]).await?;
    running.end().await;
    Ok(())
}

/// Waits for an event about an object. Returns the notes of all events about it.
async fn event_notes(client: &Client, name: &str) -> Result<Vec<String>> {
    let api: Api<Event> = Api::default_namespaced(client.clone());
    wait::until(&format!("an event about {name}"), async || {
        let events = api.list(&ListParams::default()).await?;
        let about = |event: &&Event| {
            let regarding = event.regarding.as_ref().and_then(|object| object.name.as_deref());
            let related = event.related.as_ref().and_then(|object| object.kind.as_deref());
            regarding == Some(name) && related == Some("Prometheus")
        };
        let notes: Vec<String> = events.iter().filter(about).filter_map(|event| event.note.clone()).collect();
        Ok(if notes.is_empty() { Look::NotYet("none".into()) } else { Look::Found(notes) })
    })
    .await
}

#[tokio::test]
async fn the_finalizer_of_the_prometheus_operator_is_removed_with_its_workload() -> Result<()> {
    let (_plane, client) = control_plane().await?;
    create(&client, "Prometheus", "v1", "old", &json!({"serviceMonitorSelector": {}})).await?;
    create(&client, "ServiceMonitor", "v1", "m", &json!({"selector": {}, "endpoints": []})).await?;
    let finalizers = json!({"metadata": {"finalizers": ["monitoring.coreos.com/status-cleanup"]}});
    patch(&client, "Prometheus", "old", &finalizers).await?;
    let binding = json!({"group": "monitoring.coreos.com", "resource": "prometheuses", "namespace": "default", "name": "old"});
    let status = json!({"status": {"bindings": [binding]}});
    api(&client, "ServiceMonitor").patch_status("m", &PatchParams::default(), &Patch::Merge(&status)).await?;
    api(&client, "Prometheus").delete("old", &DeleteParams::default()).await?;
    // The feature is disabled. The finalizer and the binding are removed nevertheless.
    let running = Running::start(&client);
    wait::until("the Prometheus to be deleted", async || {
        let left = api(&client, "Prometheus").get_opt("old").await?;
        Ok(holds(left.is_none(), "it still exists"))
    })
    .await?;
    let monitor = api(&client, "ServiceMonitor").get("m").await?;
    assert_eq!(monitor.data["status"], json!({"bindings": []}));
    running.end().await;
    Ok(())
}
