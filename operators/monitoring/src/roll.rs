//! What is done about pods, claims and surplus shards, beyond writing StatefulSets: decided in `rollout`, turned
//! into work here. Pure.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::plan::{Child, Planned};
use crate::rollout::{Decision, How, Policy, Removal, Situation, Surplus, decide, growth, retention, wake};
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod};
use k8s_openapi::jiff::Timestamp;
use kernel::apply::{Applied, Deletion, Touch, Work};
use kernel::declare::Kind;
use kernel::object::{Key, Object};
use kernel::report::Note;
use serde_json::{Value, json};

use crate::kind::Seen;
use crate::kinds;

/// How soon to look again after something that nobody tells us of.
const SOON: Duration = Duration::from_millis(500);
/// How soon to look again after something that may have been forbidden.
const AWHILE: Duration = Duration::from_secs(10);
/// How soon to look again whether what forbids something has changed.
const LATER: Duration = Duration::from_mins(1);

/// What is known beside the workload.
pub(crate) struct Around<'a> {
    /// What is there of it.
    pub(crate) seen: &'a Seen,
    /// Whether volumes of classes can grow.
    pub(crate) growing: &'a BTreeMap<String, bool>,
    /// Whether pods may be given other labels; nothing, if it is not known.
    pub(crate) may_patch_pods: Option<bool>,
    /// What is done about pods that a roll-out waits for.
    pub(crate) repair: Policy,
    /// The time.
    pub(crate) now: Timestamp,
}

/// Something that may come to nothing, because a right is missing, a disruption budget forbids it or the pass ends before:
/// it is told when it was done.
#[derive(Debug)]
struct Deed {
    kind: Kind,
    key: Key,
    done: Note,
    /// Why a pod should go.
    why: Option<String>,
}

/// Fields that shall be written.
#[derive(Debug)]
struct Wish {
    touch: Touch,
    /// What should be, for the case that the server refuses it.
    words: String,
}

/// What is to be done.
#[derive(Debug, Default)]
pub(crate) struct Roll {
    wishes: Vec<Wish>,
    deletions: Vec<Deletion>,
    evictions: Vec<Deletion>,
    spared: Vec<(Kind, Key)>,
    deeds: Vec<Deed>,
    /// What only the user can do, in words.
    remarks: Vec<String>,
    /// When to look again, though nothing changed.
    pub(crate) requeue_after: Option<Duration>,
}

impl Roll {
    /// Decides about all StatefulSets that are wanted, and about those that are too many.
    pub(crate) fn of(planned: &mut Planned, surplus: Surplus, around: &Around<'_>) -> Self {
        let mut roll = Self::default();
        for child in &mut planned.children {
            let Child::StatefulSet(wanted) = child else { continue };
            let name = wanted.metadata.name.clone().unwrap_or_default();
            let Some(present) = around.seen.sets.get(&name) else { continue };
            roll.grow(wanted, present, around);
            roll.settle(present, around);
        }
        roll.keep(surplus, around);
        roll
    }

    /// Adds it to the work of a pass.
    pub(crate) fn put(&self, work: &mut Work) {
        work.touches.extend(self.wishes.iter().map(|wish| wish.touch.clone()));
        work.deletions.extend(self.deletions.iter().cloned());
        work.evictions.extend(self.evictions.iter().cloned());
        work.spared.extend(self.spared.iter().cloned());
    }

    /// What there is to tell after a pass has done what it could.
    pub(crate) fn told(&self, applied: &Applied) -> Vec<Note> {
        self.deeds.iter().filter_map(|deed| deed.told(applied)).collect()
    }

    /// What only the user can do, after a pass has done what it could.
    pub(crate) fn remarks(&self, applied: &Applied) -> Vec<String> {
        let refused = self.wishes.iter().filter_map(|Wish { touch, words }| {
            let (_, refusal) = applied.refused.iter().find(|(refused, _)| refused == touch)?;
            Some(format!("{words}, and the server refuses it: {refusal}"))
        });
        self.remarks.iter().cloned().chain(refused).collect()
    }

    /// How soon to look again after what was done, if something follows from it: our own write causes no pass.
    pub(crate) fn soon(&self, applied: &Applied) -> Option<Duration> {
        let grows = |wish: &Wish| {
            wish.touch.kind == kinds::CLAIM && applied.done.contains(&(kinds::CLAIM, wish.touch.key.clone()))
        };
        self.wishes.iter().any(grows).then_some(SOON)
    }

    fn requeue_after(&mut self, after: Duration) {
        self.requeue_after = self.requeue_after.into_iter().chain([after]).min();
    }

    /// Claims first, then the template.
    fn grow(&mut self, wanted: &mut StatefulSet, present: &StatefulSet, around: &Around<'_>) {
        let claims: Vec<&PersistentVolumeClaim> = around.seen.claims.iter().collect();
        let growth = growth::growth(wanted, &claims, around.growing);
        self.remarks.extend(growth.remarks.iter().map(ToString::to_string));
        if growth.remarks.iter().any(|remark| matches!(remark, growth::Remark::Rigid { .. })) {
            // Nobody tells us of classes.
            self.requeue_after(LATER);
        }
        if growth.resizes.is_empty() {
            return;
        }
        growth::keep_templates(wanted, present);
        let namespace = present.metadata.namespace.as_deref().unwrap_or_default();
        for resize in growth.resizes {
            let message = format!("claim {} is asked to grow to {}", resize.claim, resize.size);
            self.deeds.push(Deed {
                kind: kinds::CLAIM,
                key: Key::new(namespace, &resize.claim),
                done: Note { alarming: false, reason: "VolumeGrows", message },
                why: None,
            });
            let fields = json!({"spec": {"resources": {"requests": {"storage": resize.size}}}});
            let touch = touch(kinds::CLAIM, namespace, &resize.claim, (&resize.uid, fields));
            let words = format!("claim {} should ask for {}", resize.claim, resize.size);
            self.wishes.push(Wish { touch, words });
        }
        self.requeue_after(AWHILE);
    }

