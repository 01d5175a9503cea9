//! Deleting an application deletes all its objects. Its volumes are kept unless the user wants them to be deleted.

use anyhow::Result;
use api_example::ExampleApp;
use e2e::lab::Lab;
use e2e::namespace::Namespace;
use e2e::operator::{self, ManagedApp};
use e2e::wait::{self, holds};
use k8s_openapi::api::core::v1::PersistentVolumeClaim;
use kube::api::{DeleteParams, ListParams};
use serde_json::json;

async fn uninstall(title: &str, volumes: &str, left: usize) -> Result<()> {
    let lab = Lab::connect().await?;
    operator::install(&lab).await?;
    let namespace = Namespace::create(&lab, title).await?;
    let spec = json!({"appVersion": "0.0.1", "replicas": 2, "deletion": {"volumes": volumes}});
    let app = ManagedApp::create(&namespace, "app", spec).await?;
    app.settled().await?;
    let old = app.get().await?;
    app.api().delete("app", &DeleteParams::default()).await?;
    wait::gone::<ExampleApp>(&app.api(), &old).await?;
    assert_eq!(app.pods().await?.len(), 0, "the resource is deleted after its instances");
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
async fn all_objects_are_deleted_and_volumes_are_kept() -> Result<()> {
    uninstall("uninstall", "Keep", 2).await
}

#[tokio::test]
async fn volumes_are_deleted_if_the_user_wants_it() -> Result<()> {
    uninstall("uninstall-volumes", "Delete", 0).await
}
