//! What goes wrong when every change of a scenario is over.

#![expect(clippy::disallowed_methods, reason = "tests play the users and controllers of a cluster")]

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail};
use kernel::call::Verb;
use kernel::faults::View;
use kube::api::{Patch, PatchParams};
use lab::clock::wait_for;
use serde_json::{Value, json};

use crate::drift::{self, Act, Drift};
use crate::plan::Moment;
use crate::play::{Cast, Player};
use crate::pods::{Effect, Pods, replaced_once};
use crate::scenario::{Change, Deed, Done, Property, kind_name};
use crate::stage::{LIMIT, Stage};
use crate::state::State;
use crate::strike::watches;

/// An annotation that no operator hands on to children: it is kubectl's own.
const ROUND: &str = "kubectl.kubernetes.io/round";

impl Player<'_> {
    /// Forces passes: by an event about the resource, three times, and by a restart. Nothing may be written.
    pub(crate) async fn idle(&mut self) -> Result<()> {
        let from = self.stage.script.requests();
        let state = self.stage.look().await?;
        let primary = self.cast.subject.declaration.primary;
        let there = self.cast.subject.resource_in(&state).is_some();
        let mut forced = true;
        if there {
            let api = self.cast.world.api(&self.stage.namespace, primary);
            for round in ["0".into(), "1".into(), "2".into(), Value::Null] {
                let passes = self.stage.passes.count();
                let patch = json!({"metadata": {"annotations": {ROUND: round}}});
                api.patch(self.cast.subject.resource, &PatchParams::default(), &Patch::Merge(patch)).await?;
                forced &= self.passes_beyond(passes).await;
                self.stage.silent().await?;
            }
        }
        self.stage.stop().await;
        let (passes, restarted) = (self.stage.passes.count(), self.stage.script.requests());
        self.stage.start()?;
        forced &= if there {
            self.passes_beyond(passes).await
        } else {
            self.asked(restarted, |entry| watches(entry, &kind_name(primary))).await
        };
        self.stage.silent().await?;
        self.evidence.seen = forced;
        let trace = self.stage.script.trace();
        let writes = trace.0[from..].iter().filter(|entry| entry.call.is_write());
        let said = writes.map(|entry| format!("settled, and yet: {}", entry.call.describe()));
        self.result.wrong.extend(said);
        Ok(())
    }

    /// Waits until there was another pass; whether there was.
    async fn passes_beyond(&self, passes: usize) -> bool {
        let more = wait_for(LIMIT, || async { (self.stage.passes.count() > passes).then_some(()) });
        more.await.is_some()
    }

    /// Deletes the resource and makes it again, with an operator that then starts from an old view of a kind, or of all.
    pub(crate) async fn stale(&mut self, kind: Option<&str>, moment: Moment) -> Result<State> {
        let Cast { world, subject, scenario, .. } = self.cast;
        let last = scenario.changes.last().context("a scenario has changes")?;
        let kinds: Vec<_> = subject
            .declaration
            .kinds()
            .filter(|known| {
                let name = kind_name(*known);
                self.cast.reference.watched().contains(&name) && kind.is_none_or(|kind| name == kind)
            })
            .collect();
        let (mut views, old) = (Vec::new(), self.stage.look().await?);
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
        self.evidence.began = from;
        self.evidence.frozen = kinds.iter().map(|kind| kind_name(*kind)).collect();
        self.effect = Effect::Twice;
        self.stage.start()?;
        self.stage.silent_if_it_can().await;
        let during = self.stage.look().await?;
        let uids = |state: &State| -> BTreeSet<String> {
            let shown = state.0.iter().filter(|(name, _)| self.evidence.frozen.contains(&name.kind));
            shown.map(|(_, object)| object["metadata"]["uid"].to_string()).collect()
        };
        // What was recreated is in no view that was recorded before.
        self.evidence.seen = !uids(&before).is_subset(&uids(&old));
        for kind in &kinds {
            self.stage.script.thaw(&kind_name(*kind));
        }
        let end = self.stage.settle(last.done).await?;
        let trace = self.stage.script.trace();
        let deletes = trace.0[from..].iter().filter(|entry| entry.wrote() && entry.call.verb == Verb::Delete);
        let said = deletes.map(|entry| format!("with an old view: {}", entry.call.describe()));
        self.result.wrong.extend(said);
        for (name, object) in &before.0 {
            let uid = |state: &State| state.0.get(name).map(|object| object["metadata"]["uid"].clone());
            if name.kind != "pods"
                && [uid(&during), uid(&end)]
                    .iter()
                    .any(|uid| uid.as_ref() != Some(&object["metadata"]["uid"]))
            {
                self.result.wrong.push(format!("{name} is not the object that it was before the old view"));
            }
        }
        Ok(end)
    }

    /// Does to a child what somebody else would, and waits until it is mended.
    pub(crate) async fn drift(&mut self, drift: &Drift, settled: &State) -> Result<State> {
        let drift = &drift.here(settled, &self.stage.namespace);
        let Drift { name, act } = drift;
        let done = self.cast.scenario.changes.last().context("a scenario has changes")?.done;
        let object = settled.0.get(name).with_context(|| format!("there is no {name}"))?;
        let before = self.stage.pods().await?;
        if act.deletes() {
            self.stage.delete_child(drift).await?;
        } else {
            let Some(after) = self.stage.edit_child(drift, object, false).await? else {
                return Ok(settled.clone());
            };
            self.evidence.seen = true;
            self.effect = Effect::of_edit(name, (object, &after), before.clone());
        }
        let end = self.stage.settle(done).await?;
        if act.deletes() {
            let uid = |state: &State| state.0.get(name).map(|object| object["metadata"]["uid"].clone());
            self.evidence.seen = uid(&end) != uid(settled);
            self.effect = Effect::Remade { owner: name.clone(), before: Box::new(before) };
        }
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
        self.result.wrong.extend(missing);
        Ok(end)
    }

    /// Changes one property: the same as from scratch, and back to where it was. Pods are replaced as often as their
    /// templates account for.
    pub(crate) async fn property(&mut self, property: &Property, settled: &State) -> Result<()> {
        let Cast { world, subject, scenario, reference } = self.cast;
        let last = scenario.changes.last().context("a scenario has changes")?;
        let first = scenario.changes.first().context("a scenario has changes")?;
        let mut pods = vec![self.stage.pods().await?];
        self.stage.perform(&Deed::Patch(json!({"spec": property.change}))).await?;
        let end = self.stage.settle(last.done).await?;
        let generation =
            |state: &State| subject.resource_in(state).map(|one| one["metadata"]["generation"].clone());
        self.evidence.seen = generation(&end) != generation(settled);
        let changed = end.leaves(&self.stage.namespace);
        pods.push(self.stage.pods().await?);
        if let Some(back) = &property.back {
            self.stage.perform(&Deed::Patch(json!({"spec": back}))).await?;
            let end = self.stage.settle(last.done).await?;
            let (before, after) = (settled.leaves(&self.stage.namespace), end.leaves(&self.stage.namespace));
            let wrong = reference.mask.differences(&before, &after, subject.ignored);
            self.result.wrong.extend(wrong.into_iter().map(|line| format!("changed back: {line}")));
            pods.push(self.stage.pods().await?);
        }
        let mut scratch = Stage::open(world, subject).await?;
        scratch.perform(&with_spec(first, &property.change)?).await?;
        let fresh = scratch.settle(last.done).await?.leaves(&scratch.namespace);
        let wrong = reference.mask.differences(&fresh, &changed, subject.ignored);
        self.result.wrong.extend(wrong.into_iter().map(|line| format!("not as from scratch: {line}")));
        let steps = pods.windows(2).flat_map(|step| replaced_once(&step[0], &step[1]));
        self.result.wrong.extend(steps);
        self.result.wrong.extend(replaced_once(&Pods::default(), &scratch.pods().await?));
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
