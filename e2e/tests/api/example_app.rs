//! The CRD of `ExampleApp` as users apply it: all fields, defaults, validation and the scale subresource.

use std::path::PathBuf;

use anyhow::{Context, Result};
use api_example::ExampleApp;
use e2e::wait;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kernel::lease::Leadership;
use kernel::metrics::{Catalogue, Metrics};
use kernel::queue;
use kernel::stores::Namespaces;
use kube::api::{ApiResource, DynamicObject, Patch, PatchParams, PostParams};
use kube::{Api, Client};
use lab::ControlPlane;
use mainstay::process::Process;
use mainstay::products::RunningProducts;
use serde_json::{Value, json};
use tokio::sync::watch;

/// A control plane with the CRD.
pub(crate) async fn control_plane() -> Result<(ControlPlane, Client)> {
    let plane = ControlPlane::start().await?;
    let client = plane.client().await?;
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../deploy/crds/exampleapps.example-app.appdelivery.cncf.io.yaml");
    let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let definition: CustomResourceDefinition = serde_saphyr::from_str(&text)?;
    let api: Api<CustomResourceDefinition> = Api::all(client.clone());
    let name = definition.metadata.name.clone().context("the definition has no name")?;
    api.create(&PostParams::default(), &definition).await?;
    wait::established(&api, &name).await?;
    Ok((plane, client))
}

/// The operator, for the namespace `default`.
pub(crate) fn operator(client: Client, catalogue: &mut Catalogue) -> Process {
    Process {
        client,
        products: std::sync::Arc::new(RunningProducts::only(
            &operator_example::PRODUCT,
            operator_example::ExampleOperator::default(),
        )),
        scopes: Namespaces::Only(vec!["default".into()]).into(),
        leadership: Leadership::always(),
        identity: "test".into(),
        queue: queue::QueueSettings::default(),
        metrics: Metrics::register(catalogue, "", ""),
        watch_states: watch::Sender::new(Vec::new()),
    }
}

/// The resource as a user writes it, without fields that our types would add.
pub(crate) fn written(name: &str, spec: &Value) -> Result<DynamicObject> {
    let object = json!({
        "apiVersion": "example-app.appdelivery.cncf.io/v1alpha1",
        "kind": "ExampleApp",
        "metadata": {"name": name},
        "spec": spec,
    });
    Ok(serde_json::from_value(object)?)
}

pub(crate) fn raw(client: &Client) -> Api<DynamicObject> {
    Api::default_namespaced_with(client.clone(), &ApiResource::erase::<ExampleApp>(&()))
}

#[tokio::test]
async fn the_example_of_the_paper_is_accepted_without_losing_a_field() -> Result<()> {
    let (_plane, client) = control_plane().await?;
    let spec = json!({
        "appVersion": "0.0.1",
        "features": {"exampleFeature1": true, "exampleFeature2": false},
        "backup": {
            "enabled": true,
            "storageType": "s3",
            "host": "my-backup.example.com",
            "bucketName": "example-backup",
        },
    });
    raw(&client).create(&PostParams::default(), &written("appdelivery-example-app", &spec)?).await?;
    let stored = raw(&client).get("appdelivery-example-app").await?;
    for (field, value) in spec.as_object().context("not an object")? {
        assert_eq!(&stored.data["spec"][field], value, "{field}");
    }
    assert_eq!(stored.data["spec"]["replicas"], 1, "the API server sets defaults");
    assert_eq!(stored.data["spec"]["storage"], json!({"size": "1Gi"}));

    let typed: Api<ExampleApp> = Api::default_namespaced(client);
    assert_eq!(typed.get("appdelivery-example-app").await?.spec, serde_json::from_value(spec)?);
    Ok(())
}

#[tokio::test]
async fn an_invalid_field_is_rejected_with_its_name() -> Result<()> {
    let (_plane, client) = control_plane().await?;
    let cases = [
        (json!({"appVersion": "latest"}), "spec.appVersion"),
        (json!({}), "spec.appVersion"),
        (json!({"appVersion": "0.0.1", "replicas": -1}), "spec.replicas"),
        (json!({"appVersion": "0.0.1", "features": {"one": "yes"}}), "spec.features.one"),
        (json!({"appVersion": "0.0.1", "deletion": {"policy": "Explode"}}), "spec.deletion.policy"),
    ];
    for (spec, field) in cases {
        match raw(&client).create(&PostParams::default(), &written("bad", &spec)?).await {
            Err(kube::Error::Api(status)) => {
                assert_eq!(status.code, 422, "{spec}");
                assert!(status.message.contains(field), "message for {spec}: {}", status.message);
            }
            other => panic!("{spec} was not rejected: {other:?}"),
        }
    }
    Ok(())
}

#[tokio::test]
async fn it_can_be_scaled_like_a_workload() -> Result<()> {
    let (_plane, client) = control_plane().await?;
    raw(&client).create(&PostParams::default(), &written("app", &json!({"appVersion": "0.0.1"}))?).await?;
    let api: Api<ExampleApp> = Api::default_namespaced(client);
    let three = Patch::Merge(json!({"spec": {"replicas": 3}}));
    api.patch_scale("app", &PatchParams::default(), &three).await?;
    assert_eq!(api.get("app").await?.spec.replicas, 3);
    Ok(())
}
