//! What a writer remembers of objects between passes, under one lock. Nothing depends on it but the number of requests
//! and what is told of drift: a process that has just begun remembers nothing.
//!
//! # Guarantees
//! - What is remembered of an object, or of the objects of an owner, goes when a change says that it is gone.
//! - Of an object that is gone nothing is remembered later: whether it is in the stores is asked under the lock.
//! - What no watch tells of is kept with its owner, and no longer than the owner wants it.
//! - What the server denies or refuses is forgotten an hour after it was last asked for.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::denied::Denied;
use super::refused::Refused;
use super::request::Target;
use super::settled::Wanted;
use super::{Desired, Work, Writer};
use crate::clock;
use crate::declare::Kind;
use crate::object::{Kept, Key, Object};
use crate::store::Change;

/// An object that may not be there, or of which no watch tells.
type Place = (Kind, Key);

/// What one writer remembers. Clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Memory(Arc<Mutex<Records>>);

/// All of it.
#[derive(Debug, Default)]
pub(super) struct Records {
    /// Of objects that are in the stores, by unique id.
    objects: HashMap<Box<str>, Record>,
    /// Of owners, by unique id.
    owners: HashMap<Box<str>, OwnerRecord>,
    /// What the server refused.
    pub(super) refused: Refused,
    /// What we may not do.
    pub(super) denied: Denied,
}

/// What is remembered of one object.
#[derive(Debug, Default)]
struct Record {
    /// What was wanted of it when it was last looked at.
    wanted: Option<Wanted>,
    /// The whole object as we wrote it last, if only the metadata of its kind is watched: nobody asks for what we wrote
    /// ourselves.
    written: Option<Arc<Object>>,
}

/// What is remembered of the objects of one owner.
#[derive(Debug, Default)]
struct OwnerRecord {
    /// Objects of which no watch tells, as they were when they were last looked at.
    unwatched: HashMap<Place, Seen>,
    /// Objects that were not as we knew them when we wrote. Until a write succeeds nobody relies on what is known of them.
    doubted: HashSet<Place>,
    /// What stayed when objects of a kind were last asked for.
    pruned: HashMap<Kind, BTreeSet<Key>>,
}

/// An object of which no watch tells.
#[derive(Debug)]
struct Seen {
    uid: Box<str>,
    wanted: Wanted,
    at: Instant,
}

impl Memory {
    pub(super) fn records(&self) -> MutexGuard<'_, Records> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets what a change took away: an object that is gone, or in whose place another one has come.
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
        let of_owner = |one: &OwnerRecord| 1 + one.unwatched.len() + one.doubted.len() + one.pruned.len();
        let of_owners: usize = records.owners.values().map(of_owner).sum();
        records.objects.len() + of_owners + records.refused.len() + records.denied.len()
    }
}

impl Records {
    /// What was wanted of an object when it was last looked at.
    pub(super) fn wanted(&self, kind: Kind, object: &Object, owner: &Object) -> Option<Wanted> {
        let record = self.objects.get(object.uid()).and_then(|record| record.wanted);
        let seen =
            || self.seen(owner, &(kind, object.key().clone())).filter(|seen| *seen.uid == *object.uid());
        record.or_else(|| seen().map(|seen| seen.wanted))
    }

    fn seen(&self, owner: &Object, place: &Place) -> Option<&Seen> {
        self.owners.get(owner.uid())?.unwatched.get(place)
    }

    fn record(&mut self, object: &Object) -> &mut Record {
        self.objects.entry(object.uid().into()).or_default()
    }

    fn owner(&mut self, owner: &Object) -> &mut OwnerRecord {
        self.owners.entry(owner.uid().into()).or_default()
    }
}

impl Writer {
    /// Whether a watch tells of an object, and says that it is there.
    fn is_held(&self, kind: Kind, object: &Object) -> bool {
        let known = self.stores.get(kind, object.key());
        self.stores.is_watched(kind, &object.key().namespace)
            && known.is_some_and(|known| known.uid() == object.uid())
    }

