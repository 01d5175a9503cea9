//! The kernel's watch against a real API server: changes, objects that cannot be read, and a server that goes away.

use std::sync::{Arc, Mutex};

use anyhow::{Context, Result};
use e2e::wait::{self, holds};
use k8s_openapi::api::core::v1::ConfigMap;
use kernel::object::{Identity, Kept};
use kernel::store::Change;
use kernel::watch::{Notice, Shared, Source, Watch};
use kube::api::{ApiResource, DeleteParams, DynamicObject, Patch, PatchParams, PostParams};
use kube::runtime::watcher;
use kube::{Api, Client};
use lab::ControlPlane;
use lab::args::Extent;
use lab::process::Ledger;
use lab::state::LabName;
use serde_json::json;
use tokio_util::sync::CancellationToken;

/// A `ConfigMap` for a reader who insists on one key: so a perfectly good object can be unreadable to us.
#[derive(Debug)]
struct Strict {
    identity: Identity,
    word: String,
}

impl Kept for Strict {
    fn identity(&self) -> &Identity {
        &self.identity
    }
}

fn strict(object: &DynamicObject) -> Result<Strict, String> {
    let word = object.data["data"]["word"].as_str().ok_or("data.word is missing")?;
    Ok(Strict { identity: Identity::of(&object.metadata), word: word.into() })
}

/// What a watch said, as words: `+name`, `~name`, `-name`, `?name`, `synced`, `trouble`.
#[derive(Clone, Default)]
struct Diary(Arc<Mutex<Vec<String>>>);

impl Diary {
    fn write(&self, notice: &Notice<Strict>) {
        let word = match notice {
            Notice::Changed(Change { before: None, after: Some(new) }) => {
                format!("+{}", new.identity.key.name)
            }
            Notice::Changed(Change { before: Some(_), after: Some(new) }) => {
                format!("~{}", new.identity.key.name)
            }
            Notice::Changed(Change { before, .. }) => {
                format!("-{}", before.as_ref().map_or("", |old| &old.identity.key.name))
            }
            Notice::Unreadable { key, .. } => format!("?{}", key.name),
            Notice::Synced => "synced".into(),
            Notice::Trouble(_) => "trouble".into(),
        };
        self.0.lock().expect("no writer panics").push(word);
    }

    fn read(&self) -> Vec<String> {
        self.0.lock().expect("no writer panics").clone()
    }

    /// Waits until the diary holds this word.
    async fn holds(&self, word: &str) -> Result<()> {
        wait::until(&format!("the watch to say {word}"), async || {
            let seen = self.read();
            Ok(holds(seen.iter().any(|entry| entry == word), seen.join(" ")))
        })
        .await
    }
}

/// A watch under way; dropping it stops it.
struct Running {
    diary: Diary,
    shared: Shared<Strict>,
    stop: CancellationToken,
    done: tokio::task::JoinSet<()>,
}

impl Running {
    fn start(client: &Client) -> Self {
        let (diary, shared, stop) = (Diary::default(), Shared::default(), CancellationToken::new());
        let watch = Watch {
            source: Source::Whole(Api::default_namespaced_with(
                client.clone(),
                &ApiResource::erase::<ConfigMap>(&()),
            )),
            config: watcher::Config::default().streaming_lists(),
            keep: Arc::new(|object| strict(&object)),
            by_name: Vec::new(),
        };
        let notes = diary.clone();
        let mut done = tokio::task::JoinSet::new();
        done.spawn(watch.follow(shared.clone(), move |notice| notes.write(&notice), stop.clone()));
        Self { diary, shared, stop, done }
    }

    async fn end(mut self) -> Vec<String> {
        self.stop.cancel();
        while self.done.join_next().await.is_some() {}
        self.diary.read()
    }
}

