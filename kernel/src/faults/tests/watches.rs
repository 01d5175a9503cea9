//! Watches that end, wait, or show the past.

use std::time::Duration;

use futures::TryStreamExt;
use futures::stream::{BoxStream, StreamExt};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{ListParams, WatchEvent, WatchParams};
use kube::{Api, ResourceExt};
use serde_json::json;

use super::super::{Calls, Cut, Fault, Hits, Rule, View};
use super::{code, config, create, start};
use crate::call::Verb;

type Events = BoxStream<'static, Result<WatchEvent<ConfigMap>, kube::Error>>;

async fn watch(api: &Api<ConfigMap>, parameters: &WatchParams) -> Events {
    api.watch(parameters, "5").await.unwrap().boxed()
}

/// What a watch says next: a name, a code, `end`, `error`, or `-` if nothing comes.
async fn next(events: &mut Events) -> String {
    // Ready things are ready at the first polls; a pause of the stopped clock means that nothing comes.
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
async fn a_watch_is_cut_in_every_way() {
    let cases = [(Cut::Clean, "end"), (Cut::Broken, "error"), (Cut::Expired, "410"), (Cut::Truncated, "-")];
    for (cut, expected) in cases {
        let (server, script, api) = start();
        let mut events = watch(&api, &WatchParams::default()).await;
        server.says("one", "6");
        assert_eq!(next(&mut events).await, "one");
        script.cut(Some("secrets"), cut);
        server.says("two", "7");
        assert_eq!(next(&mut events).await, "two", "another kind is not touched");
        script.cut(None, cut);
        assert_eq!(next(&mut events).await, expected, "{cut:?}");
        server.says("three", "8");
        assert_ne!(next(&mut events).await, "three", "{cut:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_next_watch_or_list_is_told_that_history_is_gone() {
    let (server, script, api) = start();
    let watches = Calls::of(Verb::Watch, "configmaps");
    script.add(Rule { calls: watches, hits: Hits::Nth(1), fault: Fault::Expired });
    let lists = Calls::of(Verb::List, "configmaps");
    script.add(Rule { calls: lists, hits: Hits::Nth(1), fault: Fault::Expired });
    let mut events = watch(&api, &WatchParams::default()).await;
    assert_eq!([next(&mut events).await, next(&mut events).await], ["410", "end"]);
    assert_eq!(code(&api.list(&ListParams::default()).await), 410);
    assert_eq!(server.seen().len(), 0);
    assert_eq!(code(&api.list(&ListParams::default()).await), 0);
}

#[tokio::test(start_paused = true)]
async fn held_events_come_later_or_never() {
    let (server, script, api) = start();
    let mut events = watch(&api, &WatchParams::default()).await;
    script.hold("configmaps");
    server.says("one", "6");
    server.says("two", "7");
    assert_eq!(next(&mut events).await, "-");
    script.release("configmaps");
    assert_eq!([next(&mut events).await, next(&mut events).await], ["one", "two"]);

    script.hold("configmaps");
    let mut later = watch(&api, &WatchParams::default()).await;
    server.says("three", "8");
    assert_eq!([next(&mut events).await, next(&mut later).await], ["-", "-"]);
    script.release_as_expired("configmaps");
    assert_eq!([next(&mut events).await, next(&mut events).await], ["410", "end"]);
    assert_eq!(next(&mut later).await, "410");
}

#[tokio::test(start_paused = true)]
async fn a_frozen_kind_shows_what_was() {
    let (server, script, api) = start();
    let mut open = watch(&api, &WatchParams::default()).await;
    let list = json!({
        "apiVersion": "v1",
        "kind": "ConfigMapList",
        "metadata": {"resourceVersion": "4"},
        "items": [config("old", "3")],
    });
    script.freeze(View::of("configmaps", list));
    server.says("new", "6");
    assert_eq!(next(&mut open).await, "-");
    assert_eq!(code(&api.get("a").await), 404);
    assert_eq!(api.get("old").await.unwrap().name_any(), "old");
    let names: Vec<String> =
        api.list(&ListParams::default()).await.unwrap().iter().map(ResourceExt::name_any).collect();
    assert_eq!(names, ["old"]);
    let mut later = watch(&api, &WatchParams::default().initial_events()).await;
    let said = [next(&mut later).await, next(&mut later).await, next(&mut later).await];
    assert_eq!(said, ["old", "until 4", "-"]);
    assert_eq!(server.seen(), ["watch configmaps d/"], "no read reached the server");
    create(&api).await.unwrap();

    script.thaw("configmaps");
    assert_eq!([next(&mut open).await, next(&mut later).await], ["new", "end"]);
    assert!(api.get("a").await.is_ok());
}

#[tokio::test]
async fn a_stream_may_be_read_to_its_end() {
    let (server, _, api) = start();
    let events = watch(&api, &WatchParams::default()).await;
    server.says("one", "6");
    server.watches.lock().unwrap().clear();
    assert_eq!(events.try_collect::<Vec<_>>().await.unwrap().len(), 1);
}
