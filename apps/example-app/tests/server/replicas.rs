//! A writer and a follower, held writes, and writes during an upgrade.

use std::collections::BTreeMap;

use crate::support::{ReplicaFiles, Running, eventually};
use anyhow::Result;
use axum::http::{Method, StatusCode};
use example_app::migrate::Migration;
use example_app::version::Version;
use example_app::volume::Volume;

#[tokio::test]
async fn a_follower_serves_the_items_of_the_writer_and_forwards_writes() -> Result<()> {
    let (one, two) = (ReplicaFiles::new()?, ReplicaFiles::new()?);
    let writer = one.start(Version::V0_1_0).await?;
    writer.put("before", "1").await?;
    let follower = two.start_follower(Version::V0_1_0, writer.address).await?;
    follower.ready().await?;
    assert_eq!(follower.value("before").await?, "1");
    assert_eq!(follower.put("through", "2").await?, 2);
    assert_eq!(follower.value("through").await?, "2", "a client reads its own writes");
    assert_eq!(writer.value("through").await?, "2");
    let revision = writer.put("after", "3").await?;
    let read = follower.get(&format!("/v1/items/after?at-least={revision}")).await?;
    assert_eq!((read.status, &read.body[..]), (StatusCode::OK, &b"3"[..]));
    assert_eq!(follower.ask(Method::DELETE, "/v1/items/before", "").await?.status, StatusCode::OK);
    assert_eq!(follower.get("/v1/items/before").await?.status, StatusCode::NOT_FOUND);
    writer.stop().await;
    assert_eq!(follower.value("after").await?, "3", "reads work without the writer");
    assert_eq!(follower.get("/readyz").await?.status, StatusCode::OK);
    follower.stop().await;
    Ok(())
}

#[tokio::test]
async fn a_follower_of_another_version_copies_all_items_but_never_from_an_empty_writer() -> Result<()> {
    let (one, two) = (ReplicaFiles::new()?, ReplicaFiles::new()?);
    let writer = one.start(Version::V0_0_1).await?;
    writer.put("a", "1").await?;
    for version in [Version::V0_0_1, Version::V0_0_2, Version::V0_0_1] {
        let follower = two.start_follower(version, writer.address).await?;
        follower.ready().await?;
        assert_eq!(follower.value("a").await?, "1");
        follower.stop().await;
    }
    writer.stop().await;
    let three = ReplicaFiles::new()?;
    let emptied = three.start(Version::V0_0_1).await?;
    let follower = two.start_follower(Version::V0_0_1, emptied.address).await?;
    emptied.get("/readyz").await?;
    eventually("a request of the follower", async || {
        emptied.get("/metrics").await.is_ok_and(|answer| {
            let text = String::from_utf8_lossy(&answer.body).into_owned();
            text.lines()
                .any(|line| line.starts_with("example_app_requests_total{method=\"Get\",code=\"4xx\"}"))
        })
    })
    .await?;
    assert_eq!(follower.value("a").await?, "1", "no item was deleted");
    assert_eq!(follower.get("/readyz").await?.status, StatusCode::SERVICE_UNAVAILABLE);
    follower.stop().await;
    emptied.stop().await;
    Ok(())
}

async fn wait_for_held_writes(server: &Running, count: &str) -> Result<()> {
    let line = format!("example_app_held_writes {count}");
    eventually("held writes", async || {
        server
            .get("/metrics")
            .await
            .is_ok_and(|answer| String::from_utf8_lossy(&answer.body).lines().any(|l| l == line))
    })
    .await
}

#[tokio::test]
async fn held_writes_are_executed_after_the_release() -> Result<()> {
    let files = ReplicaFiles::new()?;
    let server = files.start(Version::V0_0_1).await?;
    server.put("a", "1").await?;
    let held = server.ask(Method::POST, "/internal/hold?seconds=60", "").await?;
    assert_eq!(held.json()["revision"], 1);
    let release = async {
        wait_for_held_writes(&server, "1").await?;
        assert_eq!(server.value("a").await?, "1", "reads are not held");
        server.ask(Method::POST, "/internal/release", "").await
    };
    let (written, released) = tokio::join!(server.put("a", "2"), release);
    assert_eq!((written?, released?.status), (2, StatusCode::OK));
    server.stop().await;
    Ok(())
}

