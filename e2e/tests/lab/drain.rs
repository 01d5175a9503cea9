//! The pods of a drained node are moved to other nodes, and it gets no pods until it is uncordoned.

use anyhow::Result;
use e2e::lab::{Lab, node_is_cordoned};
use e2e::namespace::Namespace;
use e2e::pods::{self, IDLE};
use e2e::wait::holds;
use e2e::workloads;
use k8s_openapi::api::core::v1::{Pod, PodSpec};
use kube::api::ListParams;

/// Waits until two pods of the Deployment are ready, all of them on `node`, or none.
async fn two_pods(namespace: &Namespace, node: &str, on_node: bool) -> Result<()> {
    let place = if on_node { "on" } else { "on another node than" };
    namespace
        .until(&format!("two ready pods {place} {node}"), async || {
            let found = namespace.pods().list(&ListParams::default().labels("app=web")).await?;
            let settled = |pod: &Pod| pods::is_ready(pod) && (pods::node(pod) == Some(node)) == on_node;
            let seen: Vec<_> = found.iter().map(|pod| (pods::node(pod), pods::is_ready(pod))).collect();
            Ok(holds(found.items.len() == 2 && found.iter().all(settled), format!("{seen:?}")))
        })
        .await
}

#[tokio::test]
async fn pods_leave_a_drained_node_and_may_return() -> Result<()> {
    let lab = Lab::connect().await?;
    let namespace = Namespace::create(&lab, "drain").await?;
    let node = lab.node("b");
    let spec = PodSpec { affinity: Some(workloads::prefers(&node)), ..pods::spec(pods::shell(IDLE)) };
    namespace.add(&workloads::deployment("web", 2, spec)).await?;
    two_pods(&namespace, &node, true).await?;

    let drained = lab.drain_node("b")?;
    two_pods(&namespace, &node, false).await?;
    assert!(node_is_cordoned(&lab.nodes().get(&node).await?));

    drop(drained);
    assert!(!node_is_cordoned(&lab.nodes().get(&node).await?));
    namespace.pods().delete_collection(&kube::api::DeleteParams::default(), &ListParams::default()).await?;
    two_pods(&namespace, &node, true).await
}
