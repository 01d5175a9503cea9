//! Actions besides writing an operator's own objects: patches of pods, claims and StatefulSets, and removals of pods. An
//! action may have no effect, because a permission is missing, a disruption budget forbids it or the pass ends early. An
//! event is recorded when it was done.

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

use crate::rollout::{AWAITS, Method, Relabel, Removal, RolloutDecision, Situation, decide};
use crate::volumes::{Growth, Resize};

const POD: Kind = Kind::of::<Pod>();
const CLAIM: Kind = Kind::of::<PersistentVolumeClaim>();
const STATEFUL_SET: Kind = Kind::of::<StatefulSet>();

/// When to reconcile again after an action that causes no event.
const SOON: Duration = Duration::from_millis(500);
/// When to reconcile again after an action that may have been forbidden.
const AWHILE: Duration = Duration::from_secs(10);
/// When to check again whether an action is still forbidden.
const LATER: Duration = Duration::from_mins(1);

/// The actions of a pass.
#[derive(Debug, Default)]
pub struct Actions {
    all: Vec<Action>,
    spared: Vec<(Kind, Key)>,
    remarks: Vec<String>,
    /// When to reconcile again if nothing changes.
    pub requeue_after: Option<Duration>,
}

#[derive(Debug)]
struct Action {
    write: Write,
    /// The desired state, for the message if the action is rejected.
    wanted: String,
    /// The event to record when it is done, if there is one.
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
            self.requeue_within(LATER);
        }
        if !growth.resizes.is_empty() {
            self.requeue_within(AWHILE);
        }
        self.remarks.extend(growth.remarks);
        for Resize { key, uid, size } in growth.resizes {
            let wanted = format!("claim {} should request {size}", key.name);
            let event = note(ActionEvent::VolumeGrows, format!("claim {} requests {size}", key.name));
            let fields = json!({"spec": {"resources": {"requests": {"storage": size}}}});
            self.touch(Touch { kind: CLAIM, key, uid: uid.into(), fields }, wanted, Some(event));
        }
    }

    /// Repairs the pods of a StatefulSet where its controller does not; `known` are its pods as the API server sent them.
    pub fn repair(&mut self, situation: &Situation<'_>, known: &[Arc<Object>]) {
        let RolloutDecision { relabels, removal, awaits, remarks, requeue_at } = decide(situation);
        let metadata = &situation.set.metadata;
        if !relabels.is_empty() {
            self.requeue_within(AWHILE);
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
            let name = &touch.key.name;
            let wanted =
                format!("StatefulSet {name} should have an annotation with the pod that it waits for");
            self.touch(touch, wanted, None);
        }
        if let Some(removal) = removal {
            self.remove(&removal, known);
        }
        self.remarks.extend(remarks);
        self.requeue_at(requeue_at, situation.now);
    }

    fn remove(&mut self, removal: &Removal, known: &[Arc<Object>]) {
        let Some(object) = known.iter().find(|object| object.uid() == removal.uid) else { return };
        let deletion = Deletion { kind: POD, object: Arc::clone(object) };
        let write = match removal.method {
            Method::Delete => Write::Delete(deletion),
            Method::Evict => {
                self.requeue_within(AWHILE);
                Write::Evict(deletion)
            }
        };
        let wanted = format!("pod {} should be removed, because {}", removal.name, removal.why);
        let event = Some(note(ActionEvent::PodReplaced, removal.to_string()));
        self.all.push(Action { write, wanted, event });
    }

    /// Patches an object that another writer created. `wanted` is the desired state, for the message if the API server
    /// rejects the patch.
    pub fn touch(&mut self, touch: Touch, wanted: String, event: Option<Note>) {
        self.all.push(Action { write: Write::Touch(touch), wanted, event });
    }

    /// Protects an object that the plan does not name from pruning.
    pub fn spare(&mut self, kind: Kind, key: Key) {
        self.spared.push((kind, key));
    }

    /// Adds remarks about what only the user can do.
    pub fn remark(&mut self, remarks: Vec<String>) {
        self.remarks.extend(remarks);
    }

    /// Reconciles again at this moment.
    pub fn requeue_at(&mut self, moment: Option<Timestamp>, now: Timestamp) {
        if let Some(moment) = moment {
            self.requeue_within(Duration::try_from(moment.duration_since(now)).unwrap_or_default().max(SOON));
        }
    }

    fn requeue_within(&mut self, after: Duration) {
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

    /// What only the user can do, including actions that the API server rejected in a pass.
    pub fn remarks(&self, applied: &Applied) -> Vec<String> {
        let refused = self.all.iter().filter_map(|action| {
            let Write::Touch(touch) = &action.write else { return None };
            let (_, refusal) = applied.refused.iter().find(|(refused, _)| refused == touch)?;
            Some(format!("{}, but the API server rejects it: {refusal}", action.wanted))
        });
        self.remarks.iter().cloned().chain(refused).collect()
    }

    /// When to reconcile again after the actions that were done: our own write of a claim causes no pass.
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
        Some(note(
            ActionEvent::PodKept,
            format!("{}; a disruption budget forbids it: {refusal}", self.wanted),
        ))
    }
}

/// The events about actions.
#[derive(Debug, Clone, Copy)]
enum ActionEvent {
    /// A disruption budget forbids to evict a pod.
    PodKept,
    /// A pod that blocked a rollout was evicted or deleted.
    PodReplaced,
    /// A larger volume was requested.
    VolumeGrows,
}

impl ActionEvent {
    fn as_str(self) -> &'static str {
        match self {
            Self::PodKept => "PodKept",
            Self::PodReplaced => "PodReplaced",
            Self::VolumeGrows => "VolumeGrows",
        }
    }
}

fn note(event: ActionEvent, message: String) -> Note {
    Note { alarming: false, reason: event.as_str(), message }
}

/// A patch of an object that another writer created.
pub fn touch(kind: Kind, metadata: &ObjectMeta, fields: Value) -> Touch {
    let uid = metadata.uid.as_deref().unwrap_or_default();
    Touch { kind, key: Key::of(metadata), uid: uid.into(), fields }
}

#[cfg(test)]
mod tests;
