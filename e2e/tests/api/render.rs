//! `mainstay render` prints exactly the objects that the operator applies.

use anyhow::{Context, Result};
use api_example::ExampleApp;
use e2e::wait::{self, Look};
use kernel::metrics::Catalogue;
use kernel::{compare, fields};
use kube::api::{ApiResource, DynamicObject, GroupVersionKind, PostParams};
use kube::{Api, Client};
use mainstay::process::MANAGER;
use serde_json::Value;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::example_app::{control_plane, operator};

fn sample() -> Result<Value> {
    let path = lab::paths::workspace().join("samples/example-app.yaml");
    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    Ok(serde_saphyr::from_str(&text)?)
}

/// The object in the cluster that corresponds to a rendered one.
async fn live(client: &Client, rendered: &Value) -> Result<DynamicObject> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (version, kind) = (text(&rendered["apiVersion"]), text(&rendered["kind"]));
    let kind: GroupVersionKind = match version.split_once('/') {
        Some((group, version)) => GroupVersionKind::gvk(group, version, &kind),
        None => GroupVersionKind::gvk("", &version, &kind),
    };
    let api: Api<DynamicObject> = Api::default_namespaced_with(client.clone(), &ApiResource::from_gvk(&kind));
    let name = text(&rendered["metadata"]["name"]);
    wait::until(&format!("{} {name}", kind.kind), async || {
        Ok(api.get_opt(&name).await?.map_or(Look::NotYet("absent".into()), Look::Found))
    })
    .await
}

#[tokio::test]
async fn rendered_objects_are_the_applied_ones() -> Result<()> {
    let (_plane, client) = control_plane().await?;
    let apps: Api<ExampleApp> = Api::default_namespaced(client.clone());
    let created = apps.create(&PostParams::default(), &serde_json::from_value(sample()?)?).await?;
    let (stop, mut running) = (CancellationToken::new(), JoinSet::new());
    running.spawn(operator(client.clone(), &mut Catalogue::default()).run(stop.clone()));

    let mut resource = sample()?;
    resource["metadata"]["namespace"] = "default".into();
    let rendered = operator_example::render::render(&serde_json::from_value(resource)?);
    let rendered = rendered.map_err(|invalid| anyhow::anyhow!("{}", invalid.message))?;
    let rendered: Vec<Value> = rendered.into_iter().map(|desired| desired.object).collect();
    assert_eq!(rendered.len(), 6);
    for mut object in rendered {
        let live = serde_json::to_value(live(&client, &object).await?)?;
        // Only the cluster knows these.
        object["metadata"]["ownerReferences"][0]["uid"] = created.metadata.uid.clone().into();
        if object["kind"] == "Secret" {
            object["data"]["password"] = live["data"]["password"].clone();
        }
        let name = format!("{} {}", object["kind"], object["metadata"]["name"]);
        assert_eq!(compare::missing(&object, &live), None, "{name}");
        assert!(!fields::has_leftovers(&live, MANAGER, &[], &object), "{name} has more than was rendered");
        assert_eq!(compare::surplus(&object, &live), None, "{name}");
    }
    stop.cancel();
    while running.join_next().await.is_some() {}
    Ok(())
}