async fn create(client: &Client, name: &str, data: serde_json::Value) -> Result<()> {
    let object: ConfigMap = serde_json::from_value(json!({"metadata": {"name": name}, "data": data}))?;
    configs(client).create(&PostParams::default(), &object).await?;
    Ok(())
}

fn configs(client: &Client) -> Api<ConfigMap> {
    Api::default_namespaced(client.clone())
}

#[tokio::test]
async fn an_unreadable_object_stops_nothing() -> Result<()> {
    let plane = ControlPlane::start().await?;
    let client = plane.client().await?;
    create(&client, "good", json!({"word": "one"})).await?;
    create(&client, "bad", json!({"letter": "x"})).await?;
    let watch = Running::start(&client);
    watch.diary.holds("synced").await?;
    create(&client, "later", json!({"word": "two"})).await?;
    watch.diary.holds("+later").await?;

    let mend = Patch::Merge(json!({"data": {"word": "three"}}));
    configs(&client).patch("bad", &PatchParams::default(), &mend).await?;
    watch.diary.holds("+bad").await?;
    let spoil = Patch::Merge(json!({"data": {"word": null}}));
    configs(&client).patch("good", &PatchParams::default(), &spoil).await?;
    watch.diary.holds("?good").await?;
    let kept = watch
        .shared
        .read()
        .iter()
        .map(|(key, object)| (key.name.to_string(), object.word.clone()))
        .collect::<Vec<_>>();
    let expected =
        [("bad", "three"), ("good", "one"), ("later", "two")].map(|(name, word)| (name.into(), word.into()));
    assert_eq!(kept, expected, "what was known stays");

    configs(&client).delete("good", &DeleteParams::default()).await?;
    watch.diary.holds("-good").await?;
    let mut said = watch.end().await;
    said[..3].sort();
    assert_eq!(said, ["+good", "?bad", "synced", "+later", "+bad", "?good", "-good"]);
    Ok(())
}

#[tokio::test]
async fn a_server_that_goes_away_costs_no_delete() -> Result<()> {
    const NAME: &str = "watch-outage";
    let name = LabName::new(NAME)?;
    lab::cluster::down(&name, false)?;
    let plane = ControlPlane::shared(NAME, Extent::Api).await?;
    let client = plane.client().await?;
    for name in ["stays", "goes"] {
        create(&client, name, json!({"word": name})).await?;
    }
    let watch = Running::start(&client);
    watch.diary.holds("synced").await?;

    let directory = plane.kubeconfig().parent().context("a kubeconfig has a directory")?.to_owned();
    let server = Ledger::below(&directory).alive("apiserver").context("the API server runs")?;
    server.signal(rustix::process::Signal::KILL);
    watch.diary.holds("trouble").await?;
    let plane = ControlPlane::shared(NAME, Extent::Api).await?;
    // A new client: the connections of the old one ended with the server.
    let client = plane.client().await?;
    configs(&client).delete("goes", &DeleteParams::default()).await?;
    create(&client, "new", json!({"word": "new"})).await?;
    watch.diary.holds("-goes").await?;
    watch.diary.holds("+new").await?;
    let known: Vec<String> = watch.shared.read().iter().map(|(key, _)| key.name.to_string()).collect();
    assert_eq!(known, ["new", "stays"]);
    watch.end().await;
    lab::cluster::down(&name, false)
}

/// Kubernetes up to 1.31, and 1.33, streams lists only where somebody has switched that on.
#[tokio::test]
async fn a_server_that_streams_no_lists_is_asked_for_pages() -> Result<()> {
    let plane = ControlPlane::start_gated(Extent::Api, &["WatchList=false"]).await?;
    let client = plane.client().await?;
    create(&client, "good", json!({"word": "one"})).await?;
    let watch = Running::start(&client);
    watch.diary.holds("synced").await?;
    create(&client, "later", json!({"word": "two"})).await?;
    watch.diary.holds("+later").await?;
    assert_eq!(watch.end().await, ["+good", "synced", "+later"]);
    Ok(())
}
