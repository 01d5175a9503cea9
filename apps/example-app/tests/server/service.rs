//! One server and its clients.

use crate::support::{ReplicaFiles, ask, eventually, replace};
use anyhow::Result;
use axum::http::{Method, StatusCode};
use example_app::version::Version;
use serde_json::json;

#[tokio::test]
async fn items_are_written_read_listed_and_deleted_and_kept_over_a_restart() -> Result<()> {
    let files = ReplicaFiles::new()?;
    for (version, restarted) in [(Version::V0_0_1, false), (Version::V0_0_1, true)] {
        let server = files.start(version).await?;
        if !restarted {
            assert_eq!(server.ask(Method::PUT, "/v1/items/b%2F1", "one").await?.status, StatusCode::CREATED);
            assert_eq!(server.put("a", "two").await?, 2);
            assert_eq!(server.put("c", "three").await?, 3);
            let deleted = server.ask(Method::DELETE, "/v1/items/c", "").await?;
            assert_eq!(
                (deleted.status, deleted.json()),
                (StatusCode::OK, json!({ "key": "c", "revision": 4 }))
            );
        }
        let item = server.get("/v1/items/b%2F1").await?;
        assert_eq!(
            (item.status, &item.body[..], item.header("x-revision")),
            (StatusCode::OK, &b"one"[..], "4")
        );
        assert_eq!(item.headers.get_all("content-type").iter().count(), 1);
        assert_eq!(server.get("/v1/items/c").await?.status, StatusCode::NOT_FOUND);
        let page = server.get("/v1/items?limit=1").await?.json();
        assert_eq!(page, json!({ "items": [{ "key": "a", "bytes": 3 }], "next": "a", "revision": 4 }));
        let page = server.get("/v1/items?limit=1&after=a").await?.json();
        assert_eq!(page, json!({ "items": [{ "key": "b/1", "bytes": 3 }], "next": null, "revision": 4 }));
        server.stop().await;
    }
    Ok(())
}

#[tokio::test]
async fn invalid_requests_are_refused() -> Result<()> {
    let files = ReplicaFiles::new()?;
    let server = files.start(Version::V0_0_2).await?;
    let long = format!("/v1/items/{}", "k".repeat(513));
    assert_eq!(server.ask(Method::PUT, &long, "x").await?.status, StatusCode::BAD_REQUEST);
    let large = "x".repeat((1 << 20) + 1);
    assert_eq!(server.ask(Method::PUT, "/v1/items/a", &large).await?.status, StatusCode::PAYLOAD_TOO_LARGE);
    let refused = server.get("/v1/items?written-after=0").await?;
    assert_eq!(
        refused.json(),
        json!({ "error": "version 0.0.2 has no index by revision; version 0.1.0 has one" })
    );
    assert_eq!(server.ask(Method::DELETE, "/v1/items/a", "").await?.status, StatusCode::NOT_FOUND);
    server.stop().await;
    Ok(())
}

#[tokio::test]
async fn only_the_current_password_is_accepted_and_a_rotation_needs_no_restart() -> Result<()> {
    let files = ReplicaFiles::new()?;
    let server = files.start(Version::V0_1_0).await?;
    for path in ["/v1/items", "/v1/items/a", "/v1/version", "/v1/features", "/internal/copy"] {
        for wrong in [None, Some("ann:wrong"), Some("eve:secret")] {
            let answer = ask(server.address, Method::GET, path, wrong, "").await?;
            assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{path} {wrong:?}");
        }
    }
    for path in ["/healthz", "/readyz", "/metrics"] {
        assert_eq!(ask(server.address, Method::GET, path, None, "").await?.status, StatusCode::OK, "{path}");
    }
    files.set_password("changed")?;
    let status =
        async |pair| ask(server.address, Method::GET, "/v1/version", Some(pair), "").await.map(|a| a.status);
    eventually("the new password", async || {
        status("ann:changed").await.is_ok_and(|status| status == StatusCode::OK)
    })
    .await?;
    assert_eq!(status("ann:secret").await?, StatusCode::UNAUTHORIZED);
    server.stop().await;
    Ok(())
}

#[tokio::test]
async fn a_changed_feature_needs_no_restart() -> Result<()> {
    let files = ReplicaFiles::new()?;
    let server = files.start(Version::V0_1_0).await?;
    server.put("a", "straße").await?;
    let plain = server.get("/v1/items/a").await?;
    assert_eq!((&plain.body[..], plain.header("x-example-feature-1")), ("straße".as_bytes(), ""));
    let features = json!({ "exampleFeature1": true, "exampleFeature2": true, "unknown": false });
    replace(&files.features(), &features.to_string())?;
    eventually("features", async || {
        server.get("/v1/features").await.is_ok_and(|answer| answer.json() == features)
    })
    .await?;
    let changed = server.get("/v1/items/a").await?;
    assert_eq!((&changed.body[..], changed.header("x-example-feature-1")), ("STRASSE".as_bytes(), "on"));
    assert_eq!(changed.header("x-item-sha256"), plain.header("x-item-sha256"), "the item is unchanged");
    server.stop().await;
    Ok(())
}

#[tokio::test]
async fn a_server_shows_its_version_and_the_broken_one_is_never_ready() -> Result<()> {
    for (version, schema, ready) in [
        (Version::V0_0_1, 1, StatusCode::OK),
        (Version::V0_1_0, 3, StatusCode::OK),
        (Version::V0_0_2NeverReady, 2, StatusCode::SERVICE_UNAVAILABLE),
    ] {
        let files = ReplicaFiles::new()?;
        let server = files.start(version).await?;
        let expected = json!({ "version": version.name(), "schema": schema, "revision": 0, "role": "writer", "writes": "open" });
        assert_eq!(server.get("/v1/version").await?.json(), expected);
        assert_eq!(server.get("/readyz").await?.status, ready);
        let metrics = server.get("/metrics").await?;
        let info = format!("example_app_build_info{{version=\"{version}\",schema=\"{schema}\"}} 1");
        assert!(String::from_utf8(metrics.body.to_vec())?.lines().any(|line| line == info), "{info}");
        server.stop().await;
    }
    Ok(())
}
