//! The environment of one run of a scenario: a namespace, the operator, the script of its faults, and the waits.

#![expect(clippy::disallowed_methods, reason = "tests play the users and controllers of a cluster")]

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use futures::FutureExt;
use k8s_openapi::api::core::v1::{Event, Pod};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kernel::declare::Kind;
use kernel::faults::Script;
use kube::api::{DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams, TypeMeta};
use kube::{Api, ResourceExt};
use lab::clock::{Span, Stopwatch, wait_for};
use serde_json::{Value, json};

use crate::cluster::TestCluster;
use crate::operator::{Operator, Passes};
use crate::pods::Pods;
use crate::scenario::{Done, Edit, Subject, UserAction, kind_name};
use crate::state::State;

/// How long the operator must send no requests to count as settled: longer than its longest pause.
const QUIET: Duration = Duration::from_millis(600);
/// How long a change may take.
pub(crate) const LIMIT: Duration = Duration::from_secs(75);
/// How long an operator works with an outdated cache.
const STALE: Duration = Duration::from_secs(3);
const TICK: Duration = Duration::from_millis(40);

/// How many events are printed for a change that does not complete.
const EVENTS: usize = 8;

/// The environment of one run.
pub struct Testbed<'a> {
    /// The cluster.
    pub cluster: &'a TestCluster,
    /// The kind under test.
    pub subject: &'a Subject,
    /// The namespace of this run.
    pub namespace: String,
    /// The faults, and the requests of the operator.
    pub script: Script,
    /// How many passes there were over the resource.
    pub passes: Passes,
    operator: Option<Operator>,
}

impl<'a> Testbed<'a> {
    /// A fresh namespace with an operator.
    pub async fn open(cluster: &'a TestCluster, subject: &'a Subject) -> Result<Self> {
        let namespace = cluster.namespace().await?;
        let passes = Passes::of(subject.declaration.name);
        let mut testbed =
            Self { cluster, subject, namespace, script: Script::default(), passes, operator: None };
        testbed.start()?;
        Ok(testbed)
    }

    /// Starts the operator with empty caches.
    pub fn start(&mut self) -> Result<()> {
        let started =
            Operator::start(self.cluster, self.subject, &self.namespace, &self.script, &self.passes)?;
        self.operator = Some(started);
        Ok(())
    }

    /// Stops the operator gracefully.
    pub async fn stop(&mut self) {
        if let Some(operator) = self.operator.take() {
            operator.stop().await;
        }
        self.script.restart();
    }

    /// Kills the operator.
    pub fn kill(&mut self) {
        self.operator = None;
        self.script.restart();
    }

    /// Restarts the operator if it has crashed.
    fn restart_if_crashed(&mut self) -> Result<()> {
        if self.operator.is_some() && self.script.crashed().now_or_never().is_some() {
            self.kill();
            self.start()?;
        }
        Ok(())
    }

    /// Performs an action of a user.
    pub async fn perform(&self, action: &UserAction) -> Result<()> {
        let resources = self.cluster.api(&self.namespace, self.subject.declaration.primary);
        let name = self.subject.resource;
        match action {
            UserAction::Create(objects) => {
                for object in objects {
                    self.create(object).await?;
                }
            }
            UserAction::Patch(patch) => {
                let parameters = PatchParams { field_manager: Some("user".into()), ..PatchParams::default() };
                resources.patch(name, &parameters, &Patch::Merge(patch)).await?;
            }
            UserAction::Delete => {
                resources.delete(name, &DeleteParams::default()).await?;
            }
            UserAction::Edit(edits) => {
                for edit in edits {
                    self.edit(edit).await.with_context(|| format!("{} {}", edit.kind, edit.name))?;
                }
            }
        }
        Ok(())
    }

    async fn edit(&self, Edit { kind, name, patch }: &Edit) -> Result<()> {
        let api = self.cluster.api(&self.namespace, self.kind(kind)?);
        match patch {
            Some(patch) => {
                let parameters = PatchParams { field_manager: Some("user".into()), ..PatchParams::default() };
                api.patch(name, &parameters, &Patch::Merge(patch)).await?;
            }
            None => {
                api.delete(name, &DeleteParams::default()).await?;
            }
        }
        Ok(())
    }

    fn kind(&self, name: &str) -> Result<Kind> {
        let mut kinds = self.subject.declaration.kinds();
        kinds.find(|kind| kind.kind == name).with_context(|| format!("{name} is not declared"))
    }

    /// A declared kind, by its name on the command line of `kubectl`.
    pub(crate) fn declared(&self, name: &str) -> Result<Kind> {
        let mut kinds = self.subject.declaration.kinds();
        kinds.find(|kind| kind_name(*kind) == name).with_context(|| format!("{name} is not declared"))
    }

    async fn create(&self, object: &Value) -> Result<()> {
        let object: DynamicObject =
            serde_json::from_value(object.clone()).context("an object of a scenario")?;
        let types: &TypeMeta = object.types.as_ref().context("an object of a scenario has a kind")?;
        let api = self.cluster.api(&self.namespace, self.kind(&types.kind)?);
        let parameters = PostParams { field_manager: Some("kubectl-create".into()), ..PostParams::default() };
        let created = api.create(&parameters, &object).await;
        created.with_context(|| format!("cannot create {} {}", types.kind, object.name_any()))?;
        Ok(())
    }

