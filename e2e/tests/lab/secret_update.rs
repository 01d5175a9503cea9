//! A change of a Secret reaches the pods that mount it.

use anyhow::Result;
use e2e::lab::Lab;
use e2e::namespace::Namespace;
use e2e::pods::{self, IDLE};
use e2e::volumes::from_secret;
use e2e::wait::holds;
use k8s_openapi::api::core::v1::{Pod, Secret};
use kube::api::{ObjectMeta, Patch, PatchParams};
use lab::clock::{Span, Stopwatch};
use serde_json::json;

async fn time_until_mounted(namespace: &Namespace, content: &str) -> Result<Span> {
    let watch = Stopwatch::start();
    namespace
        .until(&format!("`{content}` in the mounted Secret"), async || {
            let seen = namespace.sh("reader", "cat /secret/word").await?;
            Ok(holds(seen == content, seen))
        })
        .await?;
    Ok(Span(watch.elapsed()))
}

async fn change(namespace: &Namespace, content: &str) -> Result<()> {
    let patch = Patch::Merge(json!({ "stringData": { "word": content } }));
    namespace.api::<Secret>().patch("words", &PatchParams::default(), &patch).await?;
    Ok(())
}

#[tokio::test]
async fn new_content_reaches_the_running_pod() -> Result<()> {
    let lab = Lab::connect().await?;
    let namespace = Namespace::create(&lab, "secret-update").await?;
    namespace
        .add(&Secret {
            metadata: ObjectMeta { name: Some("words".into()), ..ObjectMeta::default() },
            string_data: Some(pods::labels(&[("word", "first")])),
            ..Secret::default()
        })
        .await?;
    let spec = pods::with_volume(pods::spec(pods::shell(IDLE)), "/secret", from_secret("words"));
    let before = namespace.add_ready(&pods::pod("reader", spec)).await?;
    time_until_mounted(&namespace, "first").await?;

    change(&namespace, "second").await?;
    println!("a changed Secret was mounted after {}", time_until_mounted(&namespace, "second").await?);

    change(&namespace, "third").await?;
    let annotate = Patch::Merge(json!({ "metadata": { "annotations": { "mainstay.dev/touched": "1" } } }));
    namespace.pods().patch("reader", &PatchParams::default(), &annotate).await?;
    println!("with an annotation of the pod, after {}", time_until_mounted(&namespace, "third").await?);

    let after: Pod = namespace.pods().get("reader").await?;
    assert_eq!(after.metadata.uid, before.metadata.uid);
    assert_eq!(pods::main_status(&after).map(|main| main.restart_count), Some(0));
    Ok(())
}
