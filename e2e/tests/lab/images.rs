//! Images come from the registry of the lab, under their official names.

use anyhow::Result;
use e2e::lab::Lab;
use e2e::namespace::Namespace;
use e2e::pods::{self, IDLE};
use e2e::{wait, workloads};
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::Container;
use kube::ResourceExt;
use kube::api::ListParams;
use lab::clock::{Span, Stopwatch};

#[tokio::test]
async fn an_unknown_image_fails_fast() -> Result<()> {
    let lab = Lab::connect().await?;
    let namespace = Namespace::create(&lab, "unknown-image").await?;
    let container =
        Container { image: Some("quay.io/mainstay/no-such-image:v1".into()), ..pods::shell(IDLE) };
    let watch = Stopwatch::start();
    namespace.add(&pods::pod("web", pods::spec(container))).await?;
    let failed = wait::object(&namespace.pods(), "web", "a failed pull", |pod| {
        let waiting =
            pods::main_status(pod).and_then(|main| main.state.as_ref()?.waiting.as_ref()?.reason.as_deref());
        matches!(waiting, Some("ErrImagePull" | "ImagePullBackOff"))
    })
    .await?;
    println!("an unknown image failed after {}", Span(watch.elapsed()));
    let waiting = pods::main_status(&failed).and_then(|main| main.state.clone()?.waiting).unwrap_or_default();
    assert!(waiting.message.as_deref().unwrap_or_default().contains("not found"), "{waiting:?}");
    Ok(())
}

#[tokio::test]
async fn the_pull_policy_always_works() -> Result<()> {
    let lab = Lab::connect().await?;
    let namespace = Namespace::create(&lab, "pull-always").await?;
    for name in ["first", "second"] {
        let container = Container { image_pull_policy: Some("Always".into()), ..pods::shell(IDLE) };
        let pod = pods::pod(name, pods::on_node(pods::spec(container), &lab.node("a")));
        let ready = namespace.add_ready(&pod).await?;
        let image = pods::main_status(&ready).map(|main| main.image_id.clone()).unwrap_or_default();
        assert!(image.contains("@sha256:"), "{image}");
    }
    Ok(())
}

#[tokio::test]
async fn our_own_image_runs() -> Result<()> {
    let lab = Lab::connect().await?;
    let namespace = Namespace::create(&lab, "own-image").await?;
    let container =
        Container { args: Some(pods::words(&["--version"])), ..pods::container("mainstay.dev/lab:dev") };
    namespace.add(&workloads::job("version", pods::spec(container))).await?;
    wait::object(&namespace.api::<Job>(), "version", "to complete", workloads::is_complete).await?;
    let created = namespace.pods().list(&ListParams::default().labels("job-name=version")).await?;
    let log = pods::logs(&namespace.pods(), &created.items[0].name_any()).await?;
    assert_eq!(log, concat!("lab ", env!("CARGO_PKG_VERSION"), "\n"));
    Ok(())
}
