//! An object of the operator that another client changes is written back, whatever the content, with an event and a
//! condition.

use anyhow::Result;
use e2e::bomb;
use e2e::wait::{self, Look, holds};
use k8s_openapi::ByteString;
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::{Event, Secret};
use kube::Api;
use kube::api::{DynamicObject, ListParams, Patch, PatchParams};
use serde_json::{Value, json};

use super::fixture::{Running, configuration, control_plane, create, idle, resource};

#[tokio::test]
async fn a_secret_with_a_decompression_bomb_is_written_back() -> Result<()> {
    let (_plane, client) = control_plane().await?;
    let running = Running::start(&client);
    for name in ["main", "other"] {
        create(&client, "Prometheus", "v1", name, &json!({"serviceMonitorSelector": {}})).await?;
    }
    let monitor = |name: &'static str| {
        let client = client.clone();
        async move {
            let spec = json!({"selector": {}, "endpoints": [{"port": "web"}]});
            create(&client, "ServiceMonitor", "v1", name, &spec).await
        }
    };
    monitor("one").await?;
    let has =
        |name: &'static str| move |text: &str| text.contains(&format!("serviceMonitor/default/{name}/0"));
    configuration(&client, "prometheus-main", has("one")).await?;
    idle(&running).await?;

    let secrets: Api<Secret> = Api::default_namespaced(client.clone());
    let before = secrets.get("prometheus-main").await?.data;
    let data = json!({"data": {"prometheus.yaml.gz": ByteString(bomb::gzip()?)}});
    let attacker = PatchParams { field_manager: Some("attacker".into()), ..PatchParams::default() };
    secrets.patch("prometheus-main", &attacker, &Patch::Merge(&data)).await?;
    wait::until("the Secret to be written back", async || {
        Ok(holds(secrets.get("prometheus-main").await?.data == before, "it differs"))
    })
    .await?;

    // One event and the status report it, and others are not affected.
    let message = "Secret default/prometheus-main was changed by attacker (data.prometheus.yaml.gz) and has been written back";
    let events: Api<Event> = Api::default_namespaced(client.clone());
    wait::until("the event", async || {
        let all = events.list(&ListParams::default()).await?;
        let corrected = all.iter().filter(|event| event.reason.as_deref() == Some("DriftCorrected"));
        let found: Vec<_> = corrected
            .map(|event| (event.involved_object.name.as_deref(), event.message.as_deref()))
            .collect();
        Ok(holds(found == [(Some("main"), Some(message))], format!("{found:?}")))
    })
    .await?;
    let reported = reconciled(&client, "main", "DriftCorrected").await?;
    assert_eq!(reported.split_once(": ").map(|(_, text)| text), Some(message), "{reported}");
    assert_eq!(reconciled(&client, "other", "").await?, "");

    // StatefulSets are kept whole, but without the field ownership of other clients.
    let sets: Api<StatefulSet> = Api::default_namespaced(client.clone());
    let scaled = Patch::Merge(json!({"spec": {"replicas": 7}}));
    sets.patch("prometheus-main", &attacker, &scaled).await?;
    let message = "StatefulSet default/prometheus-main was changed by attacker (spec.replicas) and has been written back";
    wait::until("the change of the StatefulSet in the status", async || {
        let reported = reconciled(&client, "main", "DriftCorrected").await?;
        Ok(holds(reported.ends_with(message), reported))
    })
    .await?;
    monitor("two").await?;
    for secret in ["prometheus-main", "prometheus-other"] {
        configuration(&client, secret, has("two")).await?;
    }
    running.end().await;
    Ok(())
}

/// Waits until the condition `Reconciled` has this reason. Returns its message.
async fn reconciled(client: &kube::Client, name: &str, reason: &str) -> Result<String> {
    let api: Api<DynamicObject> = Api::default_namespaced_with(client.clone(), &resource("Prometheus", "v1"));
    wait::until(&format!("the condition Reconciled of {name}"), async || {
        let status = api.get(name).await?.data["status"].take();
        let all = status["conditions"].as_array().cloned().unwrap_or_default();
        let one = all.into_iter().find(|one| one["type"] == "Reconciled").unwrap_or_default();
        let text = |field: &str| one[field].as_str().unwrap_or_default().to_owned();
        let fits = one["status"] == "True" && text("reason") == reason;
        Ok(if fits { Look::Found(text("message")) } else { Look::NotYet(Value::to_string(&one)) })
    })
    .await
}