    /// Whether a watch tells of an owner, and says that it is gone.
    fn is_without(&self, owner: &Object) -> bool {
        let kind = self.declaration.primary;
        self.stores.is_watched(kind, &owner.key().namespace) && !self.is_held(kind, owner)
    }

    /// Remembers what was wanted of an object, and the version of it that needs no other write.
    pub(super) fn settle(&self, kind: Kind, object: &Object, owner: &Object, wanted: Wanted) {
        let mut records = self.memory.records();
        if self.is_held(kind, object) {
            records.record(object).wanted = Some(wanted);
        } else if !self.is_without(owner) {
            let seen = Seen { uid: object.uid().into(), wanted, at: clock::now() };
            records.owner(owner).unwatched.insert((kind, object.key().clone()), seen);
        }
    }

    /// The hash of what was wanted of an object of which no watch tells, and when it was last looked at.
    pub(super) fn last_seen(&self, target: Target<'_>, owner: &Object) -> Option<(u64, Instant)> {
        let records = self.memory.records();
        let seen = records.seen(owner, &target.place())?;
        Some((seen.wanted.hash, seen.at))
    }

    /// Remembers a whole object that we wrote.
    pub(super) fn note_written(&self, kind: Kind, object: Object) {
        let mut records = self.memory.records();
        if self.is_held(kind, &object) {
            let written = Arc::new(object);
            records.record(&written).written = Some(Arc::clone(&written));
        }
    }

    /// The whole object as we wrote it, if nobody has touched it since.
    pub(super) fn written(&self, outline: &Object) -> Option<Arc<Object>> {
        let records = self.memory.records();
        let written = records.objects.get(outline.uid())?.written.as_ref()?;
        (written.identity() == outline.identity()).then(|| Arc::clone(written))
    }

    pub(super) fn is_doubted(&self, target: Target<'_>, owner: &Object) -> bool {
        let records = self.memory.records();
        records.owners.get(owner.uid()).is_some_and(|record| record.doubted.contains(&target.place()))
    }

    /// Relies on what is known of an object.
    pub(super) fn trust(&self, target: Target<'_>, owner: &Object) {
        if let Some(record) = self.memory.records().owners.get_mut(owner.uid()) {
            record.doubted.remove(&target.place());
        }
    }

    /// Does not rely on what is known of an object.
    pub(super) fn doubt(&self, target: Target<'_>, owner: &Object) {
        let mut records = self.memory.records();
        if !self.is_without(owner) {
            let record = records.owner(owner);
            record.unwatched.remove(&target.place());
            record.doubted.insert(target.place());
        }
    }

    pub(super) fn was_pruned(&self, kind: Kind, owner: &Object, stays: &BTreeSet<Key>) -> bool {
        let records = self.memory.records();
        records.owners.get(owner.uid()).and_then(|record| record.pruned.get(&kind)) == Some(stays)
    }

    /// Remembers what stayed when objects of a kind were asked for.
    pub(super) fn note_pruned(&self, kind: Kind, owner: &Object, stays: BTreeSet<Key>) {
        let mut records = self.memory.records();
        if !self.is_without(owner) {
            records.owner(owner).pruned.insert(kind, stays);
        }
    }

    /// Forgets of the objects of an owner those that the work does not name.
    pub(super) fn forget_unnamed(&self, work: &Work, owner: &Object) {
        let mut records = self.memory.records();
        let Some(record) = records.owners.get_mut(owner.uid()) else { return };
        if record.unwatched.is_empty() && record.doubted.is_empty() {
            return;
        }
        let place = |desired: &Desired| Some((self.kind_of(&desired.resource)?, desired.key()));
        let named: HashSet<Place> = work.waves.iter().flatten().filter_map(place).collect();
        record.unwatched.retain(|place, _| named.contains(place));
        record.doubted.retain(|place| named.contains(place));
    }
}
