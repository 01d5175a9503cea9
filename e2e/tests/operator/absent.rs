//! The operator is killed, scaled to nothing and removed while an application serves: clients do not notice, and when it comes
//! back there is nothing to do.

use std::time::Duration;

use anyhow::Result;
use e2e::audit;
use e2e::lab::Lab;
use e2e::namespace::Namespace;
use e2e::operator::{self, Care, HOME, NAME};
use e2e::wait::{self, holds};
use e2e::writer::Writer;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::Pod;
use kube::Api;
use kube::api::{DeleteParams, ListParams};
use serde_json::json;

/// How long a request may take on a busy machine. A client that needs the operator to be served
/// waits for longer: it is away until the client has written on.
const PATIENCE: Duration = Duration::from_secs(15);

#[tokio::test]
async fn an_application_serves_without_its_operator() -> Result<()> {
    let lab = Lab::connect().await?;
    operator::install(&lab).await?;
    let namespace = Namespace::create(&lab, "absent").await?;
    let care = Care::create(&namespace, "app", json!({"appVersion": "0.0.2", "replicas": 2})).await?;
    care.settled().await?;
    let (before, writer) = (care.lives().await?, Writer::start(&care.client().await?));
    let mark = audit::mark(&lab)?;

    let pods: Api<Pod> = Api::namespaced(lab.client(), HOME);
    let now = DeleteParams { grace_period_seconds: Some(0), ..DeleteParams::default() };
    pods.delete_collection(&now, &ListParams::default()).await?;
    operator::available(&lab).await?;
    operator::scale(&lab, 0).await?;
    let deployments: Api<Deployment> = Api::namespaced(lab.client(), HOME);
    let deployment = deployments.get(NAME).await?;
    deployments.delete(NAME, &DeleteParams::default()).await?;
    wait::gone(&deployments, &deployment).await?;
    let confirmed = writer.confirmed();
    namespace
        .until("the client to go on writing", async || {
            let now = writer.confirmed();
            Ok(holds(now > confirmed + 100, now.to_string()))
        })
        .await?;

    operator::install(&lab).await?;
    // A change of another application shows that the operator is at work again, and by then it has looked at this one.
    let other = Care::create(&namespace, "other", json!({"appVersion": "0.0.1"})).await?;
    other.settled().await?;
    let writes = audit::writes_since(&lab, mark)?;
    let ours: Vec<_> = writes.iter().filter(|write| write.namespace == namespace.name()).collect();
    let about_app: Vec<_> =
        ours.iter().filter(|write| write.name == "app" || write.name.starts_with("app-")).collect();
    assert!(about_app.is_empty(), "{about_app:?}");
    assert!(!ours.is_empty(), "the log holds what was written for the other");
    assert_eq!(care.lives().await?, before);
    let findings = writer.finish().await?;
    println!("without an operator: {}", findings.words);
    let longest = findings.longest_without_write.max(findings.longest_without_read);
    assert!(longest < PATIENCE, "no client waited for the operator");
    Ok(())
}
