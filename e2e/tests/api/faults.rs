//! The kernel's faults on a real API server: what an operator sees of them, and what the server has done meanwhile.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Context, Result};
use e2e::wait::{self, holds};
use k8s_openapi::api::core::v1::ConfigMap;
use kernel::call::Verb;
use kernel::faults::{self, Calls, Counts, Cut, Fault, Hits, Object, Refusal, Rule, Script, View};
use kernel::object::Kept as _;
use kernel::store::Change;
use kernel::watch::{Notice, Shared, Source, Watch};
use kube::api::{ApiResource, DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::runtime::watcher;
use kube::{Api, Client, Config, ResourceExt};
use lab::ControlPlane;
use serde_json::json;
use tokio_util::sync::CancellationToken;

const KIND: &str = "configmaps";

/// A server, an administrator who always sees the truth, and a process under test.
struct Stage {
    plane: ControlPlane,
    truth: Api<ConfigMap>,
    script: Script,
    client: Client,
}

impl Stage {
    async fn set() -> Result<Self> {
        let plane = ControlPlane::start().await?;
        let truth = Api::default_namespaced(plane.client().await?);
        let script = Script::default();
        let client = Self::process(&plane, &script).await?;
        Ok(Self { plane, truth, script, client })
    }

    /// The client of a process that the script disturbs.
    async fn process(plane: &ControlPlane, script: &Script) -> Result<Client> {
        let file = Kubeconfig::read_from(plane.kubeconfig())?;
        let config = Config::from_custom_kubeconfig(file, &KubeConfigOptions::default()).await?;
        Ok(faults::client(config, script)?)
    }

    fn api(&self) -> Api<ConfigMap> {
        Api::default_namespaced(self.client.clone())
    }

    async fn create(&self, name: &str) -> Result<()> {
        self.truth.create(&PostParams::default(), &config(name)?).await?;
        Ok(())
    }

    async fn delete(&self, name: &str) -> Result<()> {
        self.truth.delete(name, &DeleteParams::default()).await?;
        Ok(())
    }

    /// A snapshot of what is there now.
    async fn view(&self) -> Result<View> {
        let client = self.plane.client().await?;
        Ok(View::record(&client, &ApiResource::erase::<ConfigMap>(&())).await?)
    }
}

fn config(name: &str) -> Result<ConfigMap> {
    Ok(serde_json::from_value(json!({"metadata": {"name": name}}))?)
}

fn on_write(number: u64, fault: Fault) -> Rule {
    Rule { calls: Calls::writes(), hits: Hits::Nth(number), fault }
}

#[tokio::test]
async fn after_a_lost_answer_the_object_is_there() -> Result<()> {
    let stage = Stage::set().await?;
    stage.script.add(on_write(1, Fault::AnswerLost));
    let answer = stage.api().create(&PostParams::default(), &config("one")?).await;
    assert!(matches!(answer, Err(kube::Error::Service(_))), "{answer:?}");
    stage.truth.get("one").await?;

    let again = stage.api().create(&PostParams::default(), &config("one")?).await;
    assert!(matches!(again, Err(kube::Error::Api(status)) if status.is_already_exists()));
    let object = Object { kind: KIND.into(), namespace: "default".into(), name: "one".into() };
    let counts = Counts { creates: 1, changes: 0, deletes: 0 };
    assert_eq!(stage.script.trace().counts(), BTreeMap::from([(object, counts)]));
    Ok(())
}

#[tokio::test]
async fn refusals_reach_the_caller_and_nothing_is_written() -> Result<()> {
    let stage = Stage::set().await?;
    for (number, refusal) in (1..).zip(Refusal::ALL) {
        stage.script.add(on_write(number, Fault::Refused(refusal)));
    }
    for refusal in Refusal::ALL {
        match stage.api().create(&PostParams::default(), &config("one")?).await {
            Err(kube::Error::Api(status)) => assert_eq!(status.code, refusal.code()),
            other => panic!("{refusal:?} did not reach the caller: {other:?}"),
        }
    }
    assert_eq!(stage.truth.get_opt("one").await?, None);
    stage.api().create(&PostParams::default(), &config("one")?).await?;
    // The server's own conflict reaches the caller as well, and shows in the trace.
    let stale = serde_json::from_value(json!({"metadata": {"name": "one", "resourceVersion": "1"}}))?;
    let answer = stage.api().replace("one", &PostParams::default(), &stale).await;
    assert!(matches!(answer, Err(kube::Error::Api(status)) if status.is_conflict()));
    let trace = stage.script.trace();
    let last = trace.0.last().context("a trace")?;
    assert_eq!((last.status, last.preconditions.resource_version.as_deref()), (Some(409), Some("1")));
    Ok(())
}

#[tokio::test]
async fn a_process_that_crashed_writes_nothing_more_and_its_successor_does() -> Result<()> {
    for (fault, written) in [(Fault::CrashBefore, false), (Fault::CrashAfter, true)] {
        let stage = Stage::set().await?;
        stage.script.add(on_write(2, fault));
        let api = stage.api();
        let process = async {
            for name in ["one", "two", "three"] {
                api.create(&PostParams::default(), &config(name)?).await?;
            }
            anyhow::Ok(())
        };
        tokio::select! {
            ended = process => panic!("it did not crash: {ended:?}"),
            () = stage.script.crashed() => {}
        }
        let there = stage.truth.list(&ListParams::default()).await?;
        assert_eq!(there.iter().any(|object| object.name_any() == "two"), written);
        assert!(!there.iter().any(|object| object.name_any() == "three"));
        stage.script.restart();
        let next: Api<ConfigMap> =
            Api::default_namespaced(Stage::process(&stage.plane, &stage.script).await?);
        next.create(&PostParams::default(), &config("three")?).await?;
    }
    Ok(())
}

/// A watch of the kernel, and what it said: `+name`, `~name`, `-name`, `synced`, `trouble`.
struct Running {
    said: Arc<Mutex<Vec<String>>>,
    shared: Shared<kernel::object::Object>,
    _done: tokio::task::JoinSet<()>,
}

impl Running {
    fn start(client: &Client, config: watcher::Config) -> Self {
        let (said, shared) = (Arc::new(Mutex::new(Vec::new())), Shared::default());
        let notes = Arc::clone(&said);
        let tell = move |notice: Notice<kernel::object::Object>| {
            let word = match notice {
                Notice::Changed(Change { before: None, after: Some(new) }) => format!("+{}", new.key().name),
                Notice::Changed(Change { before: Some(_), after: Some(new) }) => {
                    format!("~{}", new.key().name)
                }
                Notice::Changed(Change { before, .. }) => {
                    format!("-{}", before.as_ref().map_or("", |old| &*old.key().name))
                }
                Notice::Synced => "synced".into(),
                Notice::Unreadable { .. } | Notice::Trouble(_) => "trouble".into(),
            };
            notes.lock().expect("no writer panics").push(word);
        };
        let resource = ApiResource::erase::<ConfigMap>(&());
        let source = Source::Whole(Api::default_namespaced_with(client.clone(), &resource));
        let keep = Arc::new(move |object| Ok(kernel::object::Object::new(object, &resource)));
        let watch = Watch { source, config, keep, by_name: Vec::new() };
        let mut done = tokio::task::JoinSet::new();
        done.spawn(watch.follow(shared.clone(), tell, CancellationToken::new()));
        Self { said, shared, _done: done }
    }

    fn words(&self) -> Vec<String> {
        self.said.lock().expect("no writer panics").clone()
    }

    fn known(&self) -> Vec<String> {
        let names = self.shared.read().iter().map(|(key, _)| key.name.to_string()).collect::<Vec<_>>();
        names.into_iter().filter(|name| name != "kube-root-ca.crt").collect()
    }

    async fn says(&self, word: &str) -> Result<()> {
        wait::until(&format!("the watch to say {word}"), async || {
            let seen = self.words();
            Ok(holds(seen.iter().any(|entry| entry == word), seen.join(" ")))
        })
        .await
    }
}

/// Both ways of a first list.
fn ways() -> [watcher::Config; 2] {
    [watcher::Config::default(), watcher::Config::default().streaming_lists()]
}

#[tokio::test]
async fn a_cut_watch_costs_no_delete() -> Result<()> {
    let stage = Stage::set().await?;
    for config in ways() {
        for cut in [Cut::Clean, Cut::Broken, Cut::Expired, Cut::Truncated] {
            stage.create("stays").await?;
            stage.create("goes").await?;
            let watch = Running::start(&stage.client, config.clone());
            watch.says("synced").await?;
            // The next attempt fails too, and history is gone by then.
            let watches = Calls::of(Verb::Watch, KIND);
            stage.script.add(Rule { calls: watches.clone(), hits: Hits::Nth(1), fault: Fault::Expired });
            stage.script.cut(Some(KIND), cut);
            stage.delete("goes").await?;
            stage.create("new").await?;
            watch.says("-goes").await?;
            watch.says("+new").await?;
            assert_eq!(watch.known(), ["new", "stays"], "{cut:?}");
            stage.script.clear();
            for name in ["stays", "new"] {
                stage.delete(name).await?;
            }
            watch.says("-new").await?;
        }
    }
    Ok(())
}

#[tokio::test]
async fn held_events_show_old_state_until_they_are_released() -> Result<()> {
    let stage = Stage::set().await?;
    for expired in [false, true] {
        stage.create("goes").await?;
        let watch = Running::start(&stage.client, watcher::Config::default().streaming_lists());
        watch.says("synced").await?;
        stage.script.hold(KIND);
        stage.delete("goes").await?;
        stage.create("new").await?;
        // The same name, another object: what a stale cache must not confuse.
        stage.create("goes").await?;
        assert!(tokio::time::timeout(Duration::from_secs(2), watch.says("+new")).await.is_err());
        assert_eq!(watch.known(), ["goes"]);
        if expired {
            stage.script.release_as_expired(KIND);
        } else {
            stage.script.release(KIND);
        }
        watch.says("+new").await?;
        wait::until("the store to hold the present", async || {
            let present = stage.truth.get("goes").await?.metadata.uid;
            let known = watch
                .shared
                .read()
                .iter()
                .find(|(key, _)| &*key.name == "goes")
                .map(|(_, object)| object.identity().uid.to_string());
            Ok(holds(known == present, format!("{known:?}")))
        })
        .await?;
        assert_eq!(watch.words().iter().any(|word| word == "trouble"), expired);
        for name in ["goes", "new"] {
            stage.delete(name).await?;
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_frozen_view_shows_old_state_until_it_thaws() -> Result<()> {
    let stage = Stage::set().await?;
    for config in ways() {
        stage.create("old").await?;
        let open = Running::start(&stage.client, config.clone());
        open.says("+old").await?;
        stage.script.freeze(stage.view().await?);
        stage.delete("old").await?;
        stage.create("new").await?;

        let late = Running::start(&stage.client, config);
        late.says("synced").await?;
        stage.api().get("old").await?;
        assert_eq!(stage.api().get_opt("new").await?, None);
        let listed = stage.api().list(&ListParams::default().fields("metadata.name=old")).await?;
        assert_eq!(listed.items.len(), 1);
        assert_eq!(late.known(), ["old"]);
        assert_eq!(open.known(), ["old"]);
        // Writes reach the server, and are judged by what is there now.
        let touch = Patch::Merge(json!({"metadata": {"labels": {"a": "b"}}}));
        assert!(stage.api().patch("old", &PatchParams::default(), &touch).await.is_err());
        stage.api().patch("new", &PatchParams::default(), &touch).await?;

        stage.script.thaw(KIND);
        for watch in [&open, &late] {
            watch.says("-old").await?;
            watch.says("+new").await?;
            assert_eq!(watch.known(), ["new"]);
        }
        stage.delete("new").await?;
        open.says("-new").await?;
    }
    Ok(())
}
