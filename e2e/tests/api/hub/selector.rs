//! A kind of which an operator watches only the objects with some labels.

use k8s_openapi::api::core::v1::{Pod, ServiceAccount};
use kernel::declare::{Declaration, Kind, Watched};

use super::*;

const POD: Kind = Kind::of::<Pod>();

/// Watches the pods of its team.
static TEAM: Declaration = Declaration {
    name: "team",
    watched: &[Watched { selector: Some("team=a"), ..watches(POD, false) }],
    ..READER
};

fn pod(name: &str, labels: &Value) -> Value {
    json!({
        "metadata": {"name": name, "labels": labels},
        "spec": {"containers": [{"name": "a", "image": "a"}], "automountServiceAccountToken": false},
    })
}

#[tokio::test]
async fn a_pod_without_the_labels_is_neither_cached_nor_reconciled() -> Result<()> {
    let plane = ControlPlane::start().await?;
    let client = plane.client().await?;
    create_in::<ServiceAccount>(&client, "default", named("default")).await?;
    create(&client, "default", POD, &pod("before", &json!({"team": "b"}))).await?;
    let mut process = Process::start(&client, Namespaces::AllBut(Vec::new()), &[&TEAM]);
    process.watch_is(POD, Progress::Complete, false).await?;
    create(&client, "default", POD, &pod("without", &json!({}))).await?;
    create(&client, "default", POD, &pod("ours", &json!({"team": "a"}))).await?;
    process.passes(&format!("team {LISTENER}/ours"), 1).await?;
    let known: Vec<String> = process.stores.all(POD).iter().map(|pod| pod.key().to_string()).collect();
    assert_eq!(known, ["default/ours"]);
    assert!(process.stores.is_known(POD, "default"), "a pod that is not cached is not there");
    assert_eq!(process.end().await, [format!("team {LISTENER}/ours")]);
    Ok(())
}
