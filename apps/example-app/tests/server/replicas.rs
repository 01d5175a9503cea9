//! A writer, a follower, and what happens to writes while versions change.

use std::collections::BTreeMap;

use crate::support::{Place, Running, eventually};
use anyhow::Result;
use axum::http::{Method, StatusCode};
use example_app::migrate::Migration;
use example_app::version::Version;
use example_app::volume::Volume;

#[tokio::test]
async fn a_follower_serves_what_the_writer_has_and_passes_writes_on() -> Result<()> {
    let (one, two) = (Place::new()?, Place::new()?);
    let writer = one.start(Version::V0_1_0).await?;
    writer.put("before", "1").await?;
    let follower = two.start_follower(Version::V0_1_0, writer.address).await?;
    follower.ready().await?;
    assert_eq!(follower.value("before").await?, "1");
    assert_eq!(follower.put("through", "2").await?, 2);
    assert_eq!(follower.value("through").await?, "2", "one reads one's own writes");
    assert_eq!(writer.value("through").await?, "2");
    let revision = writer.put("after", "3").await?;
    let read = follower.get(&format!("/v1/items/after?at-least={revision}")).await?;
    assert_eq!((read.status, &read.body[..]), (StatusCode::OK, &b"3"[..]));
    assert_eq!(follower.ask(Method::DELETE, "/v1/items/before", "").await?.status, StatusCode::OK);
    assert_eq!(follower.get("/v1/items/before").await?.status, StatusCode::NOT_FOUND);
    writer.stop().await;
    assert_eq!(follower.value("after").await?, "3", "reads go on without the writer");
    assert_eq!(follower.get("/readyz").await?.status, StatusCode::OK);
    follower.stop().await;
    Ok(())
}

#[tokio::test]
async fn a_follower_of_another_version_copies_anew_and_never_from_an_empty_writer() -> Result<()> {
    let (one, two) = (Place::new()?, Place::new()?);
    let writer = one.start(Version::V0_0_1).await?;
    writer.put("a", "1").await?;
    for version in [Version::V0_0_1, Version::V0_0_2, Version::V0_0_1] {
        let follower = two.start_follower(version, writer.address).await?;
        follower.ready().await?;
        assert_eq!(follower.value("a").await?, "1");
        follower.stop().await;
    }
    writer.stop().await;
    let three = Place::new()?;
    let emptied = three.start(Version::V0_0_1).await?;
    let follower = two.start_follower(Version::V0_0_1, emptied.address).await?;
    emptied.get("/readyz").await?;
    eventually("the follower has asked", async || {
        emptied.get("/metrics").await.is_ok_and(|answer| {
            let text = String::from_utf8_lossy(&answer.body).into_owned();
            text.lines()
                .any(|line| line.starts_with("example_app_requests_total{method=\"Get\",code=\"4xx\"}"))
        })
    })
    .await?;
    assert_eq!(follower.value("a").await?, "1", "nothing was thrown away");
    assert_eq!(follower.get("/readyz").await?.status, StatusCode::SERVICE_UNAVAILABLE);
    follower.stop().await;
    emptied.stop().await;
    Ok(())
}

async fn held_writes(server: &Running, count: &str) -> Result<()> {
    let line = format!("example_app_held_writes {count}");
    eventually("held", async || {
        server
            .get("/metrics")
            .await
            .is_ok_and(|answer| String::from_utf8_lossy(&answer.body).lines().any(|l| l == line))
    })
    .await
}

#[tokio::test]
async fn writes_are_held_and_done_after_the_release() -> Result<()> {
    let place = Place::new()?;
    let server = place.start(Version::V0_0_1).await?;
    server.put("a", "1").await?;
    let held = server.ask(Method::POST, "/internal/hold?seconds=60", "").await?;
    assert_eq!(held.json()["revision"], 1);
    let release = async {
        held_writes(&server, "1").await?;
        assert_eq!(server.value("a").await?, "1", "reads go on");
        server.ask(Method::POST, "/internal/release", "").await
    };
    let (written, released) = tokio::join!(server.put("a", "2"), release);
    assert_eq!((written?, released?.status), (2, StatusCode::OK));
    server.stop().await;
    Ok(())
}

#[tokio::test]
async fn a_stopping_server_answers_held_writes_with_503_and_when_to_return() -> Result<()> {
    let place = Place::new()?;
    let server = place.start(Version::V0_0_1).await?;
    server.ask(Method::POST, "/internal/hold?seconds=60", "").await?;
    let address = server.address;
    let write = crate::support::ask(address, Method::PUT, "/v1/items/a", Some("ann:secret"), "1");
    let stop = async {
        held_writes(&server, "1").await?;
        server.stop().await;
        anyhow::Ok(())
    };
    let (answer, stopped) = tokio::join!(write, stop);
    stopped?;
    let answer = answer?;
    assert_eq!((answer.status, answer.header("retry-after")), (StatusCode::SERVICE_UNAVAILABLE, "1"));
    Ok(())
}

/// Writes through the follower until told to stop; returns every write that was answered.
async fn write_all_along(
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

/// An upgrade as an operator does it; the writer comes back at the same address, as behind a name.
async fn upgrade_and_roll_back(place: &Place, writer: Running) -> Result<Running> {
    let volume = Volume::at(place.data());
    let address = writer.address;
    let again = |version| {
        let arguments = example_app::args::ServeArguments { listen: address, ..place.arguments() };
        Running::start(arguments, version)
    };
    writer.ask(Method::POST, "/internal/hold?seconds=60", "").await?;
    Migration::of(volume.clone()).forward(Version::V0_0_2)?;
    assert_eq!(writer.ask(Method::POST, "/internal/release", "").await?.status, StatusCode::CONFLICT);
    writer.stop().await;
    let upgraded = again(Version::V0_0_2).await?;
    let before = upgraded.get("/v1/version").await?.json()["revision"].as_u64();
    eventually("writes on the new version", async || {
        upgraded.get("/v1/version").await.is_ok_and(|answer| answer.json()["revision"].as_u64() > before)
    })
    .await?;
    upgraded.ask(Method::POST, "/internal/hold?seconds=60", "").await?;
    Migration::of(volume).back(Some(Version::V0_0_1), false)?;
    upgraded.stop().await;
    again(Version::V0_0_1).await
}

#[tokio::test]
async fn nothing_is_lost_by_an_upgrade_and_its_rollback_under_writes() -> Result<()> {
    let (one, two) = (Place::new()?, Place::new()?);
    let writer = one.start(Version::V0_0_1).await?;
    let follower = two.start_follower(Version::V0_0_1, writer.address).await?;
    follower.ready().await?;
    let stop = tokio::sync::watch::Sender::new(false);
    let change = async {
        let result = upgrade_and_roll_back(&one, writer).await;
        stop.send_replace(true);
        result
    };
    let (answered, writer) = tokio::join!(write_all_along(&follower, &stop), change);
    let (answered, writer) = (answered?, writer?);
    assert!(!answered.is_empty());
    let revisions: Vec<_> =
        answered.values().copied().collect::<std::collections::BTreeSet<_>>().into_iter().collect();
    assert_eq!(revisions, (1..=answered.len() as u64).collect::<Vec<_>>(), "each write once, none skipped");
    for key in answered.keys() {
        assert_eq!(&writer.value(key).await?, key);
        assert_eq!(&follower.value(key).await?, key);
    }
    follower.stop().await;
    writer.stop().await;
    Ok(())
}
