//! What a writer remembers of objects between passes, under one lock. Only the number of requests and the detection of drift
//! depend on it: a new process remembers nothing.
//!
//! # Guarantees
//! - What is remembered of an object, or of the objects of an owner, is dropped when the object or the owner is gone.
//! - Nothing is remembered of an object that is already gone: the stores are checked under the lock.
//! - What is remembered of unwatched objects is kept with their owner, and no longer than the owner wants them.
//! - What the server denies or rejects is forgotten an hour after the last attempt.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::Instant;

use parking_lot::{Mutex, MutexGuard};

use super::denied::Denied;
use super::refused::Refused;
use super::request::Target;
use super::settled::Wanted;
use super::{Desired, Work, Writer};
use crate::clock;
use crate::declare::Kind;
use crate::object::{Key, Object, Stored};
use crate::store::Change;

/// An object that may not exist, or that is not watched.
type Id = (Kind, Key);

/// What one writer remembers. Clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct WriterMemory(Arc<Mutex<Records>>);

/// Everything that a writer remembers.
#[derive(Debug, Default)]
pub(super) struct Records {
    /// Of objects that are in the stores, by unique id.
    objects: HashMap<Box<str>, Record>,
    /// Of owners, by unique id.
    owners: HashMap<Box<str>, OwnerRecord>,
    /// What the server rejected.
    pub(super) refused: Refused,
    /// What the server denied.
    pub(super) denied: Denied,
}

/// What is remembered of one object.
#[derive(Debug, Default)]
struct Record {
    /// What was desired when it was last checked.
    wanted: Option<Wanted>,
    /// The whole object as we wrote it last, if only the metadata of its kind is watched: it need not be read.
    written: Option<Arc<Object>>,
}

/// What is remembered of the objects of one owner.
#[derive(Debug, Default)]
struct OwnerRecord {
    /// Objects that are not watched, as they were when they were last checked.
    unwatched: HashMap<Id, Seen>,
    /// Objects whose last write was outdated. Until a write succeeds they are read from the server.
    outdated: HashSet<Id>,
    /// What was kept when objects of a kind were last listed for pruning.
    pruned: HashMap<Kind, BTreeSet<Key>>,
}

/// An object that is not watched.
#[derive(Debug)]
struct Seen {
    uid: Box<str>,
    wanted: Wanted,
    at: Instant,
}

impl WriterMemory {
    pub(super) fn records(&self) -> MutexGuard<'_, Records> {
        self.0.lock()
    }

    /// Forgets an object that is gone, or was replaced by another one of its name.
    pub(crate) fn follow(&self, change: &Change<Object>) {
        let Some(before) = &change.before else { return };
        if change.after.as_ref().is_none_or(|after| after.uid() != before.uid()) {
            self.forget(before.uid());
        }
    }

    /// Forgets an object, and what is remembered on its behalf.
    pub(crate) fn forget(&self, uid: &str) {
        let mut records = self.records();
        records.objects.remove(uid);
        records.owners.remove(uid);
        records.refused.forget(uid);
    }

    /// How many things are remembered.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        let records = self.records();
        let of_owner = |one: &OwnerRecord| 1 + one.unwatched.len() + one.outdated.len() + one.pruned.len();
        let of_owners: usize = records.owners.values().map(of_owner).sum();
        records.objects.len() + of_owners + records.refused.len() + records.denied.len()
    }
}

impl Records {
    /// What was desired of an object when it was last checked.
    pub(super) fn wanted(&self, kind: Kind, object: &Object, owner: &Object) -> Option<Wanted> {
        let record = self.objects.get(object.uid()).and_then(|record| record.wanted);
        let seen =
            || self.seen(owner, &(kind, object.key().clone())).filter(|seen| *seen.uid == *object.uid());
        record.or_else(|| seen().map(|seen| seen.wanted))
    }

    fn seen(&self, owner: &Object, id: &Id) -> Option<&Seen> {
        self.owners.get(owner.uid())?.unwatched.get(id)
    }

    fn record(&mut self, object: &Object) -> &mut Record {
        self.objects.entry(object.uid().into()).or_default()
    }

    fn owner(&mut self, owner: &Object) -> &mut OwnerRecord {
        self.owners.entry(owner.uid().into()).or_default()
    }
}

