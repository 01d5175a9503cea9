//! A stand-in for scheduler, kubelet and volume provisioner. No pod really runs. The tag of its image decides the status of a
//! pod, so that a scenario controls it by the version that it requests:
//!
//! | tag contains | an instance | a Job |
//! |---|---|---|
//! | `never-ready` | runs and never becomes ready | succeeds |
//! | `crash-loop` | is in a crash loop | succeeds |
//! | `migration-fails` | becomes ready | fails with a message, unless it migrates back |
//! | anything else | becomes ready | succeeds |
//!
//! `pod` and `claim` decide and are pure; this file executes. `instance` and `reloader` implement the HTTP APIs of instances
//! and of their reloaders. The controllers that create pods and bind claims are those of Kubernetes.

#![expect(clippy::disallowed_methods, reason = "tests play the users and controllers of a cluster")]

mod claim;
mod instance;
mod pod;
mod reloader;

use std::net::IpAddr;
use std::time::Duration;

use anyhow::{Context, Result};
use futures::StreamExt;
use k8s_openapi::api::core::v1::{Node, PersistentVolume, PersistentVolumeClaim, Pod};
use k8s_openapi::api::storage::v1::StorageClass;
use kube::api::{DeleteParams, Patch, PatchParams, PostParams, Preconditions};
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, Client};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::task::JoinSet;

pub use instance::{CallFault, Instances};

/// The name of the node, of the storage class and of the field manager.
pub(crate) const NAME: &str = "stand-in";

/// How many objects are handled at the same time.
const CONCURRENCY: usize = 8;

/// How often the status of the node is updated.
const HEARTBEAT: Duration = Duration::from_secs(5);

/// Creates the node and the storage class, and handles pods and claims until its tasks are dropped.
pub async fn start(client: &Client, tasks: &mut JoinSet<()>) -> Result<Instances> {
    let (instances, serving) = Instances::listen().await?;
    tasks.spawn(serving);
    let (reloaders, serving) = reloader::listen().await?;
    tasks.spawn(serving);
    create(&Api::<StorageClass>::all(client.clone()), claim::class()).await?;
    let nodes: Api<Node> = Api::all(client.clone());
    create(&nodes, json!({"metadata": {"name": NAME}})).await?;
    update_node(&nodes).await?;
    tasks.spawn(heartbeat(nodes));
    tasks.spawn(follow(Api::all(client.clone()), {
        let (client, instances) = (client.clone(), instances.clone());
        move |event| handle_pod(client.clone(), instances.clone(), reloaders, event)
    }));
    tasks.spawn(follow(Api::all(client.clone()), {
        let client = client.clone();
        move |event| handle_claim(client.clone(), event)
    }));
    Ok(instances)
}

async fn create<K>(api: &Api<K>, object: Value) -> Result<()>
where
    K: kube::Resource<DynamicType = ()> + Clone + Serialize + DeserializeOwned + std::fmt::Debug,
{
    let object = serde_json::from_value(object).context("an object of the stand-in")?;
    api.create(&PostParams::default(), &object).await?;
    Ok(())
}

async fn update_node(nodes: &Api<Node>) -> Result<()> {
    let now = kernel::clock::timestamp().to_string();
    let ready = json!({"type": "Ready", "status": "True", "reason": "StandIn", "lastHeartbeatTime": now});
    let status = json!({"status": {"conditions": [ready]}});
    nodes.patch_status(NAME, &PatchParams::default(), &Patch::Merge(&status)).await?;
    Ok(())
}

/// Keeps the node ready. Otherwise Kubernetes would evict its pods after a while.
async fn heartbeat(nodes: Api<Node>) {
    let mut ticks = tokio::time::interval(HEARTBEAT);
    loop {
        ticks.tick().await;
        // An update that fails is followed by the next one.
        let _ = update_node(&nodes).await;
    }
}

