//! The fault injection of the kernel with a real API server: what an operator observes, and what the API server does.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Context, Result};
use e2e::wait::{self, holds};
use k8s_openapi::api::core::v1::ConfigMap;
use kernel::call::Verb;
use kernel::faults::{
    self, Calls, Cut, Fault, FaultRule, Hits, Refusal, Script, View, WriteCounts, WrittenObject,
};
use kernel::object::Stored as _;
use kernel::store::Change;
use kernel::watch::{Shared, Watch, WatchNotice, WatchSource};
use kube::api::{ApiResource, DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::runtime::watcher;
use kube::{Api, Client, Config, ResourceExt};
use lab::ControlPlane;
use serde_json::json;
use tokio_util::sync::CancellationToken;

const KIND: &str = "configmaps";

/// An API server, an administrator whose requests never fail, and a process under test.
struct Fixture {
    plane: ControlPlane,
    admin: Api<ConfigMap>,
    script: Script,
    client: Client,
}

impl Fixture {
    async fn start() -> Result<Self> {
        let plane = ControlPlane::start().await?;
        let admin = Api::default_namespaced(plane.client().await?);
        let script = Script::default();
        let client = Self::process(&plane, &script).await?;
        Ok(Self { plane, admin, script, client })
    }

    /// The client of a process with the faults of the script.
    async fn process(plane: &ControlPlane, script: &Script) -> Result<Client> {
        let file = Kubeconfig::read_from(plane.kubeconfig())?;
        let config = Config::from_custom_kubeconfig(file, &KubeConfigOptions::default()).await?;
        Ok(faults::client(config, script)?)
    }

    fn api(&self) -> Api<ConfigMap> {
        Api::default_namespaced(self.client.clone())
    }

    async fn create(&self, name: &str) -> Result<()> {
        self.admin.create(&PostParams::default(), &config(name)?).await?;
        Ok(())
    }

    async fn delete(&self, name: &str) -> Result<()> {
        self.admin.delete(name, &DeleteParams::default()).await?;
        Ok(())
    }

    /// A snapshot of the objects.
    async fn view(&self) -> Result<View> {
        let client = self.plane.client().await?;
        Ok(View::record(&client, &ApiResource::erase::<ConfigMap>(&())).await?)
    }
}

fn config(name: &str) -> Result<ConfigMap> {
    Ok(serde_json::from_value(json!({"metadata": {"name": name}}))?)
}

fn on_write(number: u64, fault: Fault) -> FaultRule {
    FaultRule { calls: Calls::writes(), hits: Hits::Nth(number), fault }
}

#[tokio::test]
async fn after_a_lost_response_the_object_exists() -> Result<()> {
    let fixture = Fixture::start().await?;
    fixture.script.add(on_write(1, Fault::AnswerLost));
    let answer = fixture.api().create(&PostParams::default(), &config("one")?).await;
    assert!(matches!(answer, Err(kube::Error::Service(_))), "{answer:?}");
    fixture.admin.get("one").await?;

    let again = fixture.api().create(&PostParams::default(), &config("one")?).await;
    assert!(matches!(again, Err(kube::Error::Api(status)) if status.is_already_exists()));
    let object = WrittenObject { kind: KIND.into(), namespace: "default".into(), name: "one".into() };
    let counts = WriteCounts { creates: 1, changes: 0, deletes: 0 };
    assert_eq!(fixture.script.trace().counts(), BTreeMap::from([(object, counts)]));
    Ok(())
}

#[tokio::test]
async fn errors_reach_the_caller_and_nothing_is_written() -> Result<()> {
    let fixture = Fixture::start().await?;
    for (number, refusal) in (1..).zip(Refusal::ALL) {
        fixture.script.add(on_write(number, Fault::Refused(refusal)));
    }
    for refusal in Refusal::ALL {
        match fixture.api().create(&PostParams::default(), &config("one")?).await {
            Err(kube::Error::Api(status)) => assert_eq!(status.code, refusal.code()),
            other => panic!("{refusal:?} did not reach the caller: {other:?}"),
        }
    }
    assert_eq!(fixture.admin.get_opt("one").await?, None);
    fixture.api().create(&PostParams::default(), &config("one")?).await?;
    // A conflict of the API server reaches the caller too, and is in the trace.
    let stale = serde_json::from_value(json!({"metadata": {"name": "one", "resourceVersion": "1"}}))?;
    let answer = fixture.api().replace("one", &PostParams::default(), &stale).await;
    assert!(matches!(answer, Err(kube::Error::Api(status)) if status.is_conflict()));
    let trace = fixture.script.trace();
    let last = trace.0.last().context("the trace is empty")?;
    assert_eq!((last.status, last.preconditions.resource_version.as_deref()), (Some(409), Some("1")));
    Ok(())
}

#[tokio::test]
async fn a_crashed_process_writes_nothing_more_and_the_next_one_does() -> Result<()> {
    for (fault, written) in [(Fault::CrashBefore, false), (Fault::CrashAfter, true)] {
        let fixture = Fixture::start().await?;
        fixture.script.add(on_write(2, fault));
        let api = fixture.api();
        let process = async {
            for name in ["one", "two", "three"] {
                api.create(&PostParams::default(), &config(name)?).await?;
            }
            anyhow::Ok(())
        };
        tokio::select! {
            ended = process => panic!("it did not crash: {ended:?}"),
            () = fixture.script.crashed() => {}
        }
        let existing = fixture.admin.list(&ListParams::default()).await?;
        assert_eq!(existing.iter().any(|object| object.name_any() == "two"), written);
        assert!(!existing.iter().any(|object| object.name_any() == "three"));
        fixture.script.restart();
        let next: Api<ConfigMap> =
            Api::default_namespaced(Fixture::process(&fixture.plane, &fixture.script).await?);
        next.create(&PostParams::default(), &config("three")?).await?;
    }
    Ok(())
}

/// A watch of the kernel and its notices: `+name`, `~name`, `-name`, `synced`, `trouble`.
struct Running {
    notices: Arc<Mutex<Vec<String>>>,
    shared: Shared<kernel::object::Object>,
    _done: tokio::task::JoinSet<()>,
}

impl Running {
    fn start(client: &Client, config: watcher::Config) -> Self {
        let (notices, shared) = (Arc::new(Mutex::new(Vec::new())), Shared::default());
        let recorded = Arc::clone(&notices);
        let record = move |notice: WatchNotice<kernel::object::Object>| {
            let line = match notice {
                WatchNotice::Changed(Change { before: None, after: Some(new) }) => {
                    format!("+{}", new.key().name)
                }
                WatchNotice::Changed(Change { before: Some(_), after: Some(new) }) => {
                    format!("~{}", new.key().name)
                }
                WatchNotice::Changed(Change { before, .. }) => {
                    format!("-{}", before.as_ref().map_or("", |old| &*old.key().name))
                }
                WatchNotice::Synced => "synced".into(),
                WatchNotice::Unreadable { .. } | WatchNotice::Trouble(_) => "trouble".into(),
            };
            recorded.lock().expect("no writer panics").push(line);
        };
        let resource = ApiResource::erase::<ConfigMap>(&());
        let source = WatchSource::Whole(Api::default_namespaced_with(client.clone(), &resource));
        let keep = Arc::new(move |object| Ok(kernel::object::Object::new(object, &resource)));
        let watch = Watch { source, config, keep, by_name: Vec::new() };
        let mut done = tokio::task::JoinSet::new();
        done.spawn(watch.follow(shared.clone(), record, CancellationToken::new()));
        Self { notices, shared, _done: done }
    }

    fn notices(&self) -> Vec<String> {
        self.notices.lock().expect("no writer panics").clone()
    }

    fn known(&self) -> Vec<String> {
        let names = self.shared.read().iter().map(|(key, _)| key.name.to_string()).collect::<Vec<_>>();
        names.into_iter().filter(|name| name != "kube-root-ca.crt").collect()
    }

    async fn notifies(&self, notice: &str) -> Result<()> {
        wait::until(&format!("the notice {notice} of the watch"), async || {
            let seen = self.notices();
            Ok(holds(seen.iter().any(|entry| entry == notice), seen.join(" ")))
        })
        .await
    }
}

/// Both kinds of an initial list.
fn configs() -> [watcher::Config; 2] {
    [watcher::Config::default(), watcher::Config::default().streaming_lists()]
}

#[tokio::test]
async fn no_delete_is_missed_when_a_watch_is_interrupted() -> Result<()> {
    let fixture = Fixture::start().await?;
    for config in configs() {
        for cut in [Cut::Clean, Cut::Broken, Cut::Expired, Cut::Truncated] {
            fixture.create("stays").await?;
            fixture.create("goes").await?;
            let watch = Running::start(&fixture.client, config.clone());
            watch.notifies("synced").await?;
            // The next attempt fails too, and the resource version has expired by then.
            let watches = Calls::of(Verb::Watch, KIND);
            let calls = watches.clone();
            fixture.script.add(FaultRule { calls, hits: Hits::Nth(1), fault: Fault::Expired });
            fixture.script.cut(Some(KIND), cut);
            fixture.delete("goes").await?;
            fixture.create("new").await?;
            watch.notifies("-goes").await?;
            watch.notifies("+new").await?;
            assert_eq!(watch.known(), ["new", "stays"], "{cut:?}");
            fixture.script.clear();
            for name in ["stays", "new"] {
                fixture.delete(name).await?;
            }
            watch.notifies("-new").await?;
        }
    }
    Ok(())
}

#[tokio::test]
async fn delayed_events_show_old_state_until_they_are_released() -> Result<()> {
    let fixture = Fixture::start().await?;
    for expired in [false, true] {
        fixture.create("goes").await?;
        let watch = Running::start(&fixture.client, watcher::Config::default().streaming_lists());
        watch.notifies("synced").await?;
        fixture.script.hold(KIND);
        fixture.delete("goes").await?;
        fixture.create("new").await?;
        // Another object with the same name, which an outdated cache must not confuse.
        fixture.create("goes").await?;
        assert!(tokio::time::timeout(Duration::from_secs(2), watch.notifies("+new")).await.is_err());
        assert_eq!(watch.known(), ["goes"]);
        if expired {
            fixture.script.release_as_expired(KIND);
        } else {
            fixture.script.release(KIND);
        }
        watch.notifies("+new").await?;
        wait::until("the store to be up to date", async || {
            let current = fixture.admin.get("goes").await?.metadata.uid;
            let known = watch
                .shared
                .read()
                .iter()
                .find(|(key, _)| &*key.name == "goes")
                .map(|(_, object)| object.identity().uid.to_string());
            Ok(holds(known == current, format!("{known:?}")))
        })
        .await?;
        assert_eq!(watch.notices().iter().any(|notice| notice == "trouble"), expired);
        for name in ["goes", "new"] {
            fixture.delete(name).await?;
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_frozen_view_shows_old_state_until_it_is_released() -> Result<()> {
    let fixture = Fixture::start().await?;
    for config in configs() {
        fixture.create("old").await?;
        let open = Running::start(&fixture.client, config.clone());
        open.notifies("+old").await?;
        fixture.script.freeze(fixture.view().await?);
        fixture.delete("old").await?;
        fixture.create("new").await?;

        let late = Running::start(&fixture.client, config);
        late.notifies("synced").await?;
        fixture.api().get("old").await?;
        assert_eq!(fixture.api().get_opt("new").await?, None);
        let listed = fixture.api().list(&ListParams::default().fields("metadata.name=old")).await?;
        assert_eq!(listed.items.len(), 1);
        assert_eq!(late.known(), ["old"]);
        assert_eq!(open.known(), ["old"]);
        // Writes reach the API server, which compares them with the current state.
        let touch = Patch::Merge(json!({"metadata": {"labels": {"a": "b"}}}));
        assert!(fixture.api().patch("old", &PatchParams::default(), &touch).await.is_err());
        fixture.api().patch("new", &PatchParams::default(), &touch).await?;

        fixture.script.thaw(KIND);
        for watch in [&open, &late] {
            watch.notifies("-old").await?;
            watch.notifies("+new").await?;
            assert_eq!(watch.known(), ["new"]);
        }
        fixture.delete("new").await?;
        open.notifies("-new").await?;
    }
    Ok(())
}
