//! Objects that are not watched: they are patched and evicted only if they have the expected UID.

use std::sync::Arc;

use anyhow::{Context, Result};
use k8s_openapi::api::storage::v1::StorageClass;
use kernel::apply::{Applied, Deletion, Touch, Work, Writer};
use kernel::declare::{Declaration, Detail, Kind, Watched};
use kernel::object::{Key, Object};
use kernel::stores::{Namespaces, Stores};
use kube::api::{DeleteParams, DynamicObject, Patch, PatchParams, PostParams};
use kube::{Api, Client};
use serde_json::{Value, json};

use super::fixture::{
    CLAIM, DISRUPTION_BUDGET, Fixture, LEASE, MANAGER, POD, SERVICE_ACCOUNT, api, create, tools,
};
use super::objects;

const fn optional(kind: Kind) -> Watched {
    Watched {
        kind,
        concerns: |_| None,
        selector: None,
        detail: Detail::Full,
        trim: |_| (),
        optional: true,
        why: "a test",
    }
}

/// An operator with optional watches of pods and claims.
static DECLARATION: Declaration = Declaration {
    name: "toy",
    primary: LEASE,
    finalizer: "test.mainstay.dev/cleanup",
    owned: &[],
    watched: &[optional(POD), optional(CLAIM)],
    permissions: &[],
    predecessors: &[],
    status_manager: None,
};

fn without_watches(client: &Client) -> Writer {
    let stores = Stores::new(&[&DECLARATION], MANAGER, &Namespaces::AllBut(Vec::new()).into());
    Writer::new(&DECLARATION, tools(client, stores, Arc::new(|| true)))
}

/// Creates a pod with the other client.
async fn create_pod(fixture: &Fixture) -> Result<DynamicObject> {
    let pod = json!({
        "metadata": {"name": "pod", "labels": {"app": "toy"}},
        "spec": {"containers": [{"name": "main", "image": "toy:1"}]},
    });
    create(&fixture.other, POD, &pod, "somebody").await
}

async fn fixture() -> Result<Fixture> {
    let fixture = Fixture::start().await?;
    create(&fixture.other, SERVICE_ACCOUNT, &json!({"metadata": {"name": "default"}}), "somebody").await?;
    Ok(fixture)
}

async fn touch(fixture: &Fixture, writer: &Writer, pod: &DynamicObject) -> Result<Applied> {
    let touch = touched(POD, pod, json!({"metadata": {"labels": {"touched": "yes"}}}))?;
    Ok(writer.carry_out(&Work { touches: vec![touch], ..Work::default() }, &fixture.owner).await?)
}

fn touched(kind: Kind, object: &DynamicObject, fields: Value) -> Result<Touch> {
    let uid = object.metadata.uid.as_deref().context("the object has no UID")?.into();
    let name = object.metadata.name.as_deref().context("the object has no name")?;
    Ok(Touch { kind, key: Key::new("default", name), uid, fields })
}

async fn evict(fixture: &Fixture, writer: &Writer, pod: &DynamicObject) -> Result<Applied> {
    let object = Arc::new(Object::new(pod.clone(), &POD.resource()));
    let evictions = vec![Deletion { kind: POD, object }];
    Ok(writer.carry_out(&Work { evictions, ..Work::default() }, &fixture.owner).await?)
}

#[tokio::test]
async fn a_pod_is_patched_and_no_other_of_its_name() -> Result<()> {
    let fixture = fixture().await?;
    let writer = without_watches(&fixture.client);
    let old = create_pod(&fixture).await?;
    assert_eq!(touch(&fixture, &writer, &old).await?.written, ["patched Pod default/pod"]);
    let labels = fixture.read(POD, "pod").await?.metadata.labels.unwrap_or_default();
    assert_eq!(labels.get("touched").map(String::as_str), Some("yes"));

    let now = DeleteParams::default().grace_period(0);
    api(&fixture.other, POD).delete("pod", &now).await?;
    assert_eq!(touch(&fixture, &writer, &old).await?.written, Vec::<String>::new());
    assert_eq!(fixture.names(POD).await?, Vec::<String>::new(), "a pod was created");
    let new = create_pod(&fixture).await?;
    assert_eq!(touch(&fixture, &writer, &old).await?.written, Vec::<String>::new());
    assert_eq!(fixture.read(POD, "pod").await?, new);
    Ok(())
}

#[tokio::test]
async fn one_patch_keeps_the_fields_of_another() -> Result<()> {
    let fixture = fixture().await?;
    let pod = create_pod(&fixture).await?;
    // One writer with a watch of the pod, and one without.
    fixture.wait_for(POD, &pod).await?;
    let unseen = without_watches(&fixture.client);
    for (round, writer) in [("seen", &fixture.process.writer), ("unseen", &unseen)] {
        for part in ["labels", "annotations"] {
            let touch = touched(POD, &pod, json!({"metadata": {part: {round: "1"}}}))?;
            let work = Work { touches: vec![touch], ..Work::default() };
            let applied = writer.carry_out(&work, &fixture.owner).await?;
            assert_eq!(applied.written, ["patched Pod default/pod"], "{round} {part}");
        }
    }
    let now = fixture.read(POD, "pod").await?.metadata;
    let keys = |map: Option<std::collections::BTreeMap<String, String>>| -> Vec<String> {
        map.unwrap_or_default().into_keys().collect()
    };
    assert_eq!(keys(now.labels), ["app", "seen", "unseen"]);
    assert_eq!(keys(now.annotations), ["seen", "unseen"]);
    let by_us =
        now.managed_fields.into_iter().flatten().filter(|entry| entry.manager.as_deref() == Some(MANAGER));
    assert_eq!(by_us.count(), 1, "one entry of our field manager");
    Ok(())
}

