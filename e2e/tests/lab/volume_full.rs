//! Volumes have a real size: they fill up, they can be expanded while a pod runs, and they are deleted with their claim or
//! retained.

use anyhow::{Context, Result};
use e2e::lab::Lab;
use e2e::namespace::Namespace;
use e2e::pods::{self, IDLE};
use e2e::volumes::{self, SIZED, SIZED_RETAIN, claim};
use e2e::wait::{self, holds};
use k8s_openapi::api::core::v1::{PersistentVolume, PersistentVolumeClaim, Pod};
use kube::api::{DeleteParams, Patch, PatchParams};
use kube::{Api, ResourceExt};
use serde_json::json;

/// Creates a pod on node a, with a claim that has the name of the pod.
async fn pod_with_volume(namespace: &Namespace, name: &str, class: &str) -> Result<Pod> {
    namespace.add(&claim(name, class, "64Mi")).await?;
    let spec = pods::with_volume(pods::spec(pods::shell(IDLE)), "/data", volumes::from_claim(name));
    namespace.add_ready(&pods::pod(name, pods::on_node(spec, &namespace.lab().node("a")))).await
}

/// The size of the volume of a pod in KiB, as the pod sees it.
async fn size(namespace: &Namespace, pod: &str) -> Result<u64> {
    let shown = namespace.sh(pod, "df -P -k /data | tail -n 1").await?;
    shown
        .split_whitespace()
        .nth(1)
        .and_then(|size| size.parse().ok())
        .with_context(|| format!("unexpected output of df: {shown}"))
}

#[tokio::test]
async fn a_full_volume_affects_one_pod_and_can_be_expanded_online() -> Result<()> {
    let lab = Lab::connect().await?;
    let namespace = Namespace::create(&lab, "volume-full").await?;
    let before = pod_with_volume(&namespace, "full", SIZED).await?;
    pod_with_volume(&namespace, "neighbour", SIZED).await?;
    let small = size(&namespace, "full").await?;
    assert!(small <= 64 * 1024, "requested 64Mi, got {small} KiB");

    let fill = "dd if=/dev/zero of=/data/fill bs=1M count=200";
    let output = pods::exec(&namespace.pods(), "full", fill).await?;
    assert!(!output.success && output.stderr.contains("No space left on device"), "{output:?}");
    namespace.sh("neighbour", "dd if=/dev/zero of=/data/more bs=1M count=4 && sync").await?;

    let grow = Patch::Merge(json!({ "spec": { "resources": { "requests": { "storage": "128Mi" } } } }));
    let claims = namespace.api::<PersistentVolumeClaim>();
    claims.patch("full", &PatchParams::default(), &grow).await?;
    namespace
        .until("the pod to see a larger volume", async || {
            let now = size(&namespace, "full").await?;
            Ok(holds(now > small + 32 * 1024, format!("{now} KiB, {small} before")))
        })
        .await?;
    namespace.sh("full", "dd if=/dev/zero of=/data/more bs=1M count=16 && sync").await?;
    wait::object(&claims, "full", "a capacity of 128Mi", |claim| {
        let capacity = claim.status.as_ref().and_then(|status| status.capacity.as_ref());
        capacity.and_then(|capacity| capacity.get("storage")).is_some_and(|size| size.0 == "128Mi")
    })
    .await?;

    let after = namespace.pods().get("full").await?;
    assert_eq!(after.uid(), before.uid());
    assert_eq!(pods::main_status(&after).map(|main| main.restart_count), Some(0));
    Ok(())
}

/// The volume of a claim.
async fn volume_of(namespace: &Namespace, claim: &str) -> Result<PersistentVolume> {
    let claim = namespace.api::<PersistentVolumeClaim>().get(claim).await?;
    let name = claim.spec.and_then(|spec| spec.volume_name).context("the claim is not bound")?;
    Ok(volumes_of(namespace).get(&name).await?)
}

fn volumes_of(namespace: &Namespace) -> Api<PersistentVolume> {
    Api::all(namespace.lab().client())
}

/// Deletes a pod and its claim, and waits until both are deleted.
async fn delete(namespace: &Namespace, name: &str) -> Result<()> {
    let pod = namespace.pods().get(name).await?;
    namespace.pods().delete(name, &DeleteParams::default()).await?;
    wait::gone(&namespace.pods(), &pod).await?;
    let claims = namespace.api::<PersistentVolumeClaim>();
    let claim = claims.get(name).await?;
    claims.delete(name, &DeleteParams::default()).await?;
    wait::gone(&claims, &claim).await
}

#[tokio::test]
async fn a_volume_is_deleted_with_its_claim() -> Result<()> {
    let lab = Lab::connect().await?;
    let namespace = Namespace::create(&lab, "reclaim-delete").await?;
    pod_with_volume(&namespace, "short", SIZED).await?;
    let volume = volume_of(&namespace, "short").await?;
    delete(&namespace, "short").await?;
    wait::gone(&volumes_of(&namespace), &volume).await
}

#[tokio::test]
async fn a_retained_volume_stays() -> Result<()> {
    let lab = Lab::connect().await?;
    let namespace = Namespace::create(&lab, "reclaim-retain").await?;
    pod_with_volume(&namespace, "long", SIZED_RETAIN).await?;
    let volume = volume_of(&namespace, "long").await?;
    delete(&namespace, "long").await?;
    let released = wait::object(&volumes_of(&namespace), &volume.name_any(), "to be released", |volume| {
        volume.status.as_ref().and_then(|status| status.phase.as_deref()) == Some("Released")
    })
    .await?;
    assert_eq!(released.uid(), volume.uid());

    // How an administrator deletes it: the provisioner does the rest.
    let discard = Patch::Merge(json!({ "spec": { "persistentVolumeReclaimPolicy": "Delete" } }));
    volumes_of(&namespace).patch(&volume.name_any(), &PatchParams::default(), &discard).await?;
    wait::gone(&volumes_of(&namespace), &volume).await
}
