//! Objects that are not watched: they are touched and evicted only if they are the ones that were meant.

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

use super::objects;
use super::stage::{
    CLAIM, DISRUPTION_BUDGET, LEASE, MANAGER, POD, SERVICE_ACCOUNT, Stage, api, create, tools,
};

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

/// An operator that can do without a watch of pods and claims.
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

fn hand(client: &Client) -> Writer {
    let stores = Stores::new(&[&DECLARATION], MANAGER, &Namespaces::AllBut(Vec::new()).into());
    Writer::new(&DECLARATION, tools(client, stores, Arc::new(|| true)))
}

/// Somebody makes a pod.
async fn make(stage: &Stage) -> Result<DynamicObject> {
    let pod = json!({
        "metadata": {"name": "pod", "labels": {"app": "toy"}},
        "spec": {"containers": [{"name": "main", "image": "toy:1"}]},
    });
    create(&stage.other, POD, &pod, "somebody").await
}

async fn stage() -> Result<Stage> {
    let stage = Stage::set().await?;
    create(&stage.other, SERVICE_ACCOUNT, &json!({"metadata": {"name": "default"}}), "somebody").await?;
    Ok(stage)
}

async fn touch(stage: &Stage, writer: &Writer, pod: &DynamicObject) -> Result<Applied> {
    let touch = touched(POD, pod, json!({"metadata": {"labels": {"touched": "yes"}}}))?;
    Ok(writer.carry_out(&Work { touches: vec![touch], ..Work::default() }, &stage.owner).await?)
}

fn touched(kind: Kind, object: &DynamicObject, fields: Value) -> Result<Touch> {
    let uid = object.metadata.uid.as_deref().context("a uid")?.into();
    let name = object.metadata.name.as_deref().context("a name")?;
    Ok(Touch { kind, key: Key::new("default", name), uid, fields })
}

async fn evict(stage: &Stage, writer: &Writer, pod: &DynamicObject) -> Result<Applied> {
    let object = Arc::new(Object::new(pod.clone(), &POD.resource()));
    let evictions = vec![Deletion { kind: POD, object }];
    Ok(writer.carry_out(&Work { evictions, ..Work::default() }, &stage.owner).await?)
}

#[tokio::test]
async fn a_pod_is_touched_and_no_other_of_its_name() -> Result<()> {
    let stage = stage().await?;
    let writer = hand(&stage.client);
    let old = make(&stage).await?;
    assert_eq!(touch(&stage, &writer, &old).await?.written, ["patched Pod default/pod"]);
    let labels = stage.look(POD, "pod").await?.metadata.labels.unwrap_or_default();
    assert_eq!(labels.get("touched").map(String::as_str), Some("yes"));

    let now = DeleteParams::default().grace_period(0);
    api(&stage.other, POD).delete("pod", &now).await?;
    assert_eq!(touch(&stage, &writer, &old).await?.written, Vec::<String>::new());
    assert_eq!(stage.names(POD).await?, Vec::<String>::new(), "none is made");
    let new = make(&stage).await?;
    assert_eq!(touch(&stage, &writer, &old).await?.written, Vec::<String>::new());
    assert_eq!(stage.look(POD, "pod").await?, new);
    Ok(())
}

#[tokio::test]
async fn one_touch_leaves_alone_what_another_has_written() -> Result<()> {
    let stage = stage().await?;
    let pod = make(&stage).await?;
    // One that sees the pod, and one that does not.
    stage.heard(POD, &pod).await?;
    let unseen = hand(&stage.client);
    for (round, writer) in [("seen", &stage.process.writer), ("unseen", &unseen)] {
        for part in ["labels", "annotations"] {
            let touch = touched(POD, &pod, json!({"metadata": {part: {round: "1"}}}))?;
            let work = Work { touches: vec![touch], ..Work::default() };
            let applied = writer.carry_out(&work, &stage.owner).await?;
            assert_eq!(applied.written, ["patched Pod default/pod"], "{round} {part}");
        }
    }
    let now = stage.look(POD, "pod").await?.metadata;
    let keys = |map: Option<std::collections::BTreeMap<String, String>>| -> Vec<String> {
        map.unwrap_or_default().into_keys().collect()
    };
    assert_eq!(keys(now.labels), ["app", "seen", "unseen"]);
    assert_eq!(keys(now.annotations), ["seen", "unseen"]);
    let by_us =
        now.managed_fields.into_iter().flatten().filter(|entry| entry.manager.as_deref() == Some(MANAGER));
    assert_eq!(by_us.count(), 1, "it leaves one trace");
    Ok(())
}

