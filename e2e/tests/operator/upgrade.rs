//! Upgrades under load: with a migration, and rolled back when something fails. No data is lost.

use anyhow::Result;
use e2e::lab::Lab;
use e2e::load::LoadGenerator;
use e2e::namespace::Namespace;
use e2e::operator::{self, ManagedApp, condition, is};
use e2e::wait::holds;
use serde_json::{Value, json};

/// An application with a running client.
async fn under_load(namespace: &Namespace, spec: Value) -> Result<(ManagedApp<'_>, LoadGenerator)> {
    let app = ManagedApp::create(namespace, "app", spec).await?;
    app.settled().await?;
    let load = LoadGenerator::start(&app.client().await?);
    namespace
        .until("the client to have written", async || {
            let confirmed = load.confirmed();
            Ok(holds(confirmed > 200, confirmed.to_string()))
        })
        .await?;
    Ok((app, load))
}

#[tokio::test]
async fn an_upgrade_migrates_the_data_and_loses_nothing() -> Result<()> {
    let lab = Lab::connect().await?;
    operator::install(&lab).await?;
    let namespace = Namespace::create(&lab, "upgrade").await?;
    let (app, load) = under_load(&namespace, json!({"appVersion": "0.0.1", "replicas": 2})).await?;
    for version in ["0.0.2", "0.1.0"] {
        app.change(json!({"appVersion": version})).await?;
        let status = app
            .until("to be upgraded", |status| {
                is(status, "Upgraded", "True", "Succeeded")
                    && status.upgrade.is_none()
                    && status.current_version.as_deref() == Some(version)
            })
            .await?;
        assert_eq!(status.failed_upgrade, None);
        app.settled().await?;
    }
    println!("two upgrades of two instances: {}", load.finish().await?.summary);

    app.change(json!({"appVersion": "0.0.2"})).await?;
    let status = app
        .until("to reject the version", |status| is(status, "Accepted", "False", "DowngradeRefused"))
        .await?;
    let message = &condition(&status, "Accepted").expect("just seen").message;
    assert!(message.contains("set spec.appVersion to 0.1.0 or newer"), "{message}");
    assert_eq!(status.current_version.as_deref(), Some("0.1.0"));
    Ok(())
}

/// An upgrade that cannot succeed: it is rolled back to the previous version, with its data and with what was written since.
async fn rolls_back(title: &str, from: &str, to: &str, replicas: i32) -> Result<String> {
    let lab = Lab::connect().await?;
    operator::install(&lab).await?;
    let namespace = Namespace::create(&lab, title).await?;
    let spec = json!({"appVersion": from, "replicas": replicas, "upgrade": {"progressDeadlineSeconds": 25}});
    let (app, load) = under_load(&namespace, spec).await?;
    app.change(json!({"appVersion": to})).await?;
    let status =
        app.until("to be rolled back", |status| is(status, "Upgraded", "False", "RolledBack")).await?;
    let message =
        condition(&status, "Upgraded").map(|condition| condition.message.clone()).unwrap_or_default();
    assert_eq!(status.current_version.as_deref(), Some(from));
    assert_eq!(status.failed_upgrade.map(|failed| failed.version), Some(to.into()));
    app.until("to be ready again", |status| {
        is(status, "Ready", "True", "AllReady") && is(status, "Progressing", "False", "Settled")
    })
    .await?;
    Ok(format!("{message}\n{title}: {}", load.finish().await?.summary))
}

#[tokio::test]
async fn an_instance_that_never_becomes_ready_is_rolled_back() -> Result<()> {
    println!("{}", rolls_back("never-ready", "0.0.1", "0.0.2-never-ready", 1).await?);
    Ok(())
}

#[tokio::test]
async fn followers_that_never_become_ready_are_rolled_back() -> Result<()> {
    println!("{}", rolls_back("never-ready-follower", "0.0.1", "0.0.2-never-ready", 2).await?);
    Ok(())
}

#[tokio::test]
async fn a_migration_that_fails_is_rolled_back() -> Result<()> {
    println!("{}", rolls_back("migration-fails", "0.0.2", "0.1.0-migration-fails", 1).await?);
    Ok(())
}
