//! The applications of one measurement: creates them, waits for them, changes them.

#![expect(clippy::disallowed_methods, reason = "a benchmark plays the users of a cluster")]

use std::time::Duration;

use anyhow::{Context, Result, bail};
use api_example::{ExampleApp, ExampleAppSpec};
use futures::{StreamExt, TryStreamExt, stream};
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::Namespace;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams};
use kube::{Api, Client, CustomResourceExt};
use lab::clock::{Stopwatch, wait_for};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::operator::LIMIT;

/// How many applications are in one namespace.
const TOGETHER: usize = 50;
/// How many requests we have under way at once.
const AT_ONCE: usize = 8;
/// How many applications one answer of the server has.
const PAGE: u32 = 500;

/// All applications of a cluster.
pub(crate) struct Applications {
    client: Client,
    number: usize,
}

impl Applications {
    /// Makes this many, and what they need.
    pub(crate) async fn create(client: Client, number: usize) -> Result<Self> {
        let own = Self { client, number };
        let definitions: Api<CustomResourceDefinition> = Api::all(own.client.clone());
        definitions.create(&PostParams::default(), &ExampleApp::crd()).await.context("the definition")?;
        let all: Api<ExampleApp> = Api::all(own.client.clone());
        let known = wait_for(LIMIT, async || all.list(&ListParams::default()).await.ok());
        known.await.context("the server does not learn of ExampleApps")?;
        let namespaces: Api<Namespace> = Api::all(own.client.clone());
        for at in (0..number).step_by(TOGETHER) {
            let namespace: Namespace = serde_json::from_value(json!({"metadata": {"name": namespace(at)}}))?;
            namespaces.create(&PostParams::default(), &namespace).await.context("a namespace")?;
        }
        stream::iter(0..number)
            .map(|at| own.create_one(at))
            .buffer_unordered(AT_ONCE)
            .try_collect::<()>()
            .await?;
        Ok(own)
    }

    async fn create_one(&self, at: usize) -> Result<()> {
        let spec: ExampleAppSpec = serde_json::from_value(json!({
            "appVersion": "0.0.1",
            "features": {"exampleFeature1": true, "exampleFeature2": false},
            "resources": memory(64),
        }))?;
        let app = ExampleApp::new(&name(at), spec);
        self.apps(at).create(&PostParams::default(), &app).await.context("an ExampleApp")?;
        Ok(())
    }

    /// How many have their StatefulSet and a status about their present spec.
    pub(crate) async fn done(&self) -> Result<usize> {
        let sets: Api<StatefulSet> = Api::all(self.client.clone());
        let apps: Api<ExampleApp> = Api::all(self.client.clone());
        let sets = sets.list_metadata(&ListParams::default()).await?.items.len();
        let mut told = 0;
        let mut page = ListParams::default().limit(PAGE);
        loop {
            let found = apps.list(&page).await?;
            told += found.items.iter().filter(|app| is_told(app, app.metadata.generation)).count();
            match found.metadata.continue_.filter(|next| !next.is_empty()) {
                Some(next) => page = page.continue_token(&next),
                None => return Ok(told.min(sets)),
            }
        }
    }

    /// Changes one so that its StatefulSet is written. Returns the time until that was seen.
    pub(crate) async fn change(&self, at: usize, mebibytes: u32) -> Result<Duration> {
        let apps = self.apps(at);
        let sets: Api<StatefulSet> = Api::namespaced(self.client.clone(), &namespace(at));
        let named = format!("metadata.name={}", name(at));
        // From now on: the version of the object itself may be older than what the server remembers.
        let now = sets.list_metadata(&ListParams::default().fields(&named)).await?.metadata.resource_version;
        let version = now.context("a version")?;
        let only = WatchParams::default().fields(&named);
        let mut events = sets.watch(&only, &version).await?.boxed();
        let body = json!({"spec": {"resources": memory(mebibytes)}});
        let watch = Stopwatch::start();
        let changed = apps.patch(&name(at), &PatchParams::default(), &Patch::Merge(&body)).await?;
        let seen = async {
            while let Some(event) = events.try_next().await? {
                match event {
                    WatchEvent::Modified(set) if requests(&set) == memory(mebibytes)["requests"] => {
                        return Ok(watch.elapsed());
                    }
                    WatchEvent::Error(status) => bail!("the watch of a StatefulSet failed: {status:?}"),
                    WatchEvent::Added(_)
                    | WatchEvent::Modified(_)
                    | WatchEvent::Deleted(_)
                    | WatchEvent::Bookmark(_) => {}
                }
            }
            bail!("the watch of a StatefulSet ended")
        };
        let latency = timeout(LIMIT, seen).await.context("the StatefulSet does not change")??;
        let told = wait_for(LIMIT, async || {
            let app = apps.get(&name(at)).await.ok()?;
            is_told(&app, changed.metadata.generation).then_some(())
        });
        told.await.context("the status does not change")?;
        Ok(latency)
    }

    /// One application for each of so many changes, evenly spread.
    pub(crate) fn sample(&self, changes: usize) -> impl Iterator<Item = usize> + use<> {
        let number = self.number;
        (0..changes).map(move |change| change * number / changes)
    }

    fn apps(&self, at: usize) -> Api<ExampleApp> {
        Api::namespaced(self.client.clone(), &namespace(at))
    }
}

fn namespace(at: usize) -> String {
    format!("bench-{:03}", at / TOGETHER)
}

fn name(at: usize) -> String {
    format!("app-{at:05}")
}

fn memory(mebibytes: u32) -> Value {
    json!({"requests": {"memory": format!("{mebibytes}Mi")}})
}

fn is_told(app: &ExampleApp, generation: Option<i64>) -> bool {
    app.status.as_ref().is_some_and(|status| status.observed_generation == generation)
}

/// What a set asks for each instance.
fn requests(set: &StatefulSet) -> Value {
    let pod = set.spec.as_ref().and_then(|spec| spec.template.spec.as_ref());
    let resources = pod.and_then(|pod| pod.containers.first()?.resources.as_ref()?.requests.as_ref());
    json!(resources)
}