#[tokio::test]
async fn a_claim_that_cannot_grow_keeps_nothing_else_from_being_done() -> Result<()> {
    let stage = stage().await?;
    let writer = hand(&stage.client);
    let pod = make(&stage).await?;
    let class = Kind::of::<StorageClass>();
    let rigid = json!({
        "apiVersion": class.api_version(), "kind": class.kind,
        "metadata": {"name": "rigid"}, "provisioner": "example.com/none",
    });
    let classes: Api<DynamicObject> = Api::all_with(stage.other.clone(), &class.resource());
    classes.create(&PostParams::default(), &serde_json::from_value(rigid)?).await?;
    let mut claim = objects::claim();
    claim["spec"]["storageClassName"] = "rigid".into();
    claim["spec"]["volumeName"] = "volume".into();
    let claim = create(&stage.other, CLAIM, &claim, "somebody").await?;
    let name = claim.metadata.name.as_deref().context("a name")?;
    let bound = json!({"status": {
        "phase": "Bound", "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"],
    }});
    api(&stage.other, CLAIM).patch_status(name, &PatchParams::default(), &Patch::Merge(bound)).await?;
    let size = |size: &str| json!({"spec": {"resources": {"requests": {"storage": size}}}});
    let grow = touched(CLAIM, &claim, size("9Gi"))?;
    let touches =
        vec![grow.clone(), touched(POD, &pod, json!({"metadata": {"labels": {"touched": "yes"}}}))?];
    stage.asked();
    for _ in 0..2 {
        let work = Work { touches: touches.clone(), ..Work::default() };
        let applied = writer.carry_out(&work, &stage.owner).await?;
        assert_eq!(applied.written, ["patched Pod default/pod"]);
        let words = format!(
            "persistentvolumeclaims \"{name}\" is forbidden: only dynamically provisioned pvc can be resized and the \
             storageclass that provisions the pvc must support resize"
        );
        assert_eq!(applied.refused, [(grow.clone(), words)]);
    }
    let claims = stage.asked().iter().filter(|asked| asked.contains("persistentvolumeclaims")).count();
    assert_eq!(claims, 1, "it is not asked again at once");
    Ok(())
}

#[tokio::test]
async fn a_pod_is_evicted_if_no_budget_forbids_it_and_no_other_of_its_name() -> Result<()> {
    let stage = stage().await?;
    let writer = hand(&stage.client);
    let old = make(&stage).await?;
    api(&stage.other, POD).delete("pod", &DeleteParams::default().grace_period(0)).await?;
    make(&stage).await?;
    // A budget does not count for pods that do not run.
    let running = json!({"status": {"phase": "Running"}});
    let params = PatchParams::default();
    let new = api(&stage.other, POD).patch_status("pod", &params, &Patch::Merge(&running)).await?;
    create(&stage.other, DISRUPTION_BUDGET, &objects::disruption_budget(), "somebody").await?;

    // No controller counts pods here, so the budget allows nothing.
    let applied = evict(&stage, &writer, &new).await?;
    assert_eq!((applied.written, applied.done.len()), (Vec::new(), 0));
    let words = "The disruption budget budget is still being processed by the server.";
    assert_eq!(applied.kept.into_values().collect::<Vec<_>>(), [words]);

    api(&stage.other, DISRUPTION_BUDGET).delete("budget", &DeleteParams::default()).await?;
    let applied = evict(&stage, &writer, &old).await?;
    assert_eq!((applied.written, stage.look(POD, "pod").await?), (Vec::new(), new.clone()));
    let applied = evict(&stage, &writer, &new).await?;
    assert_eq!(applied.written, ["evicted Pod default/pod"]);
    assert_eq!(stage.names(POD).await?, Vec::<String>::new());
    Ok(())
}

#[tokio::test]
async fn without_the_right_nothing_is_done_and_nothing_fails() -> Result<()> {
    let stage = stage().await?;
    let writer = hand(&stage.record.impersonate(stage.other.clone(), "nobody")?);
    let pod = make(&stage).await?;
    for _ in 0..2 {
        assert_eq!(touch(&stage, &writer, &pod).await?.written, Vec::<String>::new());
        assert_eq!(evict(&stage, &writer, &pod).await?.written, Vec::<String>::new());
    }
    assert_eq!(stage.asked(), ["PATCH pods/pod", "POST pod/eviction"], "it is not asked again at once");
    assert_eq!(stage.look(POD, "pod").await?, pod);
    Ok(())
}
