//! The watch of the kernel with a real API server: changes, objects that cannot be parsed, and a restart of the API server.

use std::sync::{Arc, Mutex};

use anyhow::{Context, Result};
use e2e::wait::{self, holds};
use k8s_openapi::api::core::v1::ConfigMap;
use kernel::object::{Identity, Stored};
use kernel::store::Change;
use kernel::watch::{Shared, Watch, WatchNotice, WatchSource};
use kube::api::{ApiResource, DeleteParams, DynamicObject, Patch, PatchParams, PostParams};
use kube::runtime::watcher;
use kube::{Api, Client};
use lab::ControlPlane;
use lab::args::Extent;
use lab::process::ProcessRecords;
use lab::state::LabName;
use serde_json::json;
use tokio_util::sync::CancellationToken;

/// A `ConfigMap` that is parsed only if it has one key, so that a valid object can be unreadable.
#[derive(Debug)]
struct Strict {
    identity: Identity,
    word: String,
}

impl Stored for Strict {
    fn identity(&self) -> &Identity {
        &self.identity
    }
}

fn strict(object: &DynamicObject) -> Result<Strict, String> {
    let word = object.data["data"]["word"].as_str().ok_or("data.word is missing")?;
    Ok(Strict { identity: Identity::of(&object.metadata), word: word.into() })
}

/// The notices of a watch: `+name`, `~name`, `-name`, `?name`, `synced`, `trouble`.
#[derive(Clone, Default)]
struct Notices(Arc<Mutex<Vec<String>>>);

impl Notices {
    fn write(&self, notice: &WatchNotice<Strict>) {
        let line = match notice {
            WatchNotice::Changed(Change { before: None, after: Some(new) }) => {
                format!("+{}", new.identity.key.name)
            }
            WatchNotice::Changed(Change { before: Some(_), after: Some(new) }) => {
                format!("~{}", new.identity.key.name)
            }
            WatchNotice::Changed(Change { before, .. }) => {
                format!("-{}", before.as_ref().map_or("", |old| &old.identity.key.name))
            }
            WatchNotice::Unreadable { key, .. } => format!("?{}", key.name),
            WatchNotice::Synced => "synced".into(),
            WatchNotice::Trouble(_) => "trouble".into(),
        };
        self.0.lock().expect("no writer panics").push(line);
    }

    fn read(&self) -> Vec<String> {
        self.0.lock().expect("no writer panics").clone()
    }

    /// Waits for a notice.
    async fn contain(&self, notice: &str) -> Result<()> {
        wait::until(&format!("the notice {notice} of the watch"), async || {
            let seen = self.read();
            Ok(holds(seen.iter().any(|entry| entry == notice), seen.join(" ")))
        })
        .await
    }
}

/// A running watch. Dropping it stops it.
struct Running {
    notices: Notices,
    shared: Shared<Strict>,
    stop: CancellationToken,
    done: tokio::task::JoinSet<()>,
}

impl Running {
    fn start(client: &Client) -> Self {
        let (notices, shared, stop) = (Notices::default(), Shared::default(), CancellationToken::new());
        let watch = Watch {
            source: WatchSource::Whole(Api::default_namespaced_with(
                client.clone(),
                &ApiResource::erase::<ConfigMap>(&()),
            )),
            config: watcher::Config::default().streaming_lists(),
            keep: Arc::new(|object| strict(&object)),
            by_name: Vec::new(),
        };
        let recorded = notices.clone();
        let mut done = tokio::task::JoinSet::new();
        done.spawn(watch.follow(shared.clone(), move |notice| recorded.write(&notice), stop.clone()));
        Self { notices, shared, stop, done }
    }

    async fn end(mut self) -> Vec<String> {
        self.stop.cancel();
        while self.done.join_next().await.is_some() {}
        self.notices.read()
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
async fn an_unreadable_object_affects_no_other() -> Result<()> {
    let plane = ControlPlane::start().await?;
    let client = plane.client().await?;
    create(&client, "good", json!({"word": "one"})).await?;
    create(&client, "bad", json!({"letter": "x"})).await?;
    let watch = Running::start(&client);
    watch.notices.contain("synced").await?;
    create(&client, "later", json!({"word": "two"})).await?;
    watch.notices.contain("+later").await?;

    let fix = Patch::Merge(json!({"data": {"word": "three"}}));
    configs(&client).patch("bad", &PatchParams::default(), &fix).await?;
    watch.notices.contain("+bad").await?;
    let invalidate = Patch::Merge(json!({"data": {"word": null}}));
    configs(&client).patch("good", &PatchParams::default(), &invalidate).await?;
    watch.notices.contain("?good").await?;
    let kept = watch
        .shared
        .read()
        .iter()
        .map(|(key, object)| (key.name.to_string(), object.word.clone()))
        .collect::<Vec<_>>();
    let expected =
        [("bad", "three"), ("good", "one"), ("later", "two")].map(|(name, word)| (name.into(), word.into()));
    assert_eq!(kept, expected, "the last readable state is kept");

    configs(&client).delete("good", &DeleteParams::default()).await?;
    watch.notices.contain("-good").await?;
    let mut notices = watch.end().await;
    notices[..3].sort();
    assert_eq!(notices, ["+good", "?bad", "synced", "+later", "+bad", "?good", "-good"]);
    Ok(())
}

#[tokio::test]
async fn no_delete_is_missed_when_the_api_server_restarts() -> Result<()> {
    const NAME: &str = "watch-outage";
    let name = LabName::new(NAME)?;
    lab::cluster::down(&name, false)?;
    let plane = ControlPlane::shared(NAME, Extent::Api).await?;
    let client = plane.client().await?;
    for name in ["stays", "goes"] {
        create(&client, name, json!({"word": name})).await?;
    }
    let watch = Running::start(&client);
    watch.notices.contain("synced").await?;

    let directory = plane.kubeconfig().parent().context("the kubeconfig has no directory")?.to_owned();
    let server =
        ProcessRecords::below(&directory).alive("apiserver").context("the API server does not run")?;
    server.signal(rustix::process::Signal::KILL);
    watch.notices.contain("trouble").await?;
    let plane = ControlPlane::shared(NAME, Extent::Api).await?;
    // A new client, because the connections of the old one were closed.
    let client = plane.client().await?;
    configs(&client).delete("goes", &DeleteParams::default()).await?;
    create(&client, "new", json!({"word": "new"})).await?;
    watch.notices.contain("-goes").await?;
    watch.notices.contain("+new").await?;
    let known: Vec<String> = watch.shared.read().iter().map(|(key, _)| key.name.to_string()).collect();
    assert_eq!(known, ["new", "stays"]);
    watch.end().await;
    lab::cluster::down(&name, false)
}

/// Kubernetes up to 1.31, and 1.33, streams lists only where that is enabled.
#[tokio::test]
async fn an_api_server_without_streaming_lists_is_asked_for_pages() -> Result<()> {
    let plane = ControlPlane::start_gated(Extent::Api, &["WatchList=false"]).await?;
    let client = plane.client().await?;
    create(&client, "good", json!({"word": "one"})).await?;
    let watch = Running::start(&client);
    watch.notices.contain("synced").await?;
    create(&client, "later", json!({"word": "two"})).await?;
    watch.notices.contain("+later").await?;
    assert_eq!(watch.end().await, ["+good", "synced", "+later"]);
    Ok(())
}
