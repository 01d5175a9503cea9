//! Watches that end, wait, or deliver old versions.

use std::time::Duration;

use futures::TryStreamExt;
use futures::stream::{BoxStream, StreamExt};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{ListParams, WatchEvent, WatchParams};
use kube::{Api, ResourceExt};
use serde_json::json;

use super::super::{Calls, Cut, Fault, FaultRule, Hits, View};
use super::{code, config, create, start};
use crate::call::Verb;

type Events = BoxStream<'static, Result<WatchEvent<ConfigMap>, kube::Error>>;

async fn watch(api: &Api<ConfigMap>, parameters: &WatchParams) -> Events {
    api.watch(parameters, "5").await.unwrap().boxed()
}

/// What a watch delivers next: a name, a code, `end`, `error`, or `-` if nothing comes.
async fn next(events: &mut Events) -> String {
    // Events that are ready arrive before the paused clock advances.
    match tokio::time::timeout(Duration::from_secs(1), events.next()).await {
        Err(_) => "-".into(),
        Ok(None) => "end".into(),
        Ok(Some(Err(_))) => "error".into(),
        Ok(Some(Ok(WatchEvent::Error(status)))) => status.code.to_string(),
        Ok(Some(Ok(WatchEvent::Bookmark(mark)))) => format!("until {}", mark.metadata.resource_version),
        Ok(Some(Ok(
            WatchEvent::Added(object) | WatchEvent::Modified(object) | WatchEvent::Deleted(object),
        ))) => object.name_any(),
    }
}

#[tokio::test(start_paused = true)]
async fn a_watch_can_be_cut_in_every_way() {
    let cases = [(Cut::Clean, "end"), (Cut::Broken, "error"), (Cut::Expired, "410"), (Cut::Truncated, "-")];
    for (cut, expected) in cases {
        let (server, script, api) = start();
        let mut events = watch(&api, &WatchParams::default()).await;
        server.send("one", "6");
        assert_eq!(next(&mut events).await, "one");
        script.cut(Some("secrets"), cut);
        server.send("two", "7");
        assert_eq!(next(&mut events).await, "two", "watches of other kinds are not cut");
        script.cut(None, cut);
        assert_eq!(next(&mut events).await, expected, "{cut:?}");
        server.send("three", "8");
        assert_ne!(next(&mut events).await, "three", "{cut:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_next_watch_or_list_gets_an_expired_version() {
    let (server, script, api) = start();
    let watches = Calls::of(Verb::Watch, "configmaps");
    script.add(FaultRule { calls: watches, hits: Hits::Nth(1), fault: Fault::Expired });
    let lists = Calls::of(Verb::List, "configmaps");
    script.add(FaultRule { calls: lists, hits: Hits::Nth(1), fault: Fault::Expired });
    let mut events = watch(&api, &WatchParams::default()).await;
    assert_eq!([next(&mut events).await, next(&mut events).await], ["410", "end"]);
    assert_eq!(code(&api.list(&ListParams::default()).await), 410);
    assert_eq!(server.seen().len(), 0);
    assert_eq!(code(&api.list(&ListParams::default()).await), 0);
}

#[tokio::test(start_paused = true)]
async fn held_events_are_delivered_later_or_dropped() {
    let (server, script, api) = start();
    let mut events = watch(&api, &WatchParams::default()).await;
    script.hold("configmaps");
    server.send("one", "6");
    server.send("two", "7");
    assert_eq!(next(&mut events).await, "-");
    script.release("configmaps");
    assert_eq!([next(&mut events).await, next(&mut events).await], ["one", "two"]);

    script.hold("configmaps");
    let mut later = watch(&api, &WatchParams::default()).await;
    server.send("three", "8");
    assert_eq!([next(&mut events).await, next(&mut later).await], ["-", "-"]);
    script.release_as_expired("configmaps");
    assert_eq!([next(&mut events).await, next(&mut events).await], ["410", "end"]);
    assert_eq!(next(&mut later).await, "410");
}

#[tokio::test(start_paused = true)]
async fn reads_of_a_frozen_kind_see_the_view() {
    let (server, script, api) = start();
    let mut open = watch(&api, &WatchParams::default()).await;
    let list = json!({
        "apiVersion": "v1",
        "kind": "ConfigMapList",
        "metadata": {"resourceVersion": "4"},
        "items": [config("old", "3")],
    });
    script.freeze(View::of("configmaps", list));
    server.send("new", "6");
    assert_eq!(next(&mut open).await, "-");
    assert_eq!(code(&api.get("a").await), 404);
    assert_eq!(api.get("old").await.unwrap().name_any(), "old");
    let names: Vec<String> =
        api.list(&ListParams::default()).await.unwrap().iter().map(ResourceExt::name_any).collect();
    assert_eq!(names, ["old"]);
    let mut later = watch(&api, &WatchParams::default().initial_events()).await;
    let events = [next(&mut later).await, next(&mut later).await, next(&mut later).await];
    assert_eq!(events, ["old", "until 4", "-"]);
    assert_eq!(server.seen(), ["watch configmaps d/"], "no read reached the server");
    create(&api).await.unwrap();

    script.thaw("configmaps");
    assert_eq!([next(&mut open).await, next(&mut later).await], ["new", "end"]);
    assert!(api.get("a").await.is_ok());
}

#[tokio::test]
async fn a_stream_can_be_read_to_its_end() {
    let (server, _, api) = start();
    let events = watch(&api, &WatchParams::default()).await;
    server.send("one", "6");
    server.watches.lock().unwrap().clear();
    assert_eq!(events.try_collect::<Vec<_>>().await.unwrap().len(), 1);
}