async fn follow<K, F, Fut>(api: Api<K>, handle: F)
where
    K: kube::Resource<DynamicType = ()> + Clone + DeserializeOwned + std::fmt::Debug + Send + 'static,
    F: Fn(watcher::Event<K>) -> Fut,
    Fut: Future<Output = Result<()>>,
{
    let events = watcher(api, watcher::Config::default()).default_backoff();
    let handled =
        events.filter_map(|event| async { event.ok() }).for_each_concurrent(CONCURRENCY, |event| async {
            // An error shows as a plan that does not complete. The next event is another attempt.
            let _ = handle(event).await;
        });
    handled.await;
}

async fn handle_pod(
    client: Client,
    instances: Instances,
    reloaders: IpAddr,
    event: watcher::Event<Pod>,
) -> Result<()> {
    let pod = match event {
        watcher::Event::Apply(pod) | watcher::Event::InitApply(pod) => serde_json::to_value(pod)?,
        watcher::Event::Delete(pod) => {
            instances.pod_deleted(&serde_json::to_value(pod)?);
            return Ok(());
        }
        watcher::Event::Init | watcher::Event::InitDone => return Ok(()),
    };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (namespace, name) = (text(&pod["metadata"]["namespace"]), text(&pod["metadata"]["name"]));
    let api: Api<Pod> = Api::namespaced(client.clone(), &namespace);
    match pod::decide(&pod, reloaders) {
        None => {}
        Some(pod::PodAction::Bind) => {
            let binding = json!({
                "apiVersion": "v1", "kind": "Binding",
                "metadata": {"name": name, "namespace": namespace, "uid": pod["metadata"]["uid"]},
                "target": {"apiVersion": "v1", "kind": "Node", "name": NAME},
            });
            let path = format!("/api/v1/namespaces/{namespace}/pods/{name}/binding");
            let request = axum::http::Request::post(path).body(serde_json::to_vec(&binding)?)?;
            let _: Value = client.request(request).await?;
        }
        Some(pod::PodAction::SetStatus(status)) => {
            let uid = &pod["metadata"]["uid"];
            let patch = json!({"metadata": {"uid": uid}, "status": status});
            instances.pod_started(&pod, &status);
            api.patch_status(&name, &PatchParams::default(), &Patch::Merge(&patch)).await?;
        }
        Some(pod::PodAction::Remove) => {
            let parameters = DeleteParams {
                preconditions: Some(Preconditions {
                    uid: Some(text(&pod["metadata"]["uid"])),
                    resource_version: None,
                }),
                ..DeleteParams::default().grace_period(0)
            };
            api.delete(&name, &parameters).await?;
        }
    }
    Ok(())
}

async fn handle_claim(client: Client, event: watcher::Event<PersistentVolumeClaim>) -> Result<()> {
    let volumes: Api<PersistentVolume> = Api::all(client.clone());
    let claim = match event {
        watcher::Event::Apply(claim) | watcher::Event::InitApply(claim) => serde_json::to_value(claim)?,
        watcher::Event::Delete(claim) => {
            let name = claim::volume_name(&serde_json::to_value(claim)?);
            volumes.delete(&name, &DeleteParams::default()).await?;
            return Ok(());
        }
        watcher::Event::Init | watcher::Event::InitDone => return Ok(()),
    };
    match claim::decide(&claim) {
        None => {}
        Some(claim::ClaimAction::Provision(volume)) => {
            create(&volumes, volume).await?;
        }
        Some(claim::ClaimAction::Grow(size)) => {
            let parameters = PatchParams::default();
            let capacity = json!({"capacity": {"storage": size}});
            let volume = Patch::Merge(json!({"spec": capacity}));
            volumes.patch(&claim::volume_name(&claim), &parameters, &volume).await?;
            let text = |field: &str| claim["metadata"][field].as_str().unwrap_or_default();
            let claims: Api<PersistentVolumeClaim> = Api::namespaced(client, text("namespace"));
            let status = Patch::Merge(json!({"status": capacity}));
            claims.patch_status(text("name"), &parameters, &status).await?;
        }
    }
    Ok(())
}
