//! One scenario being played in one namespace: the operator, the script that disturbs it, and the waits.

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

use crate::operator::{Operator, Passes};
use crate::pods::Pods;
use crate::scenario::{Deed, Done, Edit, Subject, kind_name};
use crate::state::State;
use crate::world::World;

/// How long the operator must send no requests to count as settled: longer than its longest pause.
const QUIET: Duration = Duration::from_millis(600);
/// How long a change may take.
pub(crate) const LIMIT: Duration = Duration::from_secs(75);
/// How long an operator works with an old view.
const STALE: Duration = Duration::from_secs(3);
const TICK: Duration = Duration::from_millis(40);

/// How many events are printed for a change that does not complete.
const EVENTS: usize = 8;

/// A scenario being played.
pub struct Stage<'a> {
    /// Where.
    pub world: &'a World,
    /// Whose operator.
    pub subject: &'a Subject,
    /// In which namespace.
    pub namespace: String,
    /// What goes wrong.
    pub script: Script,
    /// How many passes there were over the resource.
    pub passes: Passes,
    operator: Option<Operator>,
}

impl<'a> Stage<'a> {
    /// A fresh namespace with an operator.
    pub async fn open(world: &'a World, subject: &'a Subject) -> Result<Self> {
        let namespace = world.namespace().await?;
        let passes = Passes::of(subject.declaration.name);
        let mut stage = Self { world, subject, namespace, script: Script::default(), passes, operator: None };
        stage.start()?;
        Ok(stage)
    }

    /// Starts the operator, with empty stores.
    pub fn start(&mut self) -> Result<()> {
        let started =
            Operator::start(self.world, self.subject, &self.namespace, (&self.script, &self.passes))?;
        self.operator = Some(started);
        Ok(())
    }

    /// Lets the operator end by itself.
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

    /// Starts it again if it has crashed.
    fn revive(&mut self) -> Result<()> {
        if self.operator.is_some() && self.script.crashed().now_or_never().is_some() {
            self.kill();
            self.start()?;
        }
        Ok(())
    }

    /// Does what a user does.
    pub async fn perform(&self, deed: &Deed) -> Result<()> {
        let resources = self.world.api(&self.namespace, self.subject.declaration.primary);
        let name = self.subject.resource;
        match deed {
            Deed::Create(objects) => {
                for object in objects {
                    self.create(object).await?;
                }
            }
            Deed::Patch(patch) => {
                let parameters = PatchParams { field_manager: Some("user".into()), ..PatchParams::default() };
                resources.patch(name, &parameters, &Patch::Merge(patch)).await?;
            }
            Deed::Delete => {
                resources.delete(name, &DeleteParams::default()).await?;
            }
            Deed::Edit(edits) => {
                for edit in edits {
                    self.edit(edit).await.with_context(|| format!("{} {}", edit.kind, edit.name))?;
                }
            }
        }
        Ok(())
    }

