//! A kind of which an operator needs only some objects, known by their labels.

use k8s_openapi::api::core::v1::{Pod, ServiceAccount};
use kernel::declare::{Declaration, Kind, Watched};

use super::*;

const POD: Kind = Kind::of::<Pod>();

/// Listens to the pods of its team.
static TEAM: Declaration = Declaration {
    name: "team",
    watched: &[Watched { selector: Some("team=a"), ..listens(POD, false) }],
    ..READER
};

fn pod(name: &str, labels: &Value) -> Value {
    json!({
        "metadata": {"name": name, "labels": labels},
        "spec": {"containers": [{"name": "a", "image": "a"}], "automountServiceAccountToken": false},
    })
}

#[tokio::test]
async fn a_pod_without_the_labels_reaches_no_store_and_no_subscriber() -> Result<()> {
    let plane = ControlPlane::start().await?;
    let client = plane.client().await?;
    make_in::<ServiceAccount>(&client, "default", named("default")).await?;
    make(&client, "default", POD, &pod("before", &json!({"team": "b"}))).await?;
    let mut process = Process::start(&client, Namespaces::AllBut(Vec::new()), &[&TEAM]);
    process.stands(POD, Progress::Complete, false).await?;
    make(&client, "default", POD, &pod("without", &json!({}))).await?;
    make(&client, "default", POD, &pod("ours", &json!({"team": "a"}))).await?;
    process.passes(&format!("team {LISTENER}/ours"), 1).await?;
    let known: Vec<String> = process.stores.all(POD).iter().map(|pod| pod.key().to_string()).collect();
    assert_eq!(known, ["default/ours"]);
    assert!(process.stores.is_known(POD, "default"), "absence means absence");
    assert_eq!(process.end().await, [format!("team {LISTENER}/ours")]);
    Ok(())
}
