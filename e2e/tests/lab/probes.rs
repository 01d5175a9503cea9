//! Probes: a pod that is not ready gets no traffic, and a container that is not alive is restarted.

use anyhow::Result;
use e2e::lab::Lab;
use e2e::namespace::Namespace;
use e2e::pods::{self, IDLE};
use e2e::wait::{self, holds};
use e2e::workloads::{self, Address};
use k8s_openapi::api::discovery::v1::EndpointSlice;
use kube::ResourceExt;
use kube::api::ListParams;

/// Waits until the only endpoint of the Service is ready, or is not.
async fn endpoint_is(namespace: &Namespace, ready: bool) -> Result<()> {
    let of_service = ListParams::default().labels("kubernetes.io/service-name=web");
    namespace
        .until(&format!("one endpoint with ready {ready}"), async || {
            let slices = namespace.api::<EndpointSlice>().list(&of_service).await?;
            let seen: Vec<Option<bool>> = slices
                .iter()
                .flat_map(|slice| slice.endpoints.iter().flatten())
                .map(|endpoint| endpoint.conditions.as_ref().and_then(|conditions| conditions.ready))
                .collect();
            Ok(holds(seen == [Some(ready)], format!("{seen:?}")))
        })
        .await
}

#[tokio::test]
async fn a_pod_gets_traffic_only_while_it_is_ready() -> Result<()> {
    let lab = Lab::connect().await?;
    let namespace = Namespace::create(&lab, "readiness").await?;
    namespace.add(&workloads::service("web", "web", Address::Shared)).await?;
    let mut container = pods::shell(IDLE);
    container.readiness_probe = Some(pods::probe("test -e /tmp/ready"));
    namespace.add(&pods::pod("web", pods::spec(container))).await?;
    let running = wait::object(&namespace.pods(), "web", "to run and not be ready", |pod| {
        pods::main_status(pod).and_then(|main| main.started) == Some(true)
            && pods::condition(pod, "Ready") == Some("False")
    })
    .await?;
    endpoint_is(&namespace, false).await?;

    namespace.sh("web", "touch /tmp/ready").await?;
    namespace.ready("web").await?;
    endpoint_is(&namespace, true).await?;

    namespace.sh("web", "rm /tmp/ready").await?;
    endpoint_is(&namespace, false).await?;
    let after = namespace.pods().get("web").await?;
    assert_eq!(after.uid(), running.uid());
    assert_eq!(
        pods::main_status(&after).map(|main| main.restart_count),
        Some(0),
        "readiness restarts nothing"
    );
    Ok(())
}

#[tokio::test]
async fn a_failed_liveness_probe_restarts_the_container() -> Result<()> {
    let lab = Lab::connect().await?;
    let namespace = Namespace::create(&lab, "liveness").await?;
    let mut container = pods::shell(&format!("touch /tmp/alive; {IDLE}"));
    container.startup_probe = Some(k8s_openapi::api::core::v1::Probe {
        failure_threshold: Some(60),
        ..pods::probe("test -e /tmp/alive")
    });
    container.liveness_probe = Some(pods::probe("test -e /tmp/alive"));
    let before = namespace.add_ready(&pods::pod("fragile", pods::spec(container))).await?;
    assert_eq!(pods::main_status(&before).map(|main| main.restart_count), Some(0));

    namespace.sh("fragile", "rm /tmp/alive").await?;
    let after = wait::object(&namespace.pods(), "fragile", "a restarted container that is ready", |pod| {
        pods::main_status(pod).is_some_and(|main| main.restart_count > 0) && pods::is_ready(pod)
    })
    .await?;
    assert_eq!(after.uid(), before.uid(), "the pod is the same");
    let container = |pod| pods::main_status(pod).and_then(|main| main.container_id.clone());
    assert_ne!(container(&after), container(&before), "the container is another one");
    Ok(())
}
