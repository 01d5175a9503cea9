//! The operator is killed, scaled to zero and deleted while an application serves: clients do not notice, and when the
//! operator runs again, it writes nothing.

use std::time::Duration;

use anyhow::Result;
use e2e::audit;
use e2e::lab::Lab;
use e2e::load::LoadGenerator;
use e2e::namespace::Namespace;
use e2e::operator::{self, ManagedApp, NAME, NAMESPACE};
use e2e::wait::{self, holds};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::Pod;
use kube::Api;
use kube::api::{DeleteParams, ListParams};
use serde_json::json;

/// How long a request may take on a busy machine. A client that needed the operator would wait longer: the operator does not
/// run until the client has written more.
const PATIENCE: Duration = Duration::from_secs(15);

#[tokio::test]
async fn an_application_serves_without_its_operator() -> Result<()> {
    let lab = Lab::connect().await?;
    operator::install(&lab).await?;
    let namespace = Namespace::create(&lab, "absent").await?;
    let app = ManagedApp::create(&namespace, "app", json!({"appVersion": "0.0.2", "replicas": 2})).await?;
    app.settled().await?;
    let (before, load) = (app.identities().await?, LoadGenerator::start(&app.client().await?));
    let mark = audit::mark(&lab)?;

    let pods: Api<Pod> = Api::namespaced(lab.client(), NAMESPACE);
    let now = DeleteParams { grace_period_seconds: Some(0), ..DeleteParams::default() };
    pods.delete_collection(&now, &ListParams::default()).await?;
    operator::available(&lab).await?;
    operator::scale(&lab, 0).await?;
    let deployments: Api<Deployment> = Api::namespaced(lab.client(), NAMESPACE);
    let deployment = deployments.get(NAME).await?;
    deployments.delete(NAME, &DeleteParams::default()).await?;
    wait::gone(&deployments, &deployment).await?;
    let confirmed = load.confirmed();
    namespace
        .until("the client to write more", async || {
            let now = load.confirmed();
            Ok(holds(now > confirmed + 100, now.to_string()))
        })
        .await?;

    operator::install(&lab).await?;
    // When another application is ready, the operator works again and has reconciled this one too.
    let other = ManagedApp::create(&namespace, "other", json!({"appVersion": "0.0.1"})).await?;
    other.settled().await?;
    let writes = audit::writes_since(&lab, mark)?;
    let ours: Vec<_> = writes.iter().filter(|write| write.namespace == namespace.name()).collect();
    let about_app: Vec<_> =
        ours.iter().filter(|write| write.name == "app" || write.name.starts_with("app-")).collect();
    assert!(about_app.is_empty(), "{about_app:?}");
    assert!(!ours.is_empty(), "the log contains the writes for the other application");
    assert_eq!(app.identities().await?, before);
    let report = load.finish().await?;
    println!("without an operator: {}", report.summary);
    let longest = report.longest_without_write.max(report.longest_without_read);
    assert!(longest < PATIENCE, "a client waited for the operator");
    Ok(())
}