#[tokio::test]
async fn a_stopping_server_answers_held_writes_with_503_and_retry_after() -> Result<()> {
    let files = ReplicaFiles::new()?;
    let server = files.start(Version::V0_0_1).await?;
    server.ask(Method::POST, "/internal/hold?seconds=60", "").await?;
    let address = server.address;
    let write = crate::support::ask(address, Method::PUT, "/v1/items/a", Some("ann:secret"), "1");
    let stop = async {
        wait_for_held_writes(&server, "1").await?;
        server.stop().await;
        anyhow::Ok(())
    };
    let (answer, stopped) = tokio::join!(write, stop);
    stopped?;
    let answer = answer?;
    assert_eq!((answer.status, answer.header("retry-after")), (StatusCode::SERVICE_UNAVAILABLE, "1"));
    Ok(())
}

/// Writes through the follower until `stop`; returns every write that was answered.
async fn write_until(
    follower: &Running,
    stop: &tokio::sync::watch::Sender<bool>,
) -> Result<BTreeMap<String, u64>> {
    let mut answered = BTreeMap::new();
    for number in 0.. {
        if *stop.borrow() {
            break;
        }
        let key = format!("key-{number}");
        let revision = follower.put(&key, &key).await?;
        answered.insert(key, revision);
    }
    Ok(answered)
}

/// An upgrade as an operator does it. The writer restarts at the same address, as it would behind a Service.
async fn upgrade_and_roll_back(files: &ReplicaFiles, writer: Running) -> Result<Running> {
    let volume = Volume::at(files.data());
    let address = writer.address;
    let restart = |version| {
        let arguments = example_app::args::ServeArguments { listen: address, ..files.arguments() };
        Running::start(arguments, version)
    };
    writer.ask(Method::POST, "/internal/hold?seconds=60", "").await?;
    Migration::of(volume.clone()).forward(Version::V0_0_2)?;
    assert_eq!(writer.ask(Method::POST, "/internal/release", "").await?.status, StatusCode::CONFLICT);
    writer.stop().await;
    let upgraded = restart(Version::V0_0_2).await?;
    let before = upgraded.get("/v1/version").await?.json()["revision"].as_u64();
    eventually("a write on the new version", async || {
        upgraded.get("/v1/version").await.is_ok_and(|answer| answer.json()["revision"].as_u64() > before)
    })
    .await?;
    upgraded.ask(Method::POST, "/internal/hold?seconds=60", "").await?;
    Migration::of(volume).back(Some(Version::V0_0_1), false)?;
    upgraded.stop().await;
    restart(Version::V0_0_1).await
}

#[tokio::test]
async fn an_upgrade_and_its_rollback_lose_no_write() -> Result<()> {
    let (one, two) = (ReplicaFiles::new()?, ReplicaFiles::new()?);
    let writer = one.start(Version::V0_0_1).await?;
    let follower = two.start_follower(Version::V0_0_1, writer.address).await?;
    follower.ready().await?;
    let stop = tokio::sync::watch::Sender::new(false);
    let change = async {
        let result = upgrade_and_roll_back(&one, writer).await;
        stop.send_replace(true);
        result
    };
    let (answered, writer) = tokio::join!(write_until(&follower, &stop), change);
    let (answered, writer) = (answered?, writer?);
    assert!(!answered.is_empty());
    let revisions: Vec<_> =
        answered.values().copied().collect::<std::collections::BTreeSet<_>>().into_iter().collect();
    assert_eq!(revisions, (1..=answered.len() as u64).collect::<Vec<_>>(), "unique and without gaps");
    for key in answered.keys() {
        assert_eq!(&writer.value(key).await?, key);
        assert_eq!(&follower.value(key).await?, key);
    }
    follower.stop().await;
    writer.stop().await;
    Ok(())
}
