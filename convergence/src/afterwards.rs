//! What goes wrong when every change of a scenario is over.

use anyhow::{Context, Result, bail};
use kernel::call::Verb;
use kernel::faults::View;
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use serde_json::{Value, json};

use crate::drift::{self, Act, Drift};
use crate::plan::Moment;
use crate::play::{Cast, Player};
use crate::scenario::{Change, Deed, Done, Property, kind_name};
use crate::stage::Stage;
use crate::state::{FOREIGN_FINALIZER, State};

/// An annotation that no operator hands on to children: it is kubectl's own.
const ROUND: &str = "kubectl.kubernetes.io/round";

impl Player<'_> {
    /// Forces passes: an event about the resource, one about each child, and a restart. Nothing may be written.
    pub(crate) async fn idle(&mut self) -> Result<()> {
        let from = self.stage.script.requests();
        let state = self.stage.look().await?;
        let primary = self.cast.subject.declaration.primary;
        if self.cast.subject.resource_in(&state).is_some() {
            let api = self.cast.world.api(&self.stage.namespace, primary);
            for round in 0..3 {
                let patch = json!({"metadata": {"annotations": {ROUND: round.to_string()}}});
                api.patch(self.cast.subject.resource, &PatchParams::default(), &Patch::Merge(patch)).await?;
                self.stage.silent().await?;
            }
            let patch = json!({"metadata": {"annotations": {ROUND: null}}});
            api.patch(self.cast.subject.resource, &PatchParams::default(), &Patch::Merge(patch)).await?;
        }
        self.stage.stop().await;
        self.stage.start()?;
        self.stage.silent().await?;
        let trace = self.stage.script.trace();
        let writes = trace.0[from..].iter().filter(|entry| entry.call.is_write());
        let said = writes.map(|entry| format!("settled, and yet: {}", entry.call.describe()));
        self.verdict.wrong.extend(said);
        Ok(())
    }

    /// Deletes the resource and makes it again, with an operator that then starts from an old view of a kind, or of all.
    pub(crate) async fn stale(&mut self, kind: Option<&str>, moment: Moment) -> Result<State> {
        let Cast { world, subject, scenario, .. } = self.cast;
        let last = scenario.changes.last().context("a scenario has changes")?;
        let kinds: Vec<_> = subject
            .declaration
            .kinds()
            .filter(|known| kind.is_none_or(|kind| kind_name(*known) == kind))
            .collect();
        let mut views = Vec::new();
        if moment == Moment::Running {
            for kind in &kinds {
                views.push(View::record(&world.client, &kind.resource()).await?);
            }
        }
        self.stage.stop().await;
        self.stage.perform(&Deed::Delete).await?;
        if moment == Moment::Deleting {
            for kind in &kinds {
                views.push(View::record(&world.client, &kind.resource()).await?);
            }
        }
        self.stage.start()?;
        self.stage
            .settle(Done::Settled(|state| state.0.keys().all(|name| name.kind == "persistentvolumeclaims")))
            .await?;
        for change in &scenario.changes {
            self.stage.perform(&change.deed).await?;
            self.stage.settle(change.done).await?;
        }
        self.stage.kill();
        let (from, before) = (self.stage.script.requests(), self.stage.look().await?);
        for view in views {
            self.stage.script.freeze(view);
        }
        self.stage.start()?;
        self.stage.silent_if_it_can().await;
        let during = self.stage.look().await?;
        for kind in &kinds {
            self.stage.script.thaw(&kind_name(*kind));
        }
        let end = self.stage.settle(last.done).await?;
        let trace = self.stage.script.trace();
        let deletes = trace.0[from..].iter().filter(|entry| entry.wrote() && entry.call.verb == Verb::Delete);
        let said = deletes.map(|entry| format!("with an old view: {}", entry.call.describe()));
        self.verdict.wrong.extend(said);
        for (name, object) in &before.0 {
            let uid = |state: &State| state.0.get(name).map(|object| object["metadata"]["uid"].clone());
            if name.kind != "pods"
                && [uid(&during), uid(&end)]
                    .iter()
                    .any(|uid| uid.as_ref() != Some(&object["metadata"]["uid"]))
            {
                self.verdict.wrong.push(format!("{name} is not the object that it was before the old view"));
            }
        }
        Ok(end)
    }

    /// Does to a child what somebody else would, and waits until it is mended.
    pub(crate) async fn drift(&mut self, Drift { name, act }: &Drift, settled: &State) -> Result<State> {
        let done = self.cast.scenario.changes.last().context("a scenario has changes")?.done;
        let object = settled.0.get(name).with_context(|| format!("there is no {name}"))?;
        let kinds = || self.cast.subject.declaration.kinds();
        let kind = kinds().find(|kind| kind_name(*kind) == name.kind).context("a declared kind")?;
        let api = self.cast.world.api(&self.stage.namespace, kind);
        match act {
            Act::Delete => {
                api.delete(&name.name, &DeleteParams::background()).await?;
            }
            Act::DeleteSlowly => {
                let finalizers = |list: Value| Patch::Merge(json!({"metadata": {"finalizers": list}}));
                let parameters = PatchParams::default();
                api.patch(&name.name, &parameters, &finalizers(json!([FOREIGN_FINALIZER]))).await?;
                self.stage.silent().await?;
                api.delete(&name.name, &DeleteParams::background()).await?;
                self.stage.silent().await?;
                api.patch(&name.name, &parameters, &finalizers(Value::Null)).await?;
            }
            Act::StripLabels | Act::StripOwners | Act::Mark | Act::Edit(_) => {
                let parameters =
                    PostParams { field_manager: Some("somebody-else".into()), ..PostParams::default() };
                let mut edited = false;
                for gentle in [true, false] {
                    let after = drift::after(object, act, gentle).context("an edit leaves an object")?;
                    let after = serde_json::from_value(after).context("an edit leaves an object")?;
                    edited = edited || api.replace(&name.name, &parameters, &after).await.is_ok();
                }
                if !edited {
                    self.verdict.spared = Some("the server refuses that edit");
                    return Ok(settled.clone());
                }
            }
        }
        let end = self.stage.settle(done).await?;
        let mut missing = Vec::new();
        let end = self
            .patiently(end, |end| {
                if *act == Act::Mark
                    && let Some(object) = end.0.get_mut(name)
                {
                    missing = drift::unmark(object);
                }
                if let Act::Edit(pointer) = act
                    && (self.cast.subject.left_to_others)(name, pointer)
                {
                    // What is left to others stays as they made it; that the operator is silent is all that is asked.
                    end.0.insert(name.clone(), object.clone());
                }
            })
            .await?;
        self.verdict.wrong.extend(missing);
        Ok(end)
    }

    /// Changes one property: the same as from scratch, and back to where it was.
    pub(crate) async fn property(&mut self, property: &Property, settled: &State) -> Result<()> {
        let Cast { world, subject, scenario, reference } = self.cast;
        let last = scenario.changes.last().context("a scenario has changes")?;
        let first = scenario.changes.first().context("a scenario has changes")?;
        self.stage.perform(&Deed::Patch(json!({"spec": property.change}))).await?;
        let changed = self.stage.settle(last.done).await?.leaves(&self.stage.namespace);
        if let Some(back) = &property.back {
            self.stage.perform(&Deed::Patch(json!({"spec": back}))).await?;
            let end = self.stage.settle(last.done).await?;
            let (before, after) = (settled.leaves(&self.stage.namespace), end.leaves(&self.stage.namespace));
            let wrong = reference.mask.differences(&before, &after, subject.ignored);
            self.verdict.wrong.extend(wrong.into_iter().map(|line| format!("changed back: {line}")));
        }
        let mut scratch = Stage::open(world, subject).await?;
        scratch.perform(&with_spec(first, &property.change)?).await?;
        let fresh = scratch.settle(last.done).await?.leaves(&scratch.namespace);
        let wrong = reference.mask.differences(&fresh, &changed, subject.ignored);
        self.verdict.wrong.extend(wrong.into_iter().map(|line| format!("not as from scratch: {line}")));
        Ok(())
    }
}

/// The change that makes a resource, with another spec.
fn with_spec(change: &Change, patch: &Value) -> Result<Deed> {
    let Deed::Create(objects) = &change.deed else { bail!("`{}` makes no resource", change.name) };
    let mut objects = objects.clone();
    let resource = objects.last_mut().context("a change that makes something")?;
    merge(&mut resource["spec"], patch);
    Ok(Deed::Create(objects))
}

/// A merge patch.
fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(changes) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = json!({});
    }
    for (name, change) in changes {
        if change.is_null() {
            if let Some(map) = target.as_object_mut() {
                map.remove(name);
            }
        } else {
            merge(&mut target[name], change);
        }
    }
}
