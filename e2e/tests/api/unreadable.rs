//! A resource that cannot be parsed is reported with an event, and the others are not affected.

use anyhow::Result;
use e2e::wait::{self, Look};
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::events::v1::Event;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kernel::metrics::Catalogue;
use kube::api::{ListParams, PostParams};
use kube::{Api, Client};
use serde_json::json;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::example_app::{control_plane, operator, raw, written};

/// Removes the schema of the spec, as an older or newer CRD might have another one.
async fn remove_schema(client: &Client) -> Result<()> {
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    let name = "exampleapps.example-app.appdelivery.cncf.io";
    let mut definition = serde_json::to_value(definitions.get(name).await?)?;
    definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"] =
        json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    definitions.replace(name, &PostParams::default(), &serde_json::from_value(definition)?).await?;
    Ok(())
}

#[tokio::test]
async fn an_unreadable_resource_is_reported_and_affects_no_other() -> Result<()> {
    let (_plane, client) = control_plane().await?;
    remove_schema(&client).await?;
    let apps = raw(&client);
    let unreadable = written("unreadable", &json!({"appVersion": ["0.0.1"]}))?;
    wait::until("the definition without a schema", async || {
        Ok(match apps.create(&PostParams::default(), &unreadable).await {
            Ok(_) => Look::Found(()),
            Err(error) => Look::NotYet(error.to_string()),
        })
    })
    .await?;
    let valid = written("valid", &json!({"appVersion": "0.0.1", "replicas": 1, "storage": {"size": "1Gi"}}))?;
    apps.create(&PostParams::default(), &valid).await?;

    let (mut catalogue, stop, mut running) = (Catalogue::default(), CancellationToken::new(), JoinSet::new());
    running.spawn(operator(client.clone(), &mut catalogue).run(stop.clone()));
    let sets: Api<StatefulSet> = Api::default_namespaced(client.clone());
    wait::object(&sets, "valid", "to be created", |_| true).await?;
    let events: Api<Event> = Api::default_namespaced(client.clone());
    let event = wait::until("an event about the unreadable resource", async || {
        let all = events.list(&ListParams::default()).await?;
        let about = |event: &Event| {
            let named = event.regarding.as_ref().and_then(|about| about.name.as_deref());
            named == Some("unreadable") && event.reason.as_deref() == Some("Unreadable")
        };
        Ok(all.items.into_iter().find(about).map_or(Look::NotYet("none".into()), Look::Found))
    })
    .await?;
    let note = event.note.unwrap_or_default();
    assert!(note.contains("appVersion") || note.contains("sequence"), "{note}");
    let page = catalogue.expose()?;
    let counted = "outcome=\"unreadable\"} 1\n";
    assert!(page.contains(counted), "{page}");
    stop.cancel();
    while running.join_next().await.is_some() {}
    Ok(())
}
