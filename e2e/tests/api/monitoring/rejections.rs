//! An object that an operand rejected is left out after a restart of the operators too, until it changes.

use anyhow::{Context as _, Result};
use e2e::wait;
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::Secret;
use kube::Api;
use kube::Client;
use kube::ResourceExt;
use kube::api::{DynamicObject, Patch, PatchParams};
use operator_monitoring::rejections::operand;
use serde_json::json;

use super::fixture::{Running, configuration, control_plane, create, idle, resource};

const REFUSED: &str = "mainstay.dev/refused-objects";

/// The hash of the workload, as a process records it.
async fn state(client: &Client) -> Result<String> {
    let workloads: Api<DynamicObject> =
        Api::default_namespaced_with(client.clone(), &resource("Prometheus", "v1"));
    let sets: Api<StatefulSet> = Api::default_namespaced(client.clone());
    let workload = workloads.get("main").await?;
    let pods = sets.get("prometheus-main").await?.spec.and_then(|spec| spec.template.spec);
    let operand = pods.into_iter().flat_map(|pods| pods.containers).find(|one| one.name == "prometheus");
    let image = operand.and_then(|operand| operand.image).context("Prometheus has no image")?;
    Ok(operand::workload_hash(&workload.data["spec"], &image, []))
}

#[tokio::test]
async fn a_rejection_is_remembered_after_a_restart() -> Result<()> {
    let (_plane, client) = control_plane().await?;
    let running = Running::start(&client);
    create(&client, "Prometheus", "v1", "main", &json!({"serviceMonitorSelector": {}, "version": "v3.13.1"}))
        .await?;
    let monitor = |port: &str| json!({"selector": {}, "endpoints": [{"port": port}]});
    for name in ["good", "bad"] {
        create(&client, "ServiceMonitor", "v1", name, &monitor("web")).await?;
    }
    let has = |name: &str| format!("serviceMonitor/default/{name}/0");
    let both = |text: &str| text.contains(&has("good")) && text.contains(&has("bad"));
    configuration(&client, "prometheus-main", both).await?;
    idle(&running).await?;
    running.end().await;

    // The annotation that a process writes when a server rejects an object, and one of another client.
    let monitors: Api<DynamicObject> =
        Api::default_namespaced_with(client.clone(), &resource("ServiceMonitor", "v1"));
    let refused = json!([{
        "kind": "ServiceMonitor", "namespace": "default", "name": "bad", "uid": monitors.get("bad").await?.uid(),
        "generation": 1, "by": "Prometheus 3.13.1", "workload": state(&client).await?,
        "words": "Prometheus 3.13.1 rejects it: no",
    }]);
    let secrets: Api<Secret> = Api::default_namespaced(client.clone());
    let patch = json!({"metadata": {"annotations": {REFUSED: refused.to_string(), "kept": "yes"}}});
    secrets.patch("prometheus-main", &PatchParams::default(), &Patch::Merge(&patch)).await?;
    let running = Running::start(&client);
    configuration(&client, "prometheus-main", |text| {
        !text.contains(&has("bad")) && text.contains(&has("good"))
    })
    .await?;
    idle(&running).await?;
    assert!(secrets.get("prometheus-main").await?.annotations().contains_key(REFUSED));

    let patch = json!({"spec": monitor("metrics")});
    monitors.patch("bad", &PatchParams::default(), &Patch::Merge(&patch)).await?;
    configuration(&client, "prometheus-main", both).await?;
    let secret = wait::object(&secrets, "prometheus-main", "to have no rejections", |secret| {
        !secret.annotations().contains_key(REFUSED)
    })
    .await?;
    assert_eq!(secret.annotations().get("kept").map(String::as_str), Some("yes"));
    idle(&running).await?;
    running.end().await;
    Ok(())
}
