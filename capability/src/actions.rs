//! What is done beside writing an operator's own objects: fields of pods, claims and StatefulSets, and pods that are
//! removed. Any of it may come to nothing, because a permission is missing, a disruption budget forbids it or the pass ends
//! before: an event says when it was done.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::jiff::Timestamp;
use kernel::apply::{Applied, Deletion, Touch, Work};
use kernel::declare::Kind;
use kernel::object::{Key, Object};
use kernel::report::Note;
use serde_json::{Value, json};

use crate::rollout::{AWAITS, Decision, Method, Relabel, Removal, Situation, decide};
use crate::volumes::{Growth, Resize};

const POD: Kind = Kind::of::<Pod>();
const CLAIM: Kind = Kind::of::<PersistentVolumeClaim>();
const STATEFUL_SET: Kind = Kind::of::<StatefulSet>();

/// How soon to look again after something that no event follows.
const SOON: Duration = Duration::from_millis(500);
/// How soon to look again after something that may have been forbidden.
const AWHILE: Duration = Duration::from_secs(10);
/// How soon to look again whether what forbids something has changed.
const LATER: Duration = Duration::from_mins(1);

/// Everything that is to be done.
#[derive(Debug, Default)]
pub struct Actions {
    all: Vec<Action>,
    spared: Vec<(Kind, Key)>,
    remarks: Vec<String>,
    /// When to look again, though nothing changed.
    pub requeue_after: Option<Duration>,
}

#[derive(Debug)]
struct Action {
    write: Write,
    /// What should be, for the case that it is refused.
    wanted: String,
    /// The event when it is done, if there is one.
    event: Option<Note>,
}

#[derive(Debug)]
enum Write {
    Touch(Touch),
    Delete(Deletion),
    Evict(Deletion),
}

impl Actions {
    /// Resizes claims.
    pub fn grow(&mut self, growth: Growth) {
        if growth.fixed > 0 {
            // Storage classes are not watched.
            self.look_after(LATER);
        }
        if !growth.resizes.is_empty() {
            self.look_after(AWHILE);
        }
        self.remarks.extend(growth.remarks);
        for Resize { key, uid, size } in growth.resizes {
            let wanted = format!("claim {} should ask for {size}", key.name);
            let event = note("VolumeGrows", format!("claim {} asks for {size}", key.name));
            let fields = json!({"spec": {"resources": {"requests": {"storage": size}}}});
            self.touch(Touch { kind: CLAIM, key, uid: uid.into(), fields }, wanted, Some(event));
        }
    }

    /// Does what Kubernetes leaves undone about the pods of a StatefulSet; `known` are its pods as the API server sent them.
    pub fn repair(&mut self, situation: &Situation<'_>, known: &[Arc<Object>]) {
        let Decision { relabels, removal, awaits, remarks, requeue_at } = decide(situation);
        let metadata = &situation.set.metadata;
        if !relabels.is_empty() {
            self.look_after(AWHILE);
        }
        for Relabel { key, uid, labels } in
            relabels.into_iter().filter(|_| situation.may_patch_pods == Some(true))
        {
            let wanted = format!("pod {} should have the labels that its StatefulSet selects", key.name);
            let fields = json!({"metadata": {"labels": labels}});
            self.touch(Touch { kind: POD, key, uid: uid.into(), fields }, wanted, None);
        }
        if let Some(uid) = awaits {
            let touch = touch(STATEFUL_SET, metadata, json!({"metadata": {"annotations": {AWAITS: uid}}}));
            let wanted = format!("StatefulSet {} should say which pod it waits for", touch.key.name);
            self.touch(touch, wanted, None);
        }
        if let Some(removal) = removal {
            self.remove(&removal, known);
        }
        self.remarks.extend(remarks);
        self.look_at(requeue_at, situation.now);
    }

