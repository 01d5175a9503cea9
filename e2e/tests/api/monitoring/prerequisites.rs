//! Objects that pods need and others create: without them no StatefulSet is written, existing ones are kept, and the status
//! says why.

use anyhow::Result;
use e2e::wait::{self, Look};
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::Service;
use kube::api::{DynamicObject, Patch, PatchParams, PostParams};
use kube::{Api, Client};
use serde_json::{Value, json};

use super::fixture::{Running, configuration, control_plane, create, resource, secret};

/// Waits until the condition `Reconciled` has this status and message.
async fn reconciled(client: &Client, name: &str, status: &str, message: &str) -> Result<()> {
    let api: Api<DynamicObject> = Api::default_namespaced_with(client.clone(), &resource("Prometheus", "v1"));
    wait::until(&format!("Prometheus {name} to be reconciled: {status} {message}"), async || {
        let object = api.get(name).await?;
        let all = object.data["status"]["conditions"].as_array().cloned().unwrap_or_default();
        let found = all.into_iter().find(|condition| condition["type"] == "Reconciled").unwrap_or_default();
        let fits = found["status"] == status && found["message"].as_str() == Some(message);
        Ok(if fits { Look::Found(()) } else { Look::NotYet(found.to_string()) })
    })
    .await
}

async fn patch(client: &Client, name: &str, spec: &Value) -> Result<()> {
    let api: Api<DynamicObject> = Api::default_namespaced_with(client.clone(), &resource("Prometheus", "v1"));
    api.patch(name, &PatchParams::default(), &Patch::Merge(&json!({ "spec": spec }))).await?;
    Ok(())
}

#[tokio::test]
async fn a_missing_storage_class_delays_only_the_stateful_set() -> Result<()> {
    let (_plane, client) = control_plane().await?;
    let running = Running::start(&client);
    create(&client, "Prometheus", "v1", "main", &json!({"serviceMonitorSelector": {}})).await?;
    let sets: Api<StatefulSet> = Api::default_namespaced(client.clone());
    let before = wait::object(&sets, "prometheus-main", "to be created", |_| true).await?;
    let claim = json!({"spec": {"storageClassName": "none", "resources": {"requests": {"storage": "1Gi"}}}});
    patch(&client, "main", &json!({"storage": {"volumeClaimTemplate": claim}, "scrapeInterval": "7s"}))
        .await?;
    reconciled(&client, "main", "False", "storage class \"none\" does not exist").await?;
    configuration(&client, "prometheus-main", |text| text.contains("scrape_interval: 7s")).await?;
    let after = sets.get("prometheus-main").await?;
    assert_eq!((before.metadata.uid, before.spec), (after.metadata.uid, after.spec));
    patch(&client, "main", &json!({"storage": null})).await?;
    reconciled(
        &client,
        "main",
        "True",
        "No ServiceMonitor, PodMonitor, Probe, ScrapeConfig, and PrometheusRule have been selected.",
    )
    .await?;
    running.end().await;
    Ok(())
}

#[tokio::test]
async fn a_service_of_the_user_must_exist_and_select_the_pods() -> Result<()> {
    let (_plane, client) = control_plane().await?;
    let running = Running::start(&client);
    create(
        &client,
        "Prometheus",
        "v1",
        "main",
        &json!({"serviceMonitorSelector": {}, "serviceName": "mine"}),
    )
    .await?;
    let missing = "failed to get custom governing service default/mine: services \"mine\" not found";
    reconciled(&client, "main", "False", missing).await?;
    let services: Api<Service> = Api::default_namespaced(client.clone());
    let service = |name: &str| {
        json!({
            "metadata": {"name": "mine"},
            "spec": {"clusterIP": "None", "selector": {"prometheus": name}, "ports": [{"port": 9090}]},
        })
    };
    services.create(&PostParams::default(), &serde_json::from_value(service("other"))?).await?;
    let labels = "app.kubernetes.io/instance=main,app.kubernetes.io/managed-by=prometheus-operator,\
                  app.kubernetes.io/name=prometheus,operator.prometheus.io/name=main,prometheus=main";
    let wrong = format!(
        "custom governing service default/mine with selector \"prometheus=other\" does not select pods with labels {labels:?}"
    );
    reconciled(&client, "main", "False", &wrong).await?;
    services.patch("mine", &PatchParams::default(), &Patch::Merge(&service("main"))).await?;
    let sets: Api<StatefulSet> = Api::default_namespaced(client.clone());
    wait::object(&sets, "prometheus-main", "to use the Service", |set| {
        set.spec.as_ref().is_some_and(|spec| spec.service_name.as_deref() == Some("mine"))
    })
    .await?;
    running.end().await;
    Ok(())
}

#[tokio::test]
async fn all_references_of_a_global_configuration_are_read() -> Result<()> {
    let (_plane, client) = control_plane().await?;
    let running = Running::start(&client);
    for name in ["one", "two", "three"] {
        secret(&client, name, "key", &format!("https://{name}.invalid/")).await?;
    }
    let receiver = json!({"name": "r", "webhookConfigs": [{"urlSecret": {"name": "one", "key": "key"}}]});
    let spec = json!({"route": {"receiver": "r"}, "receivers": [receiver]});
    create(&client, "AlertmanagerConfig", "v1alpha1", "base", &spec).await?;
    let global = json!({
        "slackApiUrl": {"name": "two", "key": "key"},
        "victorops": {"apiURL": "https://victorops.invalid", "apiKey": {"name": "three", "key": "key"}},
    });
    let spec = json!({"alertmanagerConfiguration": {"name": "base", "global": global}});
    create(&client, "Alertmanager", "v1", "main", &spec).await?;
    let sets: Api<StatefulSet> = Api::default_namespaced(client.clone());
    wait::object(&sets, "alertmanager-main", "to be created", |_| true).await?;
    configuration(&client, "alertmanager-main-generated", |text| {
        text.contains("victorops_api_key: https://three.invalid/")
    })
    .await?;
    running.end().await;
    Ok(())
}