impl Writer {
    /// Whether an object is watched and exists.
    fn is_stored(&self, kind: Kind, object: &Object) -> bool {
        let known = self.stores.get(kind, object.key());
        self.stores.is_watched(kind, &object.key().namespace)
            && known.is_some_and(|known| known.uid() == object.uid())
    }

    /// Whether an owner is watched, and no longer exists.
    fn is_owner_gone(&self, owner: &Object) -> bool {
        let kind = self.declaration.primary;
        self.stores.is_watched(kind, &owner.key().namespace) && !self.is_stored(kind, owner)
    }

    /// Remembers what was desired of an object, and the version of it that needs no further write.
    pub(super) fn settle(&self, kind: Kind, object: &Object, owner: &Object, wanted: Wanted) {
        let mut records = self.memory.records();
        if self.is_stored(kind, object) {
            records.record(object).wanted = Some(wanted);
        } else if !self.is_owner_gone(owner) {
            let seen = Seen { uid: object.uid().into(), wanted, at: clock::now() };
            records.owner(owner).unwatched.insert((kind, object.key().clone()), seen);
        }
    }

    /// The hash of what was desired of an unwatched object, and when it was last checked.
    pub(super) fn last_seen(&self, target: Target<'_>, owner: &Object) -> Option<(u64, Instant)> {
        let records = self.memory.records();
        let seen = records.seen(owner, &target.id())?;
        Some((seen.wanted.hash, seen.at))
    }

    /// Remembers a whole object that we wrote.
    pub(super) fn note_written(&self, kind: Kind, object: Object) {
        let mut records = self.memory.records();
        if self.is_stored(kind, &object) {
            let written = Arc::new(object);
            records.record(&written).written = Some(Arc::clone(&written));
        }
    }

    /// The whole object as we wrote it, if it has not changed since.
    pub(super) fn written(&self, outline: &Object) -> Option<Arc<Object>> {
        let records = self.memory.records();
        let written = records.objects.get(outline.uid())?.written.as_ref()?;
        (written.identity() == outline.identity()).then(|| Arc::clone(written))
    }

    pub(super) fn was_outdated(&self, target: Target<'_>, owner: &Object) -> bool {
        let records = self.memory.records();
        records.owners.get(owner.uid()).is_some_and(|record| record.outdated.contains(&target.id()))
    }

    /// The last write of an object was not outdated.
    pub(super) fn forget_outdated(&self, target: Target<'_>, owner: &Object) {
        if let Some(record) = self.memory.records().owners.get_mut(owner.uid()) {
            record.outdated.remove(&target.id());
        }
    }

    /// The last write of an object was outdated.
    pub(super) fn note_outdated(&self, target: Target<'_>, owner: &Object) {
        let mut records = self.memory.records();
        if !self.is_owner_gone(owner) {
            let record = records.owner(owner);
            record.unwatched.remove(&target.id());
            record.outdated.insert(target.id());
        }
    }

    pub(super) fn was_pruned(&self, kind: Kind, owner: &Object, stays: &BTreeSet<Key>) -> bool {
        let records = self.memory.records();
        records.owners.get(owner.uid()).and_then(|record| record.pruned.get(&kind)) == Some(stays)
    }

    /// Remembers what was kept when objects of a kind were listed for pruning.
    pub(super) fn note_pruned(&self, kind: Kind, owner: &Object, stays: BTreeSet<Key>) {
        let mut records = self.memory.records();
        if !self.is_owner_gone(owner) {
            records.owner(owner).pruned.insert(kind, stays);
        }
    }

    /// Forgets of the objects of an owner those that the work does not name.
    pub(super) fn forget_unnamed(&self, work: &Work, owner: &Object) {
        let mut records = self.memory.records();
        let Some(record) = records.owners.get_mut(owner.uid()) else { return };
        if record.unwatched.is_empty() && record.outdated.is_empty() {
            return;
        }
        let id = |desired: &Desired| (desired.kind, desired.key());
        let named: HashSet<Id> = work.waves.iter().flatten().map(id).collect();
        record.unwatched.retain(|id, _| named.contains(id));
        record.outdated.retain(|id| named.contains(id));
    }
}
