//! The perturbations that start after all changes of a scenario.

#![expect(clippy::disallowed_methods, reason = "tests play the users and controllers of a cluster")]

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail};
use kernel::call::Verb;
use kernel::faults::View;
use kube::api::{Patch, PatchParams};
use lab::clock::wait_for;
use serde_json::{Value, json};

use crate::drift::{self, Act, Drift};
use crate::evidence::watches;
use crate::plan::ShownState;
use crate::pods::{Effect, Pods, replaced_once};
use crate::runner::{PlanRunner, PlanSetup};
use crate::scenario::{Change, Done, Property, UserAction, kind_name};
use crate::state::State;
use crate::testbed::{LIMIT, Testbed};

/// An annotation that no operator copies to child objects, because it belongs to kubectl.
const ROUND: &str = "kubectl.kubernetes.io/round";

impl PlanRunner<'_> {
    /// Forces passes by events of the resource and by a restart. Nothing may be written.
    pub(crate) async fn idle(&mut self) -> Result<()> {
        let from = self.testbed.script.requests();
        let state = self.testbed.look().await?;
        let primary = self.setup.subject.declaration.primary;
        let exists = self.setup.subject.resource_in(&state).is_some();
        let mut forced = true;
        if exists {
            let api = self.setup.cluster.api(&self.testbed.namespace, primary);
            for round in ["0".into(), "1".into(), "2".into(), Value::Null] {
                let passes = self.testbed.passes.count();
                let patch = json!({"metadata": {"annotations": {ROUND: round}}});
                api.patch(self.setup.subject.resource, &PatchParams::default(), &Patch::Merge(patch)).await?;
                forced &= self.passes_beyond(passes).await;
                self.testbed.silent().await?;
            }
        }
        self.testbed.stop().await;
        let (passes, restarted) = (self.testbed.passes.count(), self.testbed.script.requests());
        self.testbed.start()?;
        forced &= if exists {
            self.passes_beyond(passes).await
        } else {
            self.requested(restarted, |entry| watches(entry, &kind_name(primary))).await
        };
        self.testbed.silent().await?;
        self.evidence.seen = forced;
        let trace = self.testbed.script.trace();
        let writes = trace.0[from..].iter().filter(|entry| entry.call.is_write());
        let lines =
            writes.map(|entry| format!("written although nothing changed: {}", entry.call.describe()));
        self.result.wrong.extend(lines);
        Ok(())
    }

    /// Waits for another pass. Returns whether there was one.
    async fn passes_beyond(&self, passes: usize) -> bool {
        let more = wait_for(LIMIT, || async { (self.testbed.passes.count() > passes).then_some(()) });
        more.await.is_some()
    }

    /// Deletes the resource and creates it again. Then an operator starts with an outdated cache of a kind, or of all kinds.
    pub(crate) async fn stale(&mut self, kind: Option<&str>, shown: ShownState) -> Result<State> {
        let PlanSetup { cluster, subject, scenario, .. } = self.setup;
        let last = scenario.changes.last().context("a scenario has changes")?;
        let kinds: Vec<_> = subject
            .declaration
            .kinds()
            .filter(|known| {
                let name = kind_name(*known);
                self.setup.reference.watched().contains(&name) && kind.is_none_or(|kind| name == kind)
            })
            .collect();
        let (mut views, old) = (Vec::new(), self.testbed.look().await?);
        if shown == ShownState::Running {
            for kind in &kinds {
                views.push(View::record(&cluster.client, &kind.resource()).await?);
            }
        }
        self.testbed.stop().await;
        self.testbed.perform(&UserAction::Delete).await?;
        if shown == ShownState::Deleting {
            for kind in &kinds {
                views.push(View::record(&cluster.client, &kind.resource()).await?);
            }
        }
        self.testbed.start()?;
        self.testbed
            .settle(Done::Settled(|state| state.0.keys().all(|name| name.kind == "persistentvolumeclaims")))
            .await?;
        for change in &scenario.changes {
            self.testbed.perform(&change.action).await?;
            self.testbed.settle(change.done).await?;
        }
        self.testbed.kill();
        let (from, before) = (self.testbed.script.requests(), self.testbed.look().await?);
        for view in views {
            self.testbed.script.freeze(view);
        }
        self.evidence.started = from;
        self.evidence.frozen = kinds.iter().map(|kind| kind_name(*kind)).collect();
        self.effect = Effect::Twice;
        self.testbed.start()?;
        self.testbed.silent_for_a_while().await;
        let during = self.testbed.look().await?;
        let uids = |state: &State| -> BTreeSet<String> {
            let shown = state.0.iter().filter(|(name, _)| self.evidence.frozen.contains(&name.kind));
            shown.map(|(_, object)| object["metadata"]["uid"].to_string()).collect()
        };
        // The objects that were recreated are not in the views that were recorded before.
        self.evidence.seen = !uids(&before).is_subset(&uids(&old));
        for kind in &kinds {
            self.testbed.script.thaw(&kind_name(*kind));
        }
        let end = self.testbed.settle(last.done).await?;
        let trace = self.testbed.script.trace();
        let deletes = trace.0[from..].iter().filter(|entry| entry.wrote() && entry.call.verb == Verb::Delete);
        let lines = deletes.map(|entry| format!("with an outdated cache: {}", entry.call.describe()));
        self.result.wrong.extend(lines);
        for (name, object) in &before.0 {
            let uid = |state: &State| state.0.get(name).map(|object| object["metadata"]["uid"].clone());
            if name.kind != "pods"
                && [uid(&during), uid(&end)]
                    .iter()
                    .any(|uid| uid.as_ref() != Some(&object["metadata"]["uid"]))
            {
                self.result.wrong.push(format!("{name} was replaced because of the outdated cache"));
            }
        }
        Ok(end)
    }

    /// Changes a child object as somebody else would, and waits until it is corrected.
    pub(crate) async fn drift(&mut self, drift: &Drift, settled: &State) -> Result<State> {
        let drift = &drift.for_run(settled, &self.testbed.namespace);
        let Drift { name, act } = drift;
        let done = self.setup.scenario.changes.last().context("a scenario has changes")?.done;
        let object = settled.0.get(name).with_context(|| format!("{name} does not exist"))?;
        let before = self.testbed.pods().await?;
        if act.deletes() {
            self.testbed.delete_child(drift).await?;
        } else {
            let Some(after) = self.testbed.edit_child(drift, object, false).await? else {
                return Ok(settled.clone());
            };
            self.evidence.seen = true;
            self.effect = Effect::of_edit(name, (object, &after), before.clone());
        }
        let end = self.testbed.settle(done).await?;
        if act.deletes() {
            let uid = |state: &State| state.0.get(name).map(|object| object["metadata"]["uid"].clone());
            self.evidence.seen = uid(&end) != uid(settled);
            self.effect = Effect::Recreated { owner: name.clone(), before: Box::new(before) };
        }
        let mut missing = Vec::new();
        let end = self
            .expected_end(end, |end| {
                if *act == Act::Mark
                    && let Some(object) = end.0.get_mut(name)
                {
                    missing = drift::unmark(object);
                }
                if let Act::Edit(pointer) = act
                    && (self.setup.subject.left_to_others)(name, pointer)
                {
                    // The operator leaves this field to others. It only has to send no requests.
                    end.0.insert(name.clone(), object.clone());
                }
            })
            .await?;
        self.result.wrong.extend(missing);
        Ok(end)
    }

    /// Changes one property, and changes it back. The result must be the same as for a new resource, and then the same as
    /// before. Each pod is replaced once if its template changed, and never if not.
    pub(crate) async fn property(&mut self, property: &Property, settled: &State) -> Result<()> {
        let PlanSetup { cluster, subject, scenario, reference } = self.setup;
        let last = scenario.changes.last().context("a scenario has changes")?;
        let first = scenario.changes.first().context("a scenario has changes")?;
        let mut pods = vec![self.testbed.pods().await?];
        self.testbed.perform(&UserAction::Patch(json!({"spec": property.change}))).await?;
        let end = self.testbed.settle(last.done).await?;
        let generation =
            |state: &State| subject.resource_in(state).map(|one| one["metadata"]["generation"].clone());
        self.evidence.seen = generation(&end) != generation(settled);
        let changed = end.leaves(&self.testbed.namespace);
        pods.push(self.testbed.pods().await?);
        if let Some(back) = &property.back {
            self.testbed.perform(&UserAction::Patch(json!({"spec": back}))).await?;
            let end = self.testbed.settle(last.done).await?;
            let (before, after) =
                (settled.leaves(&self.testbed.namespace), end.leaves(&self.testbed.namespace));
            let wrong = reference.mask.differences(&before, &after, subject.ignored);
            self.result
                .wrong
                .extend(wrong.into_iter().map(|line| format!("after it was changed back: {line}")));
            pods.push(self.testbed.pods().await?);
        }
        let mut new = Testbed::open(cluster, subject).await?;
        new.perform(&with_spec(first, &property.change)?).await?;
        let expected = new.settle(last.done).await?.leaves(&new.namespace);
        let wrong = reference.mask.differences(&expected, &changed, subject.ignored);
        self.result.wrong.extend(wrong.into_iter().map(|line| format!("not as for a new resource: {line}")));
        let steps = pods.windows(2).flat_map(|step| replaced_once(&step[0], &step[1]));
        self.result.wrong.extend(steps);
        self.result.wrong.extend(replaced_once(&Pods::default(), &new.pods().await?));
        Ok(())
    }
}

/// The action that creates a resource, with another spec.
fn with_spec(change: &Change, patch: &Value) -> Result<UserAction> {
    let UserAction::Create(objects) = &change.action else { bail!("`{}` creates no resource", change.name) };
    let mut objects = objects.clone();
    let resource = objects.last_mut().context("a change that creates something")?;
    merge(&mut resource["spec"], patch);
    Ok(UserAction::Create(objects))
}

/// Applies a merge patch.
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
