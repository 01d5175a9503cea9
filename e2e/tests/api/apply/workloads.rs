//! StatefulSets and volumes keep their data: mutable fields are changed in place, and pods survive a recreation.

use anyhow::{Context, Result};
use e2e::wait::{self, Look};
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::api::storage::v1::StorageClass;
use kernel::apply::Way;
use kernel::declare::Kind;
use kube::api::{Api, DynamicObject, ListParams, Patch, PatchParams, PostParams};
use kube::{Client, ResourceExt};
use lab::args::Extent;
use serde_json::{Value, json};

use super::fixture::{CLAIM, Fixture, STATEFUL_SET, api};
use super::objects;

#[tokio::test]
async fn mutable_fields_of_a_stateful_set_are_changed_in_place() -> Result<()> {
    let fixture = Fixture::start().await?;
    for way in [Way::Apply, Way::Replace] {
        let mut object = objects::stateful_set();
        object["metadata"]["name"] = format!("{way:?}").to_lowercase().into();
        fixture.carry_out(&[fixture.wanted(STATEFUL_SET, &object, way)]).await?;
        let wanted = fixture.wanted(STATEFUL_SET, &object, way);
        let name = wanted.key().name;
        let uid = fixture.read(STATEFUL_SET, &name).await?.metadata.uid;
        for (field, value) in [
            ("replicas", json!(5)),
            ("revisionHistoryLimit", json!(3)),
            ("minReadySeconds", json!(10)),
            ("ordinals", json!({"start": 2})),
            (
                "persistentVolumeClaimRetentionPolicy",
                json!({"whenDeleted": "Delete", "whenScaled": "Retain"}),
            ),
            ("updateStrategy", json!({"type": "OnDelete"})),
        ] {
            object["spec"][field] = value.clone();
            fixture.carry_out(&[fixture.wanted(STATEFUL_SET, &object, way)]).await?;
            let now = fixture.read(STATEFUL_SET, &name).await?;
            assert_eq!((&now.data["spec"][field], &now.metadata.uid), (&value, &uid), "{field} {way:?}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_volume_is_expanded_in_place() -> Result<()> {
    let fixture = Fixture::start().await?;
    let class = Kind::of::<StorageClass>();
    let growing = json!({
        "apiVersion": class.api_version(), "kind": class.kind,
        "metadata": {"name": "fast"}, "provisioner": "example.com/none", "allowVolumeExpansion": true,
    });
    let classes: Api<DynamicObject> = Api::all_with(fixture.other.clone(), &class.resource());
    classes.create(&PostParams::default(), &serde_json::from_value(growing)?).await?;
    for way in [Way::Apply, Way::Replace] {
        let mut object = objects::claim();
        object["metadata"]["name"] = format!("{way:?}").to_lowercase().into();
        object["spec"]["storageClassName"] = "fast".into();
        let wanted = fixture.wanted(CLAIM, &object, way);
        fixture.carry_out(std::slice::from_ref(&wanted)).await?;
        let (name, claims) = (wanted.key().name, api(&fixture.other, CLAIM));
        let volume = Patch::Merge(json!({"spec": {"volumeName": "volume"}}));
        claims.patch(&name, &PatchParams::default(), &volume).await?;
        let status = json!({"status": {
            "phase": "Bound", "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"],
        }});
        let bound = claims.patch_status(&name, &PatchParams::default(), &Patch::Merge(status)).await?;
        fixture.wait_for(CLAIM, &bound).await?;
        fixture.requests();
        fixture.carry_out(&[wanted]).await?;
        assert_eq!(
            fixture.requests(),
            Vec::<String>::new(),
            "the name of the volume is set by the API server"
        );

        object["spec"]["resources"]["requests"]["storage"] = "2048Mi".into();
        let wanted = [fixture.wanted(CLAIM, &object, way)];
        // The API server receives storage classes with a watch of its own.
        wait::until("the claim to grow", async || {
            fixture.carry_out(&wanted).await?;
            Ok(Look::Found(()))
        })
        .await?;
        let now = fixture.read(CLAIM, &name).await?;
        assert_eq!(now.metadata.uid, bound.metadata.uid);
        assert_eq!(now.data["spec"]["resources"]["requests"]["storage"], "2Gi");
    }
    Ok(())
}

#[tokio::test]
async fn an_object_is_recreated_if_the_api_server_rejects_the_removal_of_a_field() -> Result<()> {
    let fixture = Fixture::start().await?;
    let without_class = || {
        let mut object = objects::stateful_set();
        let claim = object.pointer_mut("/spec/volumeClaimTemplates/0/spec").and_then(Value::as_object_mut);
        claim.map(|claim| claim.remove("storageClassName"));
        object
    };
    let mut without_claims = objects::stateful_set();
    without_claims["spec"]["volumeClaimTemplates"] = json!([]);
    let mut selector = objects::stateful_set();
    selector["spec"]["selector"]["matchLabels"]["more"] = "1".into();
    selector["spec"]["template"]["metadata"]["labels"]["more"] = "1".into();
    for (way, writes) in [(Way::Apply, ["PATCH", "PUT"].as_slice()), (Way::Replace, ["PUT"].as_slice())] {
        let sent = |name: &str| writes.iter().map(|method| format!("{method} statefulsets/{name}")).collect();
        for (at, less) in [without_class(), without_claims.clone()].into_iter().enumerate() {
            let name = format!("{way:?}-{at}").to_lowercase();
            let named = |mut object: Value| {
                object["metadata"]["name"] = name.as_str().into();
                fixture.wanted(STATEFUL_SET, &object, way)
            };
            fixture.carry_out(&[named(objects::stateful_set())]).await?;
            fixture.requests();
            let message = format!(
                "StatefulSet default/{name} is recreated: /spec/volumeClaimTemplates cannot be changed"
            );
            assert_eq!(fixture.carry_out(&[named(less)]).await?.waiting, [message]);
            let mut expected: Vec<String> = sent(&name);
            expected.extend(["POST default/statefulsets".into(), format!("DELETE statefulsets/{name}")]);
            assert_eq!(fixture.requests(), expected);
        }
        let name = format!("{way:?}-selector").to_lowercase();
        let named = |mut object: Value| {
            object["metadata"]["name"] = name.as_str().into();
            fixture.wanted(STATEFUL_SET, &object, way)
        };
        fixture.carry_out(&[named(selector.clone())]).await?;
        fixture.requests();
        let rejected = fixture.carry_out(&[named(objects::stateful_set())]).await;
        let rejected = rejected.map(|applied| applied.written).map_err(|error| error.to_string());
        let message = format!(
            "StatefulSet default/{name}: /spec/selector cannot be changed: its pods would have no owner; \
             delete it with `kubectl delete --cascade=orphan` and delete the old pods manually"
        );
        assert_eq!(rejected, Err(message));
        assert_eq!(fixture.requests(), sent(&name) as Vec<String>);
    }
    Ok(())
}

#[tokio::test]
async fn nothing_is_deleted_if_the_api_server_rejects_the_new_object() -> Result<()> {
    let fixture = Fixture::start().await?;
    fixture.carry_out(&[fixture.wanted(STATEFUL_SET, &objects::stateful_set(), Way::Apply)]).await?;
    let before = fixture.read(STATEFUL_SET, "store").await?;
    fixture.requests();
    let mut bad = objects::stateful_set();
    bad["spec"]["serviceName"] = "others".into();
    bad["spec"]["template"]["spec"]["restartPolicy"] = "Sometimes".into();
    let rejected = fixture.carry_out(&[fixture.wanted(STATEFUL_SET, &bad, Way::Apply)]).await;
    let rejected = rejected.map(|applied| applied.waiting).map_err(|error| error.to_string());
    assert_eq!(rejected, Err("cannot create StatefulSet default/store".into()));
    assert_eq!(fixture.requests(), ["POST default/statefulsets"]);
    assert_eq!(fixture.read(STATEFUL_SET, "store").await?, before);
    Ok(())
}

/// Name, UID and controller of every pod.
async fn pods(client: &Client) -> Result<Vec<[String; 3]>> {
    let pods: Api<Pod> = Api::default_namespaced(client.clone());
    let mut all = Vec::new();
    for pod in pods.list(&ListParams::default()).await? {
        let controller = pod.owner_references().iter().find(|owner| owner.controller == Some(true));
        let owner = controller.map(|owner| owner.uid.clone()).unwrap_or_default();
        all.push([pod.name_any(), pod.uid().unwrap_or_default(), owner]);
    }
    Ok(all)
}

#[tokio::test]
async fn pods_keep_running_when_their_stateful_set_is_recreated() -> Result<()> {
    let fixture = Fixture::start_with(Extent::Controllers).await?;
    let mut object = objects::stateful_set();
    object["spec"]["template"]["spec"] = json!({"containers": [{"name": "main", "image": "never-pulled"}]});
    for (at, (pointer, value)) in [
        ("/spec/replicas", json!(2)),
        ("/spec/serviceName", json!("others")),
        ("/spec/podManagementPolicy", json!("OrderedReady")),
        ("/spec/volumeClaimTemplates/0/spec/resources/requests/storage", json!("4Gi")),
    ]
    .into_iter()
    .enumerate()
    {
        let before = pods(&fixture.other).await?;
        *object.pointer_mut(pointer).context("the object has no such field")? = value;
        let wanted = [fixture.wanted(STATEFUL_SET, &object, Way::Apply)];
        if at > 0 {
            let old = fixture.read(STATEFUL_SET, "store").await?;
            assert_eq!(fixture.carry_out(&wanted).await?.waiting.len(), 1, "{pointer}");
            fixture.wait_until_gone(STATEFUL_SET, &old).await?;
        }
        assert_eq!(fixture.carry_out(&wanted).await?.waiting, Vec::<String>::new());
        let new = fixture.read(STATEFUL_SET, "store").await?.metadata.uid.context("the object has no UID")?;
        let after = wait::until("two pods of the new StatefulSet", async || {
            let now = pods(&fixture.other).await?;
            let all = now.len() == 2 && now.iter().all(|[_, _, owner]| *owner == new);
            Ok(if all { Look::Found(now) } else { Look::NotYet(format!("{now:?}")) })
        })
        .await?;
        if at > 0 {
            let expected: Vec<[String; 3]> =
                before.into_iter().map(|[name, uid, _]| [name, uid, new.clone()]).collect();
            assert_eq!(after, expected, "{pointer}: the same pods");
        }
    }
    let claims = fixture.names(CLAIM).await?;
    assert_eq!(claims, ["data-store-0", "data-store-1"]);
    Ok(())
}
