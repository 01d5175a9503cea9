//! Deleting an application removes everything; its volumes stay unless the user says otherwise.

use anyhow::Result;
use api_example::ExampleApp;
use e2e::lab::Lab;
use e2e::namespace::Namespace;
use e2e::operator::{self, Care};
use e2e::wait::{self, holds};
use k8s_openapi::api::core::v1::PersistentVolumeClaim;
use kube::api::{DeleteParams, ListParams};
use serde_json::json;

async fn uninstall(title: &str, volumes: &str, left: usize) -> Result<()> {
    let lab = Lab::connect().await?;
    operator::install(&lab).await?;
    let namespace = Namespace::create(&lab, title).await?;
    let spec = json!({"appVersion": "0.0.1", "replicas": 2, "deletion": {"volumes": volumes}});
    let care = Care::create(&namespace, "app", spec).await?;
    care.settled().await?;
    let old = care.get().await?;
    care.api().delete("app", &DeleteParams::default()).await?;
    wait::gone::<ExampleApp>(&care.api(), &old).await?;
    assert_eq!(care.pods().await?.len(), 0, "the resource waits for its instances");
    let kinds = "statefulsets,services,secrets,configmaps,poddisruptionbudgets,jobs";
    namespace
        .until("nothing to be left", async || {
            let found = lab.kubectl(&["get", kinds, "-n", namespace.name(), "-o", "name"])?;
            let left: Vec<&str> = found.lines().filter(|name| !name.contains("kube-root-ca.crt")).collect();
            Ok(holds(left.is_empty(), left.join(", ")))
        })
        .await?;
    let claims = namespace.api::<PersistentVolumeClaim>();
    namespace
        .until(&format!("{left} volumes to be left"), async || {
            let count = claims.list(&ListParams::default()).await?.items.len();
            Ok(holds(count == left, count.to_string()))
        })
        .await
}

#[tokio::test]
async fn everything_goes_and_volumes_stay() -> Result<()> {
    uninstall("uninstall", "Keep", 2).await
}

#[tokio::test]
async fn volumes_go_too_if_the_user_says_so() -> Result<()> {
    uninstall("uninstall-volumes", "Delete", 0).await
}
