//! What is done about pods, claims and surplus shards, beyond writing StatefulSets: decided in `monitoring-rollout`, turned
//! into work here. Pure.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod};
use k8s_openapi::jiff::Timestamp;
use kernel::apply::{Deletion, Touch, Work};
use kernel::declare::Kind;
use kernel::object::{Key, Object};
use kernel::report::Note;
use monitoring_plan::{Child, Planned};
use monitoring_rollout::{
    Decision, How, Policy, Removal, Situation, Surplus, decide, growth, retention, wake,
};
use serde_json::{Value, json};

use crate::kinds;
use crate::workload::Seen;

/// How soon to look again after something that nobody tells us of.
const SOON: Duration = Duration::from_millis(500);

/// What is known beside the workload.
pub(crate) struct Around<'a> {
    /// What is there of it.
    pub(crate) seen: &'a Seen,
    /// Whether volumes of classes can grow.
    pub(crate) growing: &'a BTreeMap<String, bool>,
    /// Whether pods may be given other labels.
    pub(crate) may_patch_pods: bool,
    /// What is done about pods that a roll-out waits for.
    pub(crate) repair: Policy,
    /// The time.
    pub(crate) now: Timestamp,
}

/// What is to be done.
#[derive(Debug, Default)]
pub(crate) struct Roll {
    touches: Vec<Touch>,
    deletions: Vec<Deletion>,
    evictions: Vec<Deletion>,
    spared: Vec<(Kind, Key)>,
    /// What only the user can do, in words.
    pub(crate) remarks: Vec<String>,
    /// What is done and why.
    pub(crate) notes: Vec<Note>,
    /// When to look again, though nothing changed.
    pub(crate) look_again: Option<Duration>,
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
        work.touches.extend(self.touches.iter().cloned());
        work.deletions.extend(self.deletions.iter().cloned());
        work.evictions.extend(self.evictions.iter().cloned());
        work.spared.extend(self.spared.iter().cloned());
    }

    fn look_again(&mut self, after: Duration) {
        self.look_again = self.look_again.into_iter().chain([after]).min();
    }

    /// Claims first, then the template.
    fn grow(&mut self, wanted: &mut StatefulSet, present: &StatefulSet, around: &Around<'_>) {
        let claims: Vec<&PersistentVolumeClaim> = around.seen.claims.iter().collect();
        let growth = growth::growth(wanted, &claims, around.growing);
        self.remarks.extend(growth.remarks.iter().map(ToString::to_string));
        if growth.resizes.is_empty() {
            return;
        }
        growth::keep_templates(wanted, present);
        let namespace = present.metadata.namespace.as_deref().unwrap_or_default();
        for resize in growth.resizes {
            let message = format!("claim {} is asked to grow to {}", resize.claim, resize.size);
            self.notes.push(Note { alarming: false, reason: "VolumeGrows", message });
            let fields = json!({"spec": {"resources": {"requests": {"storage": resize.size}}}});
            self.touches.push(touch(kinds::CLAIM, namespace, &resize.claim, (&resize.uid, fields)));
        }
        // Our own write causes no pass.
        self.look_again(SOON);
    }

    fn settle(&mut self, present: &StatefulSet, around: &Around<'_>) {
        let pods: Vec<&Pod> = around.seen.pods.iter().collect();
        let claims: Vec<&PersistentVolumeClaim> = around.seen.claims.iter().collect();
        let Decision { relabels, removal, awaits, remarks, look_again } = decide(&Situation {
            set: present,
            pods: &pods,
            claims: &claims,
            may_patch_pods: around.may_patch_pods,
            repair: around.repair,
            now: around.now,
        });
        let namespace = present.metadata.namespace.as_deref().unwrap_or_default();
        for relabel in relabels {
            let fields = json!({"metadata": {"labels": relabel.labels}});
            self.touches.push(touch(kinds::POD, namespace, &relabel.name, (&relabel.uid, fields)));
        }
        if let Some(text) = awaits {
            let (name, uid) = (&present.metadata.name, &present.metadata.uid);
            let text = json!({"metadata": {"annotations": {wake::AWAITS: text}}});
            let (name, uid) = (name.as_deref().unwrap_or_default(), uid.as_deref().unwrap_or_default());
            self.touches.push(touch(kinds::STATEFUL_SET, namespace, name, (uid, text)));
        }
        if let Some(removal) = removal {
            self.remove(&removal, &around.seen.known);
        }
        self.remarks.extend(remarks);
        if let Some(moment) = look_again {
            self.look_again(until(moment, around.now));
        }
    }

    fn remove(&mut self, removal: &Removal, known: &[Arc<Object>]) {
        let Some(object) = known.iter().find(|object| object.uid() == removal.uid) else { return };
        let deletion = Deletion { kind: kinds::POD, object: Arc::clone(object) };
        match removal.how {
            How::Delete => self.deletions.push(deletion),
            How::Evict => {
                self.evictions.push(deletion);
                // It may be forbidden for now.
                self.look_again(Duration::from_secs(10));
            }
        }
        self.notes.push(Note { alarming: false, reason: "PodReplaced", message: removal.to_string() });
    }

    /// Shards that are too many.
    fn keep(&mut self, surplus: Surplus, around: &Around<'_>) {
        for kept in surplus.kept {
            let Some(set) = around.seen.sets.get(&kept.name) else { continue };
            let namespace = set.metadata.namespace.as_deref().unwrap_or_default();
            self.spared.push((kinds::STATEFUL_SET, Key::new(namespace, &kept.name)));
            if let Some(deadline) = kept.deadline {
                let message =
                    format!("StatefulSet {} is no longer wanted and kept until {deadline}", kept.name);
                self.notes.push(Note { alarming: false, reason: "ShardKept", message });
                let fields = json!({"metadata": {"annotations": {retention::DEADLINE: deadline}}});
                self.touches.push(touch(kinds::STATEFUL_SET, namespace, &kept.name, (&kept.uid, fields)));
            }
        }
        self.remarks.extend(surplus.remarks);
        if let Some(moment) = surplus.look_again {
            self.look_again(until(moment, around.now));
        }
    }
}

fn touch(kind: Kind, namespace: &str, name: &str, (uid, fields): (&str, Value)) -> Touch {
    Touch { kind, key: Key::new(namespace, name), uid: uid.into(), fields }
}

fn until(moment: Timestamp, now: Timestamp) -> Duration {
    Duration::try_from(moment.duration_since(now)).unwrap_or_default().max(SOON)
}