    async fn edit(&self, Edit { kind, name, patch }: &Edit) -> Result<()> {
        let api = self.world.api(&self.namespace, self.kind(kind)?);
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

    fn kind(&self, called: &str) -> Result<Kind> {
        let mut kinds = self.subject.declaration.kinds();
        kinds.find(|kind| kind.kind == called).with_context(|| format!("{called} is not declared"))
    }

    /// A declared kind, as `kubectl` takes it.
    pub(crate) fn declared(&self, name: &str) -> Result<Kind> {
        let mut kinds = self.subject.declaration.kinds();
        kinds.find(|kind| kind_name(*kind) == name).with_context(|| format!("{name} is not declared"))
    }

    async fn create(&self, object: &Value) -> Result<()> {
        let object: DynamicObject =
            serde_json::from_value(object.clone()).context("an object of a scenario")?;
        let types: &TypeMeta = object.types.as_ref().context("an object of a scenario has a kind")?;
        let api = self.world.api(&self.namespace, self.kind(&types.kind)?);
        let parameters = PostParams { field_manager: Some("kubectl-create".into()), ..PostParams::default() };
        let created = api.create(&parameters, &object).await;
        created.with_context(|| format!("cannot create {} {}", types.kind, object.name_any()))?;
        Ok(())
    }

    /// What is there now.
    pub async fn look(&self) -> Result<State> {
        self.world.look(&self.namespace, self.subject.declaration).await
    }

    /// The objects of one kind, each with its unique id and version.
    pub async fn versions(&self, kind: &str) -> Result<BTreeSet<(String, String)>> {
        let api = self.world.api(&self.namespace, self.declared(kind)?);
        let list = api.list_metadata(&ListParams::default()).await?;
        let version = |metadata: ObjectMeta| {
            (metadata.uid.unwrap_or_default(), metadata.resource_version.unwrap_or_default())
        };
        Ok(list.items.into_iter().map(|item| version(item.metadata)).collect())
    }

    /// Every pod that was made here so far. To be asked when nothing more happens to them: what is still on its way to the
    /// observer is waited for.
    pub async fn pods(&self) -> Result<Pods> {
        let api: Api<Pod> = Api::namespaced(self.world.client.clone(), &self.namespace);
        let agreed = wait_for(LIMIT, || async {
            let there = api.list_metadata(&ListParams::default()).await.ok()?;
            let there: BTreeSet<&str> = there.iter().filter_map(|pod| pod.metadata.uid.as_deref()).collect();
            let pods = self.world.observer.pods(&self.namespace);
            (pods.alive() == there).then_some(pods)
        });
        agreed
            .await
            .with_context(|| format!("the pods that were seen are others than there are, after {LIMIT:?}"))
    }

    /// Waits until a change is over. An operator that crashes meanwhile is started again.
    pub async fn settle(&mut self, done: Done) -> Result<State> {
        let (watch, mut silent) = (Stopwatch::start(), Stopwatch::start());
        let mut requests = self.script.requests();
        let mut ticks = tokio::time::interval(TICK);
        let over = |state: &State| match done {
            Done::Settled(test) => state.is_calm() && test(state),
            Done::Reached(test) => test(state),
        };
        while watch.elapsed() < LIMIT {
            ticks.tick().await;
            self.revive()?;
            if requests != self.script.requests() {
                (requests, silent) = (self.script.requests(), Stopwatch::start());
            }
            let quiet = silent.elapsed() >= QUIET || matches!(done, Done::Reached(_));
            if !quiet || !self.world.observer.sees(&self.namespace, over) {
                continue;
            }
            let state = self.look().await?;
            if over(&state) && (requests == self.script.requests() || matches!(done, Done::Reached(_))) {
                return Ok(state);
            }
        }
        bail!("not over in {}: {}", Span(LIMIT), self.describe(&self.look().await?).await)
    }

    /// Waits until the operator is silent, whatever there is.
    pub async fn silent(&mut self) -> Result<()> {
        let (watch, mut silent) = (Stopwatch::start(), Stopwatch::start());
        let mut requests = self.script.requests();
        let mut ticks = tokio::time::interval(TICK);
        while silent.elapsed() < QUIET {
            ticks.tick().await;
            self.revive()?;
            if requests != self.script.requests() {
                (requests, silent) = (self.script.requests(), Stopwatch::start());
            }
            if watch.elapsed() > LIMIT {
                bail!("the operator was not silent in {}", Span(LIMIT));
            }
        }
        Ok(())
    }

    /// Waits until the operator is silent, or has worked with an old view for a while: it may try again and again what
    /// the server refuses, and that is as it should be.
    pub async fn silent_if_it_can(&mut self) {
        let _ = tokio::time::timeout(STALE, self.silent()).await;
    }

    async fn describe(&self, state: &State) -> String {
        let calm = if state.is_calm() { "Kubernetes is calm" } else { "Kubernetes is not calm" };
        let status = self.subject.resource_in(state).map_or_else(
            || "there is no resource".to_owned(),
            |resource| json!({"metadata": {"generation": resource["metadata"]["generation"]}, "status": resource["status"]}).to_string(),
        );
        let pods = |pod: &Value| {
            let (metadata, status) = (&pod["metadata"], &pod["status"]);
            json!({"name": metadata["name"], "leaves": metadata["deletionTimestamp"], "phase": status["phase"], "conditions": status["conditions"]})
        };
        let (pods, happened) = (state.of_kind("pods").map(pods).collect::<Value>(), self.happened().await);
        format!("{calm}; {} objects; {status}; pods {pods}; {happened}", state.0.len())
    }

    /// What the controllers of Kubernetes say that they did last.
    async fn happened(&self) -> String {
        let events: Api<Event> = Api::namespaced(self.world.client.clone(), &self.namespace);
        let mut events = match events.list(&ListParams::default()).await {
            Ok(events) => events.items,
            Err(error) => return format!("no events: {error}"),
        };
        events.sort_by_key(|event| event.last_timestamp.clone());
        let words = |event: &Event| {
            let (reason, message) = (event.reason.as_deref(), event.message.as_deref());
            format!(
                "{} x{}: {}",
                reason.unwrap_or_default(),
                event.count.unwrap_or(1),
                message.unwrap_or_default()
            )
        };
        let last: Vec<String> = events.iter().rev().take(EVENTS).map(words).collect();
        format!("the last events: {}", last.join("; "))
    }
}

impl Drop for Stage<'_> {
    fn drop(&mut self) {
        self.operator = None;
        self.world.remove(self.namespace.clone(), self.subject.declaration);
    }
}
