//! Installation: all objects of an application are created, it serves, and features change without a restart.

use anyhow::Result;
use e2e::lab::Lab;
use e2e::load::AppClient;
use e2e::namespace::Namespace;
use e2e::operator::{self, ManagedApp, condition};
use e2e::wait::holds;
use hyper::{Method, StatusCode};
use lab::clock::{Span, Stopwatch};
use serde_json::json;

#[tokio::test]
async fn an_application_is_installed_and_serves() -> Result<()> {
    let lab = Lab::connect().await?;
    operator::install(&lab).await?;
    let namespace = Namespace::create(&lab, "install").await?;
    let watch = Stopwatch::start();
    let spec =
        json!({"appVersion": "0.0.1", "replicas": 3, "backup": {"enabled": true, "storageType": "s3"}});
    let app = ManagedApp::create(&namespace, "app", spec).await?;
    let status = app.settled().await?;
    println!("three instances were ready after {}", Span(watch.elapsed()));
    assert_eq!(status.current_version.as_deref(), Some("0.0.1"));
    assert_eq!(status.auth_secret_name.as_deref(), Some("app-auth"));
    assert_eq!(status.url, Some(format!("http://app.{}.svc/", namespace.name())));
    assert_eq!((status.replicas, status.ready_replicas), (Some(3), Some(3)));
    let backups = condition(&status, "BackedUp").expect("a condition about backups");
    assert_eq!((backups.status.as_str(), backups.reason.as_str()), ("False", "NotTaken"));

    let client = app.client().await?;
    written(&namespace, &client, "greeting", "hello").await?;
    let (status, body) = client.request(Method::GET, "/v1/items/greeting?at-least=1", "").await?;
    assert_eq!((status, body.as_str()), (StatusCode::OK, "hello"));
    Ok(())
}

#[tokio::test]
async fn features_change_in_seconds_without_a_restart() -> Result<()> {
    let lab = Lab::connect().await?;
    operator::install(&lab).await?;
    let namespace = Namespace::create(&lab, "features").await?;
    let app = ManagedApp::create(
        &namespace,
        "app",
        json!({"appVersion": "0.0.1", "features": {"exampleFeature2": false}}),
    )
    .await?;
    app.settled().await?;
    let (client, before) = (app.client().await?, app.identities().await?);
    written(&namespace, &client, "word", "quiet").await?;

    let watch = Stopwatch::start();
    app.change(json!({"features": {"exampleFeature2": true}})).await?;
    namespace
        .until("the feature to be on", async || {
            let (_, body) = client.request(Method::GET, "/v1/items/word", "").await?;
            Ok(holds(body == "QUIET", body))
        })
        .await?;
    println!("the feature was on after {}", Span(watch.elapsed()));
    assert_eq!(app.identities().await?, before, "no instance was restarted");
    Ok(())
}

/// Writes one item. A Service works when the node has received its endpoints, a moment after they are ready.
async fn written(namespace: &Namespace, client: &AppClient, key: &str, value: &str) -> Result<()> {
    namespace
        .until("a write to be confirmed", async || {
            let (status, body) = client.request(Method::PUT, &format!("/v1/items/{key}"), value).await?;
            Ok(holds(status.is_success(), format!("{status}: {body}")))
        })
        .await
}
