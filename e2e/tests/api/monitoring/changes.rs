//! Which workloads a change concerns, and which requests it causes.

use anyhow::Result;
use e2e::wait::{self, holds};
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::Api;
use kube::api::{DeleteParams, DynamicObject, Patch, PatchParams};
use serde_json::json;

use super::fixture::{
    Running, auth, configuration, control_plane, create, idle, resource, secret, versions, writes_until_idle,
};

#[tokio::test]
async fn a_change_reaches_the_workloads_that_it_concerns_with_one_write() -> Result<()> {
    let (_plane, client) = control_plane().await?;
    let running = Running::start(&client);
    let all = json!({"serviceMonitorSelector": {"matchLabels": {"team": "a"}}, "ruleSelector": {}});
    create(&client, "Prometheus", "v1", "main", &all).await?;
    let none = json!({"serviceMonitorSelector": {"matchLabels": {"team": "b"}}});
    create(&client, "Prometheus", "v1", "other", &none).await?;
    let endpoint = |port: &str| json!({"selector": {}, "endpoints": [{"port": port}]});
    create(&client, "ServiceMonitor", "v1", "one", &endpoint("web")).await?;
    let has = |part: &'static str| move |text: &str| text.contains(part);
    configuration(&client, "prometheus-main", has("serviceMonitor/default/one/0")).await?;
    configuration(&client, "prometheus-other", has("scrape_configs: []")).await?;
    let sets: Api<StatefulSet> = Api::default_namespaced(client.clone());
    wait::object(&sets, "prometheus-main", "to be created", |_| true).await?;
    wait::object(&sets, "prometheus-other", "to be created", |_| true).await?;
    idle(&running).await?;

    // One monitor changes: one write, and no other request.
    let monitors: Api<DynamicObject> =
        Api::default_namespaced_with(client.clone(), &resource("ServiceMonitor", "v1"));
    let patch = json!({"spec": {"endpoints": [{"port": "metrics"}]}});
    monitors.patch("one", &PatchParams::default(), &Patch::Merge(&patch)).await?;
    configuration(&client, "prometheus-main", has("regex: metrics")).await?;
    writes_until_idle(&running, &["PUT secrets/prometheus-main"]).await?;

    // Nothing references this Secret.
    secret(&client, "unrelated", "key", "value").await?;
    // A monitor that refers to a Secret which does not exist is left out. The others are kept.
    let spec = json!({"selector": {}, "endpoints": [{"port": "web", "basicAuth": auth("password")}]});
    create(&client, "ServiceMonitor", "v1", "two", &spec).await?;
    // So is a monitor that refers to a Secret without a name or with an invalid one.
    for (monitor, name) in [("nameless", ""), ("misnamed", "not/a name")] {
        let spec = json!({"selector": {}, "endpoints": [{"port": "web", "basicAuth": auth(name)}]});
        create(&client, "ServiceMonitor", "v1", monitor, &spec).await?;
    }
    let rule = json!({"groups": [{"name": "g", "rules": [{"record": "a", "expr": "vector(1)"}]}]});
    create(&client, "PrometheusRule", "v1", "rule", &rule).await?;
    let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
    wait::object(&maps, "prometheus-main-rulefiles-0", "to hold a rule", |map| {
        map.data.as_ref().is_some_and(|files| files.values().any(|file| file.contains("record: a")))
    })
    .await?;
    configuration(&client, "prometheus-main", has("regex: metrics")).await?;
    // The Secret is created, changed, deleted.
    secret(&client, "password", "key", "first").await?;
    configuration(&client, "prometheus-main", has("password: first")).await?;
    secret(&client, "password", "key", "second").await?;
    configuration(&client, "prometheus-main", has("password: second")).await?;
    let secrets: Api<Secret> = Api::default_namespaced(client.clone());
    secrets.delete("password", &DeleteParams::default()).await?;
    configuration(&client, "prometheus-main", |text| !text.contains("monitor/default/two")).await?;
    running.end().await;
    Ok(())
}

#[tokio::test]
async fn a_second_process_writes_nothing() -> Result<()> {
    let (_plane, client) = control_plane().await?;
    let running = Running::start(&client);
    secret(&client, "password", "key", "first").await?;
    let spec = json!({"serviceMonitorSelector": {}, "ruleSelector": {}, "shards": 2, "thanos": {}});
    create(&client, "Prometheus", "v1", "main", &spec).await?;
    create(&client, "PrometheusAgent", "v1alpha1", "edge", &json!({"podMonitorSelector": {}})).await?;
    create(&client, "Alertmanager", "v1", "main", &json!({"replicas": 3, "alertmanagerConfigSelector": {}}))
        .await?;
    create(&client, "ThanosRuler", "v1", "main", &json!({"queryEndpoints": ["q"], "ruleSelector": {}}))
        .await?;
    let spec = json!({"selector": {}, "endpoints": [{"port": "web", "basicAuth": auth("password")}]});
    create(&client, "ServiceMonitor", "v1", "one", &spec).await?;
    let sets: Api<StatefulSet> = Api::default_namespaced(client.clone());
    for name in [
        "prometheus-main",
        "prometheus-main-shard-1",
        "prom-agent-edge",
        "alertmanager-main",
        "thanos-ruler-main",
    ] {
        wait::object(&sets, name, "to be created", |_| true).await?;
    }
    configuration(&client, "prometheus-main", |text| text.contains("password: first")).await?;
    idle(&running).await?;
    running.end().await;

    let before = versions(&client).await?;
    let running = Running::start(&client);
    let workloads: Api<DynamicObject> =
        Api::default_namespaced_with(client.clone(), &resource("Prometheus", "v1"));
    // A change that only the second process can have handled, after it has reconciled everything.
    let patch = json!({"spec": {"shards": 1}});
    workloads.patch("main", &PatchParams::default(), &Patch::Merge(&patch)).await?;
    wait::until("the second shard to be deleted", async || {
        let left = sets.get_opt("prometheus-main-shard-1").await?;
        let gone = left.is_none_or(|set| set.metadata.deletion_timestamp.is_some());
        Ok(holds(gone, "it still exists"))
    })
    .await?;
    idle(&running).await?;
    running.end().await;
    let mut after = versions(&client).await?;
    let mut before: Vec<String> = before;
    for list in [&mut before, &mut after] {
        list.retain(|name| !name.contains("shard-1") && !name.starts_with("Secret prometheus-main "));
    }
    assert_eq!(before, after);
    Ok(())
}