#[tokio::test]
async fn a_claim_that_cannot_be_expanded_prevents_no_other_write() -> Result<()> {
    let fixture = fixture().await?;
    let writer = without_watches(&fixture.client);
    let pod = create_pod(&fixture).await?;
    let class = Kind::of::<StorageClass>();
    let rigid = json!({
        "apiVersion": class.api_version(), "kind": class.kind,
        "metadata": {"name": "rigid"}, "provisioner": "example.com/none",
    });
    let classes: Api<DynamicObject> = Api::all_with(fixture.other.clone(), &class.resource());
    classes.create(&PostParams::default(), &serde_json::from_value(rigid)?).await?;
    let mut claim = objects::claim();
    claim["spec"]["storageClassName"] = "rigid".into();
    claim["spec"]["volumeName"] = "volume".into();
    let claim = create(&fixture.other, CLAIM, &claim, "somebody").await?;
    let name = claim.metadata.name.as_deref().context("the object has no name")?;
    let bound = json!({"status": {
        "phase": "Bound", "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"],
    }});
    api(&fixture.other, CLAIM).patch_status(name, &PatchParams::default(), &Patch::Merge(bound)).await?;
    let size = |size: &str| json!({"spec": {"resources": {"requests": {"storage": size}}}});
    let grow = touched(CLAIM, &claim, size("9Gi"))?;
    let touches =
        vec![grow.clone(), touched(POD, &pod, json!({"metadata": {"labels": {"touched": "yes"}}}))?];
    fixture.requests();
    for _ in 0..2 {
        let work = Work { touches: touches.clone(), ..Work::default() };
        let applied = writer.carry_out(&work, &fixture.owner).await?;
        assert_eq!(applied.written, ["patched Pod default/pod"]);
        let message = format!(
            "persistentvolumeclaims \"{name}\" is forbidden: only dynamically provisioned pvc can be resized and the \
             storageclass that provisions the pvc must support resize"
        );
        assert_eq!(applied.refused, [(grow.clone(), message)]);
    }
    let claims = fixture.requests().iter().filter(|line| line.contains("persistentvolumeclaims")).count();
    assert_eq!(claims, 1, "it is not sent again at once");
    Ok(())
}

#[tokio::test]
async fn a_pod_is_evicted_if_no_budget_forbids_it_and_no_other_of_its_name() -> Result<()> {
    let fixture = fixture().await?;
    let writer = without_watches(&fixture.client);
    let old = create_pod(&fixture).await?;
    api(&fixture.other, POD).delete("pod", &DeleteParams::default().grace_period(0)).await?;
    create_pod(&fixture).await?;
    // A budget does not count for pods that do not run.
    let running = json!({"status": {"phase": "Running"}});
    let params = PatchParams::default();
    let new = api(&fixture.other, POD).patch_status("pod", &params, &Patch::Merge(&running)).await?;
    create(&fixture.other, DISRUPTION_BUDGET, &objects::disruption_budget(), "somebody").await?;

    // No controller counts pods here, so the budget allows nothing.
    let applied = evict(&fixture, &writer, &new).await?;
    assert_eq!((applied.written, applied.done.len()), (Vec::new(), 0));
    let message = "The disruption budget budget is still being processed by the server.";
    assert_eq!(applied.kept.into_values().collect::<Vec<_>>(), [message]);

    api(&fixture.other, DISRUPTION_BUDGET).delete("budget", &DeleteParams::default()).await?;
    let applied = evict(&fixture, &writer, &old).await?;
    assert_eq!((applied.written, fixture.read(POD, "pod").await?), (Vec::new(), new.clone()));
    let applied = evict(&fixture, &writer, &new).await?;
    assert_eq!(applied.written, ["evicted Pod default/pod"]);
    assert_eq!(fixture.names(POD).await?, Vec::<String>::new());
    Ok(())
}

#[tokio::test]
async fn without_the_permission_nothing_is_done_and_nothing_fails() -> Result<()> {
    let fixture = fixture().await?;
    let writer = without_watches(&fixture.record.impersonate(fixture.other.clone(), "nobody")?);
    let pod = create_pod(&fixture).await?;
    for _ in 0..2 {
        assert_eq!(touch(&fixture, &writer, &pod).await?.written, Vec::<String>::new());
        assert_eq!(evict(&fixture, &writer, &pod).await?.written, Vec::<String>::new());
    }
    assert_eq!(fixture.requests(), ["PATCH pods/pod", "POST pod/eviction"], "it is not sent again at once");
    assert_eq!(fixture.read(POD, "pod").await?, pod);
    Ok(())
}
