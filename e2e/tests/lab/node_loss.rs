//! A node is lost: pods that can run on another node move, pods with a volume on its disk wait for it.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use e2e::lab::{Lab, Pods};
use e2e::namespace::Namespace;
use e2e::pods::{self, IDLE};
use e2e::volumes::{SIZED, claim};
use e2e::wait::{self, Look};
use e2e::{describe, workloads};
use k8s_openapi::api::core::v1::{Pod, PodSpec};
use kube::ResourceExt;
use kube::api::{DeleteParams, ListParams};

use crate::statefulset::writes_its_name;

/// Creates three pods with a volume each, no two on one node. Returns the one on `node`.
async fn with_volumes(namespace: &Namespace, node: &str) -> Result<Pod> {
    let spec = PodSpec {
        affinity: Some(workloads::apart("volumes")),
        tolerations: Some(workloads::evicted_early()),
        ..writes_its_name()
    };
    namespace.add(&workloads::stateful_set("volumes", 3, spec, vec![claim("data", SIZED, "64Mi")])).await?;
    let mut members = Vec::new();
    for name in ["volumes-0", "volumes-1", "volumes-2"] {
        members.push(namespace.ready(name).await?);
    }
    let nodes: BTreeSet<Option<&str>> = members.iter().map(pods::node).collect();
    assert_eq!(nodes.len(), 3, "no two pods on one node: {nodes:?}");
    members.into_iter().find(|pod| pods::node(pod) == Some(node)).context("one pod on each node")
}

/// Waits until the Deployment's pod is ready on one of these nodes.
async fn deployed_on(namespace: &Namespace, nodes: &[String]) -> Result<Pod> {
    namespace
        .until(&format!("the pod of the Deployment to be ready on {}", nodes.join(" or ")), async || {
            let found = namespace.pods().list(&ListParams::default().labels("app=movable")).await?;
            let seen: Vec<String> = found
                .iter()
                .map(|pod| format!("{} on {:?}: {}", pod.name_any(), pods::node(pod), describe::status(pod)))
                .collect();
            let fits = |pod: &Pod| {
                pods::is_ready(pod) && pods::node(pod).is_some_and(|node| nodes.contains(&node.to_owned()))
            };
            Ok(found.into_iter().find(fits).map_or_else(|| Look::NotYet(seen.join(", ")), Look::Found))
        })
        .await
}

/// Deletes a pod that its lost node cannot terminate. Its replacement must wait for that node.
async fn waits_for_its_node(namespace: &Namespace, lost: &Pod) -> Result<Pod> {
    let name = lost.name_any();
    let terminating = wait::object(&namespace.pods(), &name, "to be terminating", |pod| {
        pod.metadata.deletion_timestamp.is_some() && pod.uid() == lost.uid()
    })
    .await?;
    assert_eq!(pods::node(&terminating), pods::node(lost));
    namespace.pods().delete(&name, &DeleteParams::default().grace_period(0)).await?;
    wait::object(&namespace.pods(), &name, "a new pod that cannot be scheduled", |pod| {
        pod.uid() != lost.uid() && pods::condition(pod, "PodScheduled") == Some("False")
    })
    .await
}

#[tokio::test]
async fn pods_move_or_wait_for_their_node() -> Result<()> {
    let lab = Lab::connect().await?;
    let namespace = Namespace::create(&lab, "node-loss").await?;
    let node = lab.node("c");
    let bound = with_volumes(&namespace, &node).await?;
    let name = bound.name_any();
    let written = namespace.sh(&name, "cat /data/id").await?;
    let spec = PodSpec {
        affinity: Some(workloads::prefers(&node)),
        tolerations: Some(workloads::evicted_early()),
        ..pods::spec(pods::shell(IDLE))
    };
    namespace.add(&workloads::deployment("movable", 1, spec)).await?;
    deployed_on(&namespace, std::slice::from_ref(&node)).await?;

    let stopped = lab.stop_node("c", Pods::End)?;
    deployed_on(&namespace, &[lab.node("a"), lab.node("b")]).await?;
    let waiting = waits_for_its_node(&namespace, &bound).await?;
    assert_eq!(pods::node(&waiting), None);

    stopped.start()?;
    let back = namespace.ready(&name).await?;
    assert_eq!(back.uid(), waiting.uid(), "the pod that waited runs now");
    assert_eq!(pods::node(&back), Some(node.as_str()));
    assert_eq!(namespace.sh(&name, "cat /data/id").await?, written);
    lab.nodes_ready(3).await
}
