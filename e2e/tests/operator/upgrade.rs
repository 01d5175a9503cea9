//! Upgrades under load: forward with its migration, and back when something fails; nothing is lost either way.

use anyhow::Result;
use e2e::lab::Lab;
use e2e::namespace::Namespace;
use e2e::operator::{self, Care, condition, is};
use e2e::wait::holds;
use e2e::writer::Writer;
use serde_json::{Value, json};

/// An application of 0.0.1 or 0.0.2 with a client at work.
async fn busy(namespace: &Namespace, spec: Value) -> Result<(Care<'_>, Writer)> {
    let care = Care::create(namespace, "app", spec).await?;
    care.settled().await?;
    let writer = Writer::start(&care.client().await?);
    namespace
        .until("the client to have written", async || {
            let confirmed = writer.confirmed();
            Ok(holds(confirmed > 200, confirmed.to_string()))
        })
        .await?;
    Ok((care, writer))
}

#[tokio::test]
async fn an_upgrade_migrates_the_data_and_loses_nothing() -> Result<()> {
    let lab = Lab::connect().await?;
    operator::install(&lab).await?;
    let namespace = Namespace::create(&lab, "upgrade").await?;
    let (care, writer) = busy(&namespace, json!({"appVersion": "0.0.1", "replicas": 2})).await?;
    for version in ["0.0.2", "0.1.0"] {
        care.change(json!({"appVersion": version})).await?;
        let status = care
            .until("to be upgraded", |status| {
                is(status, "Upgraded", "True", "Succeeded")
                    && status.upgrade.is_none()
                    && status.current_version.as_deref() == Some(version)
            })
            .await?;
        assert_eq!(status.failed_upgrade, None);
        care.settled().await?;
    }
    println!("two upgrades of two instances: {}", writer.finish().await?.words);

    care.change(json!({"appVersion": "0.0.2"})).await?;
    let status =
        care.until("to refuse", |status| is(status, "Accepted", "False", "DowngradeRefused")).await?;
    let words = &condition(&status, "Accepted").expect("just seen").message;
    assert!(words.contains("set spec.appVersion to 0.1.0 or newer"), "{words}");
    assert_eq!(status.current_version.as_deref(), Some("0.1.0"));
    Ok(())
}

/// An upgrade that cannot succeed: the version before comes back, with its data and with what was written meanwhile.
async fn rolls_back(title: &str, from: &str, to: &str, replicas: i32) -> Result<String> {
    let lab = Lab::connect().await?;
    operator::install(&lab).await?;
    let namespace = Namespace::create(&lab, title).await?;
    let spec = json!({"appVersion": from, "replicas": replicas, "upgrade": {"progressDeadlineSeconds": 25}});
    let (care, writer) = busy(&namespace, spec).await?;
    care.change(json!({"appVersion": to})).await?;
    let status =
        care.until("to be rolled back", |status| is(status, "Upgraded", "False", "RolledBack")).await?;
    let words = condition(&status, "Upgraded").map(|condition| condition.message.clone()).unwrap_or_default();
    assert_eq!(status.current_version.as_deref(), Some(from));
    assert_eq!(status.failed_upgrade.map(|failed| failed.version), Some(to.into()));
    care.until("to be ready again", |status| {
        is(status, "Ready", "True", "AllReady") && is(status, "Progressing", "False", "Settled")
    })
    .await?;
    Ok(format!("{words}\n{title}: {}", writer.finish().await?.words))
}

#[tokio::test]
async fn an_instance_that_never_gets_ready_is_rolled_back() -> Result<()> {
    println!("{}", rolls_back("never-ready", "0.0.1", "0.0.2-never-ready", 1).await?);
    Ok(())
}

#[tokio::test]
async fn followers_that_never_get_ready_are_rolled_back() -> Result<()> {
    println!("{}", rolls_back("never-ready-follower", "0.0.1", "0.0.2-never-ready", 2).await?);
    Ok(())
}

#[tokio::test]
async fn a_migration_that_fails_is_rolled_back() -> Result<()> {
    println!("{}", rolls_back("migration-fails", "0.0.2", "0.1.0-migration-fails", 1).await?);
    Ok(())
}