    fn settle(&mut self, present: &StatefulSet, around: &Around<'_>) {
        let pods: Vec<&Pod> = around.seen.pods.iter().collect();
        let claims: Vec<&PersistentVolumeClaim> = around.seen.claims.iter().collect();
        let Decision { relabels, removal, awaits, remarks, requeue_after } = decide(&Situation {
            set: present,
            pods: &pods,
            claims: &claims,
            // As long as it is not known, pods that could be adopted with other labels are neither given them nor removed.
            may_patch_pods: around.may_patch_pods.unwrap_or(true),
            repair: around.repair,
            now: around.now,
        });
        let namespace = present.metadata.namespace.as_deref().unwrap_or_default();
        if !relabels.is_empty() {
            self.requeue_after(AWHILE);
        }
        for relabel in relabels.into_iter().filter(|_| around.may_patch_pods == Some(true)) {
            let fields = json!({"metadata": {"labels": relabel.labels}});
            let touch = touch(kinds::POD, namespace, &relabel.name, (&relabel.uid, fields));
            let words = format!("pod {} should have the labels that its StatefulSet selects", relabel.name);
            self.wishes.push(Wish { touch, words });
        }
        if let Some(text) = awaits {
            let (name, uid) = (&present.metadata.name, &present.metadata.uid);
            let text = json!({"metadata": {"annotations": {wake::AWAITS: text}}});
            let (name, uid) = (name.as_deref().unwrap_or_default(), uid.as_deref().unwrap_or_default());
            let words = format!("StatefulSet {name} should say which pod it waits for");
            self.wishes.push(Wish { touch: touch(kinds::STATEFUL_SET, namespace, name, (uid, text)), words });
        }
        if let Some(removal) = removal {
            self.remove(&removal, &around.seen.known);
        }
        self.remarks.extend(remarks);
        if let Some(moment) = requeue_after {
            self.requeue_after(until(moment, around.now));
        }
    }

    fn remove(&mut self, removal: &Removal, known: &[Arc<Object>]) {
        let Some(object) = known.iter().find(|object| object.uid() == removal.uid) else { return };
        let deletion = Deletion { kind: kinds::POD, object: Arc::clone(object) };
        let done = Note { alarming: false, reason: "PodReplaced", message: removal.to_string() };
        let (key, why) = (object.key().clone(), Some(removal.why.to_string()));
        self.deeds.push(Deed { kind: kinds::POD, key, done, why });
        match removal.how {
            How::Delete => self.deletions.push(deletion),
            How::Evict => {
                self.evictions.push(deletion);
                self.requeue_after(AWHILE);
            }
        }
    }

    /// Shards that are too many.
    fn keep(&mut self, surplus: Surplus, around: &Around<'_>) {
        for kept in surplus.kept {
            let Some(set) = around.seen.sets.get(&kept.name) else { continue };
            let namespace = set.metadata.namespace.as_deref().unwrap_or_default();
            let key = Key::new(namespace, &kept.name);
            self.spared.push((kinds::STATEFUL_SET, key.clone()));
            if let Some(deadline) = kept.deadline {
                let message =
                    format!("StatefulSet {} is no longer wanted and kept until {deadline}", kept.name);
                let done = Note { alarming: false, reason: "ShardKept", message };
                self.deeds.push(Deed { kind: kinds::STATEFUL_SET, key, done, why: None });
                let fields = json!({"metadata": {"annotations": {retention::DEADLINE: deadline}}});
                let touch = touch(kinds::STATEFUL_SET, namespace, &kept.name, (&kept.uid, fields));
                let words = format!("StatefulSet {} should say until when it is kept", kept.name);
                self.wishes.push(Wish { touch, words });
            }
        }
        self.remarks.extend(surplus.remarks);
        if let Some(moment) = surplus.requeue_after {
            self.requeue_after(until(moment, around.now));
        }
    }
}

impl Deed {
    /// What there is to tell of it, if there is something.
    fn told(&self, applied: &Applied) -> Option<Note> {
        if applied.done.contains(&(self.kind, self.key.clone())) {
            return Some(self.done.clone());
        }
        let why = self.why.as_ref()?;
        let words = applied.kept.get(&self.key)?;
        let name = &self.key.name;
        let message =
            format!("pod {name} should be evicted, and a disruption budget forbids it: {why} ({words})");
        Some(Note { alarming: false, reason: "PodKept", message })
    }
}

fn touch(kind: Kind, namespace: &str, name: &str, (uid, fields): (&str, Value)) -> Touch {
    Touch { kind, key: Key::new(namespace, name), uid: uid.into(), fields }
}

fn until(moment: Timestamp, now: Timestamp) -> Duration {
    Duration::try_from(moment.duration_since(now)).unwrap_or_default().max(SOON)
}

#[cfg(test)]
mod tests;
