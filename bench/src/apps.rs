//! The applications of one measurement: creates and changes them, and waits for the operator.

#![expect(clippy::disallowed_methods, reason = "a benchmark acts as the users of a cluster")]

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
const PER_NAMESPACE: usize = 50;
/// How many requests are sent at the same time.
const CONCURRENT: usize = 8;
/// How many applications one response of the API server has.
const PAGE: u32 = 500;

/// All applications of a cluster.
pub(crate) struct Applications {
    client: Client,
    number: usize,
}

impl Applications {
    /// Creates the definition, the namespaces and this number of applications.
    pub(crate) async fn create(client: Client, number: usize) -> Result<Self> {
        let own = Self { client, number };
        let definitions: Api<CustomResourceDefinition> = Api::all(own.client.clone());
        definitions
            .create(&PostParams::default(), &ExampleApp::crd())
            .await
            .context("cannot create a CRD")?;
        let all: Api<ExampleApp> = Api::all(own.client.clone());
        let served = wait_for(LIMIT, async || all.list(&ListParams::default()).await.ok());
        served.await.context("the API server does not serve ExampleApps")?;
        let namespaces: Api<Namespace> = Api::all(own.client.clone());
        for at in (0..number).step_by(PER_NAMESPACE) {
            let namespace: Namespace = serde_json::from_value(json!({"metadata": {"name": namespace(at)}}))?;
            namespaces
                .create(&PostParams::default(), &namespace)
                .await
                .context("cannot create a namespace")?;
        }
        stream::iter(0..number)
            .map(|at| own.create_one(at))
            .buffer_unordered(CONCURRENT)
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
        self.apps(at).create(&PostParams::default(), &app).await.context("cannot create an ExampleApp")?;
        Ok(())
    }

    /// How many applications have a StatefulSet and a status of the current generation.
    pub(crate) async fn installed(&self) -> Result<usize> {
        let sets: Api<StatefulSet> = Api::all(self.client.clone());
        let apps: Api<ExampleApp> = Api::all(self.client.clone());
        let sets = sets.list_metadata(&ListParams::default()).await?.items.len();
        let mut observed = 0;
        let mut page = ListParams::default().limit(PAGE);
        loop {
            let found = apps.list(&page).await?;
            observed += found.items.iter().filter(|app| is_observed(app, app.metadata.generation)).count();
            match found.metadata.continue_.filter(|next| !next.is_empty()) {
                Some(next) => page = page.continue_token(&next),
                None => return Ok(observed.min(sets)),
            }
        }
    }

    /// Changes an application so that its StatefulSet is written. Returns the time until that was seen.
    pub(crate) async fn change(&self, at: usize, mebibytes: u32) -> Result<Duration> {
        let apps = self.apps(at);
        let sets: Api<StatefulSet> = Api::namespaced(self.client.clone(), &namespace(at));
        let named = format!("metadata.name={}", name(at));
        // Not the version of the object, which can be too old for the watch cache of the API server.
        let now = sets.list_metadata(&ListParams::default().fields(&named)).await?.metadata.resource_version;
        let version = now.context("the list has no resourceVersion")?;
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
        let observed = wait_for(LIMIT, async || {
            let app = apps.get(&name(at)).await.ok()?;
            is_observed(&app, changed.metadata.generation).then_some(())
        });
        observed.await.context("the status does not change")?;
        Ok(latency)
    }

    /// One application for each change, evenly distributed.
    pub(crate) fn sample(&self, changes: usize) -> impl Iterator<Item = usize> + use<> {
        let number = self.number;
        (0..changes).map(move |change| change * number / changes)
    }

    fn apps(&self, at: usize) -> Api<ExampleApp> {
        Api::namespaced(self.client.clone(), &namespace(at))
    }
}

fn namespace(at: usize) -> String {
    format!("bench-{:03}", at / PER_NAMESPACE)
}

fn name(at: usize) -> String {
    format!("app-{at:05}")
}

fn memory(mebibytes: u32) -> Value {
    json!({"requests": {"memory": format!("{mebibytes}Mi")}})
}

fn is_observed(app: &ExampleApp, generation: Option<i64>) -> bool {
    app.status.as_ref().is_some_and(|status| status.observed_generation == generation)
}

/// The resource requests of each instance.
fn requests(set: &StatefulSet) -> Value {
    let pod = set.spec.as_ref().and_then(|spec| spec.template.spec.as_ref());
    let resources = pod.and_then(|pod| pod.containers.first()?.resources.as_ref()?.requests.as_ref());
    json!(resources)
}