    /// All objects as they are now.
    pub async fn look(&self) -> Result<State> {
        self.cluster.look(&self.namespace, self.subject.declaration).await
    }

    /// The objects of one kind: UID and resource version.
    pub async fn versions(&self, kind: &str) -> Result<BTreeSet<(String, String)>> {
        let api = self.cluster.api(&self.namespace, self.declared(kind)?);
        let list = api.list_metadata(&ListParams::default()).await?;
        let version = |metadata: ObjectMeta| {
            (metadata.uid.unwrap_or_default(), metadata.resource_version.unwrap_or_default())
        };
        Ok(list.items.into_iter().map(|item| version(item.metadata)).collect())
    }

    /// Every pod that was created here so far. Waits until the observer has received all events, so pods must no longer
    /// change.
    pub async fn pods(&self) -> Result<Pods> {
        let api: Api<Pod> = Api::namespaced(self.cluster.client.clone(), &self.namespace);
        let agreed = wait_for(LIMIT, || async {
            let listed = api.list_metadata(&ListParams::default()).await.ok()?;
            let listed: BTreeSet<&str> =
                listed.iter().filter_map(|pod| pod.metadata.uid.as_deref()).collect();
            let pods = self.cluster.observer.pods(&self.namespace);
            (pods.existing() == listed).then_some(pods)
        });
        agreed
            .await
            .with_context(|| format!("the observed pods differ from the pods that exist, after {LIMIT:?}"))
    }

    /// Waits until a change is complete. An operator that crashes is restarted.
    pub async fn settle(&mut self, done: Done) -> Result<State> {
        let (watch, mut silent) = (Stopwatch::start(), Stopwatch::start());
        let mut requests = self.script.requests();
        let mut ticks = tokio::time::interval(TICK);
        let is_complete = |state: &State| match done {
            Done::Settled(test) => state.is_settled() && test(state),
            Done::Reached(test) => test(state),
        };
        while watch.elapsed() < LIMIT {
            ticks.tick().await;
            self.restart_if_crashed()?;
            if requests != self.script.requests() {
                (requests, silent) = (self.script.requests(), Stopwatch::start());
            }
            let quiet = silent.elapsed() >= QUIET || matches!(done, Done::Reached(_));
            if !quiet || !self.cluster.observer.sees(&self.namespace, is_complete) {
                continue;
            }
            let state = self.look().await?;
            if is_complete(&state) && (requests == self.script.requests() || matches!(done, Done::Reached(_)))
            {
                return Ok(state);
            }
        }
        bail!("not complete after {}: {}", Span(LIMIT), self.describe(&self.look().await?).await)
    }

    /// Waits until the operator sends no requests, whatever the state.
    pub async fn silent(&mut self) -> Result<()> {
        let (watch, mut silent) = (Stopwatch::start(), Stopwatch::start());
        let mut requests = self.script.requests();
        let mut ticks = tokio::time::interval(TICK);
        while silent.elapsed() < QUIET {
            ticks.tick().await;
            self.restart_if_crashed()?;
            if requests != self.script.requests() {
                (requests, silent) = (self.script.requests(), Stopwatch::start());
            }
            if watch.elapsed() > LIMIT {
                bail!("the operator still sent requests after {}", Span(LIMIT));
            }
        }
        Ok(())
    }

    /// Waits until the operator sends no requests, at most for a while: with an outdated cache it may retry what the server
    /// rejects.
    pub async fn silent_for_a_while(&mut self) {
        let _ = tokio::time::timeout(STALE, self.silent()).await;
    }

    async fn describe(&self, state: &State) -> String {
        let settled =
            if state.is_settled() { "Kubernetes has settled" } else { "Kubernetes has not settled" };
        let status = self.subject.resource_in(state).map_or_else(
            || "the resource does not exist".to_owned(),
            |resource| json!({"metadata": {"generation": resource["metadata"]["generation"]}, "status": resource["status"]}).to_string(),
        );
        let pods = |pod: &Value| {
            let (metadata, status) = (&pod["metadata"], &pod["status"]);
            json!({"name": metadata["name"], "deletionTimestamp": metadata["deletionTimestamp"], "phase": status["phase"], "conditions": status["conditions"]})
        };
        let (pods, events) = (state.of_kind("pods").map(pods).collect::<Value>(), self.last_events().await);
        format!("{settled}; {} objects; {status}; pods {pods}; {events}", state.0.len())
    }

    /// The last events of the controllers of Kubernetes.
    async fn last_events(&self) -> String {
        let events: Api<Event> = Api::namespaced(self.cluster.client.clone(), &self.namespace);
        let mut events = match events.list(&ListParams::default()).await {
            Ok(events) => events.items,
            Err(error) => return format!("no events: {error}"),
        };
        events.sort_by_key(|event| event.last_timestamp.clone());
        let line = |event: &Event| {
            let (reason, message) = (event.reason.as_deref(), event.message.as_deref());
            format!(
                "{} x{}: {}",
                reason.unwrap_or_default(),
                event.count.unwrap_or(1),
                message.unwrap_or_default()
            )
        };
        let last: Vec<String> = events.iter().rev().take(EVENTS).map(line).collect();
        format!("the last events: {}", last.join("; "))
    }
}

impl Drop for Testbed<'_> {
    fn drop(&mut self) {
        self.operator = None;
        self.cluster.remove(self.namespace.clone(), self.subject.declaration);
    }
}
