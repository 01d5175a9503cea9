//! Scaling of instances, CPU, memory and volumes, until everything is ready; and pausing.

use anyhow::Result;
use e2e::lab::Lab;
use e2e::load::LoadGenerator;
use e2e::namespace::Namespace;
use e2e::operator::{self, ManagedApp, condition, is};
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::PersistentVolumeClaim;
use kube::ResourceExt;
use kube::api::ListParams;
use serde_json::json;

#[tokio::test]
async fn instances_memory_and_volumes_grow_under_load() -> Result<()> {
    let lab = Lab::connect().await?;
    operator::install(&lab).await?;
    let namespace = Namespace::create(&lab, "scale").await?;
    let app =
        ManagedApp::create(&namespace, "app", json!({"appVersion": "0.1.0", "storage": {"size": "64Mi"}}))
            .await?;
    app.settled().await?;
    let load = LoadGenerator::start(&app.client().await?);

    app.change(json!({"replicas": 3})).await?;
    assert_eq!(app.settled().await?.ready_replicas, Some(3));

    let set = namespace.api::<StatefulSet>().get("app").await?;
    let before = app.identities().await?;
    app.change(json!({"storage": {"size": "128Mi"}})).await?;
    app.settled().await?;
    let claims = namespace.api::<PersistentVolumeClaim>().list(&ListParams::default()).await?;
    assert_eq!(claims.items.len(), 3);
    for claim in &claims {
        let capacity = claim.status.as_ref().and_then(|status| status.capacity.as_ref()?.get("storage"));
        assert_eq!(capacity.map(|size| size.0.as_str()), Some("128Mi"), "{}", claim.name_any());
    }
    assert_eq!(app.identities().await?, before, "volumes are expanded while instances run");
    let recreated = namespace.api::<StatefulSet>().get("app").await?;
    assert_ne!(recreated.uid(), set.uid(), "its claim template cannot be changed, so it was recreated");

    app.change(json!({"resources": {"requests": {"cpu": "20m", "memory": "48Mi"}}})).await?;
    app.settled().await?;
    for pod in app.pods().await? {
        let resources =
            pod.spec.as_ref().and_then(|spec| spec.containers[0].resources.clone()).unwrap_or_default();
        assert_eq!(
            resources.requests.and_then(|all| all.get("memory").map(|size| size.0.clone())).as_deref(),
            Some("48Mi")
        );
    }

    app.change(json!({"replicas": 1})).await?;
    let status = app.settled().await?;
    assert_eq!(status.replicas, Some(1));
    println!("scaled up, grown, rolled and scaled down: {}", load.finish().await?.summary);

    app.change(json!({"storage": {"size": "32Mi"}})).await?;
    let status =
        app.until("to reject the size", |status| is(status, "Accepted", "False", "ShrinkRefused")).await?;
    let message = &condition(&status, "Accepted").expect("just seen").message;
    assert_eq!(message, "volumes cannot shrink from 128Mi to 32Mi; set spec.storage.size to 128Mi or more");
    Ok(())
}

#[tokio::test]
async fn nothing_changes_while_it_is_paused() -> Result<()> {
    let lab = Lab::connect().await?;
    operator::install(&lab).await?;
    let namespace = Namespace::create(&lab, "pause").await?;
    let app = ManagedApp::create(&namespace, "app", json!({"appVersion": "0.0.1"})).await?;
    app.settled().await?;
    let sets = namespace.api::<StatefulSet>();
    let before = sets.get("app").await?.metadata.generation;
    app.change(json!({"paused": true, "replicas": 2})).await?;
    app.until("to be paused", |status| is(status, "Paused", "True", "PausedByUser")).await?;
    assert_eq!(sets.get("app").await?.metadata.generation, before);
    app.change(json!({"paused": false})).await?;
    assert_eq!(app.settled().await?.ready_replicas, Some(2));
    Ok(())
}
