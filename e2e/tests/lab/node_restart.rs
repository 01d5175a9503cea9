//! Pods keep running while the kubelet and containerd of their node are stopped and started again.

use anyhow::{Context, Result};
use e2e::lab::{Lab, Pods, node_is_ready};
use e2e::namespace::Namespace;
use e2e::pods::{self, IDLE};
use e2e::volumes::{self, SIZED, claim};
use e2e::wait;
use e2e::workloads::PORT;
use e2e::{http, wait::holds};
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::Pod;
use kube::Api;

/// What must not change: the UID, the container ID, its start time and the number of restarts.
fn identity(pod: &Pod) -> Result<impl PartialEq + std::fmt::Debug + use<>> {
    let main = pods::main_status(pod).context("the pod has no container")?;
    let running =
        main.state.as_ref().and_then(|state| state.running.as_ref()).context("its container does not run")?;
    let started = running.started_at.as_ref().map(|time| time.0);
    Ok((pod.metadata.uid.clone(), main.container_id.clone(), started, main.restart_count))
}

#[tokio::test]
async fn pods_and_volumes_survive_a_restart_of_their_kubelet() -> Result<()> {
    let lab = Lab::connect().await?;
    let namespace = Namespace::create(&lab, "node-restart").await?;
    namespace.add(&claim("web", SIZED, "64Mi")).await?;
    let script = format!("echo kept >/data/index.html; httpd -p {PORT} -h /data; {IDLE}");
    let mut container = pods::shell(&script);
    container.readiness_probe = Some(pods::probe("test -s /data/index.html"));
    let spec = pods::with_volume(pods::spec(container), "/data", volumes::from_claim("web"));
    let node = lab.node("b");
    let before = namespace.add_ready(&pods::pod("web", pods::on_node(spec, &node))).await?;
    // When the first process of the container started, according to the kernel.
    let start_time = "cut -d' ' -f22 /proc/1/stat";
    let started = namespace.sh("web", start_time).await?;

    let stopped = lab.stop_node("b", Pods::Keep)?;
    let leases: Api<Lease> = Api::namespaced(lab.client(), "kube-node-lease");
    let renewed = |lease: &Lease| lease.spec.as_ref().and_then(|spec| spec.renew_time.clone());
    let last = renewed(&leases.get(&node).await?);
    assert!(namespace.sh("web", "true").await.is_err(), "no kubelet, no exec");
    let page = http::get(pods::address(&before)?, PORT, "/").await?;
    assert_eq!((page.code, page.body.as_str()), (200, "kept\n"), "the container still serves");

    stopped.start()?;
    wait::object(&leases, &node, "to be renewed by the new kubelet", |lease| renewed(lease) > last).await?;
    wait::object(&lab.nodes(), &node, "to be ready", node_is_ready).await?;
    namespace
        .until("the new kubelet to reach the container", async || {
            let now = namespace.sh("web", start_time).await?;
            Ok(holds(now == started, now))
        })
        .await?;
    namespace.sh("web", "echo written after >>/data/index.html && sync").await?;
    let after = namespace.ready("web").await?;
    assert_eq!(identity(&after)?, identity(&before)?);
    Ok(())
}