    fn remove(&mut self, removal: &Removal, known: &[Arc<Object>]) {
        let Some(object) = known.iter().find(|object| object.uid() == removal.uid) else { return };
        let deletion = Deletion { kind: POD, object: Arc::clone(object) };
        let write = match removal.method {
            Method::Delete => Write::Delete(deletion),
            Method::Evict => {
                self.look_after(AWHILE);
                Write::Evict(deletion)
            }
        };
        let wanted = format!("pod {} should be removed, because {}", removal.name, removal.why);
        let event = Some(note("PodReplaced", removal.to_string()));
        self.all.push(Action { write, wanted, event });
    }

    /// Writes fields of an object that somebody else created. `wanted` says what should be, for the case that the API
    /// server refuses it.
    pub fn touch(&mut self, touch: Touch, wanted: String, event: Option<Note>) {
        self.all.push(Action { write: Write::Touch(touch), wanted, event });
    }

    /// Keeps an object that the plan does not name.
    pub fn spare(&mut self, kind: Kind, key: Key) {
        self.spared.push((kind, key));
    }

    /// Something that only the user can do.
    pub fn remark(&mut self, remarks: Vec<String>) {
        self.remarks.extend(remarks);
    }

    /// Looks again at this moment.
    pub fn look_at(&mut self, moment: Option<Timestamp>, now: Timestamp) {
        if let Some(moment) = moment {
            self.look_after(Duration::try_from(moment.duration_since(now)).unwrap_or_default().max(SOON));
        }
    }

    fn look_after(&mut self, after: Duration) {
        self.requeue_after = self.requeue_after.into_iter().chain([after]).min();
    }

    /// Adds everything to the work of a pass.
    pub fn add_to(&self, work: &mut Work) {
        work.spared.extend(self.spared.iter().cloned());
        for action in &self.all {
            match &action.write {
                Write::Touch(touch) => work.touches.push(touch.clone()),
                Write::Delete(deletion) => work.deletions.push(deletion.clone()),
                Write::Evict(deletion) => work.evictions.push(deletion.clone()),
            }
        }
    }

    /// The events about what a pass has done.
    pub fn events(&self, applied: &Applied) -> Vec<Note> {
        self.all.iter().filter_map(|action| action.event(applied)).collect()
    }

    /// What only the user can do, after a pass has done what it could.
    pub fn remarks(&self, applied: &Applied) -> Vec<String> {
        let refused = self.all.iter().filter_map(|action| {
            let Write::Touch(touch) = &action.write else { return None };
            let (_, refusal) = applied.refused.iter().find(|(refused, _)| refused == touch)?;
            Some(format!("{}, and the API server refuses it: {refusal}", action.wanted))
        });
        self.remarks.iter().cloned().chain(refused).collect()
    }

    /// How soon to look again after what was done: our own write of a claim causes no pass.
    pub fn requeue_soon(&self, applied: &Applied) -> Option<Duration> {
        let grows = |action: &Action| action.is_done(applied) && action.target().0 == CLAIM;
        self.all.iter().any(grows).then_some(SOON)
    }
}

impl Action {
    fn target(&self) -> (Kind, Key) {
        match &self.write {
            Write::Touch(touch) => (touch.kind, touch.key.clone()),
            Write::Delete(deletion) | Write::Evict(deletion) => {
                (deletion.kind, deletion.object.key().clone())
            }
        }
    }

    fn is_done(&self, applied: &Applied) -> bool {
        applied.done.contains(&self.target())
    }

    fn event(&self, applied: &Applied) -> Option<Note> {
        if self.is_done(applied) {
            return self.event.clone();
        }
        let Write::Evict(deletion) = &self.write else { return None };
        let refusal = applied.kept.get(deletion.object.key())?;
        Some(note("PodKept", format!("{}; a disruption budget forbids it: {refusal}", self.wanted)))
    }
}

fn note(reason: &'static str, message: String) -> Note {
    Note { alarming: false, reason, message }
}

/// Fields of an object that somebody else created.
pub fn touch(kind: Kind, metadata: &ObjectMeta, fields: Value) -> Touch {
    let uid = metadata.uid.as_deref().unwrap_or_default();
    Touch { kind, key: Key::of(metadata), uid: uid.into(), fields }
}

#[cfg(test)]
mod tests;
