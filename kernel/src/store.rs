//! The objects of one kind as last seen: the store behind a watch, shared by all controllers of the process.
//! Pure: events in, changes out. The watch fills it, and `apply` adds the results of its writes.
//!
//! # Guarantees
//! - A deletion is never lost: an object that a new list lacks is reported as gone, even if its event was missed.
//! - An object that we wrote is stored at once. The change is distinguished from those of others, even if its event comes
//!   before the answer, which is usually the case.
//! - An event that is older than the stored object is ignored.
//!
//! # Assumptions
//! Resource versions of one kind are numbers that grow, as Kubernetes promises since 1.35.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::index::remove_from;
use crate::object::{Identity, Key, Stored};

/// What a watch delivers.
#[derive(Debug, Clone)]
pub enum Event<K> {
    /// A list begins: at the start, after a disconnect, or because history is gone.
    Begin,
    /// An object of the list.
    Listed(K),
    /// An object that exists and cannot be decoded. What was known of it stays.
    Unreadable(Identity),
    /// The list is complete.
    Complete,
    /// An object was created or changed.
    Applied(K),
    /// An object was deleted. Whether it could be decoded does not matter.
    Deleted(Identity),
}

/// A change of one stored object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change<K> {
    /// The object before, unless it is new.
    pub before: Option<Arc<K>>,
    /// The object now, unless it is gone.
    pub after: Option<Arc<K>>,
}

/// The state that a write is based on: the server rejects it in any other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteBase {
    /// There is no such object.
    Absence,
    /// It has this version.
    Version(u64),
    /// Any: it may include later changes of others.
    Unsaid,
}

/// A pending write. It must be passed to `wrote` or `give_up`, or the changes of its object are never delivered.
#[derive(Debug)]
#[must_use]
pub struct Ticket {
    key: Key,
    base: WriteBase,
    /// How many lists there had been.
    lists: u64,
}

/// Who made a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Our own write.
    Ours,
    /// Another writer, perhaps together with ours.
    Foreign,
}

/// Pending writes of one object.
#[derive(Debug)]
struct Writes<K> {
    number: usize,
    /// What the watch delivered meanwhile: the answer decides who made it.
    held: Option<Change<K>>,
}

/// All objects of a kind as last seen.
#[derive(Debug)]
pub struct Store<K> {
    /// By key.
    objects: Arc<Vec<Arc<K>>>,
    /// The objects of each owner, so that finding them needs no scan.
    owned: HashMap<Box<str>, BTreeSet<Key>>,
    /// The pending list: the objects so far, with their versions.
    listing: Option<BTreeMap<Key, u64>>,
    /// How many lists were complete.
    lists: u64,
    /// The watch has delivered everything up to this version.
    delivered: u64,
    writes: HashMap<Key, Writes<K>>,
}

impl<K> Default for Store<K> {
    fn default() -> Self {
        Self {
            objects: Arc::default(),
            owned: HashMap::new(),
            listing: None,
            lists: 0,
            delivered: 0,
            writes: HashMap::new(),
        }
    }
}

impl<K: Stored> Store<K> {
    /// Whether a list was complete: before, a missing object may exist.
    pub fn is_complete(&self) -> bool {
        self.lists > 0
    }

    /// Must be called before a write is sent.
    pub fn begin(&mut self, key: &Key, base: WriteBase) -> Ticket {
        let writes = self.writes.entry(key.clone()).or_insert(Writes { number: 0, held: None });
        writes.number += 1;
        Ticket { key: key.clone(), base, lists: self.lists }
    }

    /// One object.
    pub fn get(&self, key: &Key) -> Option<&Arc<K>> {
        self.position(key).ok().map(|at| &self.objects[at])
    }

    /// Every object, by key.
    pub fn iter(&self) -> impl Iterator<Item = (&Key, &Arc<K>)> {
        self.objects.iter().map(|object| (&object.identity().key, object))
    }

    /// Every object as it is now, by key. While the caller keeps the list, the next change copies it once.
    pub fn all(&self) -> &Arc<Vec<Arc<K>>> {
        &self.objects
    }

    /// The position of an object, or where it would be inserted.
    fn position(&self, key: &Key) -> Result<usize, usize> {
        let after = |last: &Arc<K>| last.identity().key < *key;
        // Lists are almost sorted by key.
        if self.objects.last().is_none_or(after) {
            return Err(self.objects.len());
        }
        self.objects.binary_search_by(|object| object.identity().key.cmp(key))
    }

    /// The objects that this owner controls, by key.
    pub fn owned_by(&self, uid: &str) -> impl Iterator<Item = &Arc<K>> {
        self.owned.get(uid).into_iter().flatten().filter_map(|key| self.get(key))
    }

    /// The objects of one namespace whose names have a prefix, by name.
    pub fn named(&self, namespace: &str, prefix: &str) -> impl Iterator<Item = &Arc<K>> {
        let from = Key::new(namespace, prefix);
        let (Ok(first) | Err(first)) = self.position(&from);
        let inside = move |key: &Key| key.namespace == from.namespace && key.name.starts_with(&*from.name);
        self.objects[first..].iter().take_while(move |object| inside(&object.identity().key))
    }

    /// How many objects there are.
    pub fn len(&self) -> usize {
        self.objects.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// Stores what the watch delivered, and returns the changes.
    pub fn see(&mut self, event: Event<K>) -> Vec<Change<K>> {
        let changes = self.process(event);
        changes.into_iter().filter_map(|change| self.hold(change)).collect()
    }

    fn process(&mut self, event: Event<K>) -> Vec<Change<K>> {
        match event {
            Event::Begin => {
                self.listing = Some(BTreeMap::new());
                Vec::new()
            }
            Event::Listed(object) => {
                if let Some(listing) = &mut self.listing {
                    let Identity { key, version, .. } = object.identity();
                    listing.insert(key.clone(), *version);
                }
                self.learn(object)
            }
            Event::Unreadable(identity) => {
                if let Some(listing) = &mut self.listing {
                    listing.insert(identity.key, identity.version);
                }
                Vec::new()
            }
            Event::Complete => self.complete_list(),
            Event::Applied(object) => {
                self.delivered = self.delivered.max(object.identity().version);
                self.learn(object)
            }
            Event::Deleted(identity) => self.forget(&identity),
        }
    }

    /// Holds a change back while a write of its object is pending.
    fn hold(&mut self, change: Change<K>) -> Option<Change<K>> {
        let some = change.after.as_ref().or(change.before.as_ref())?;
        let Some(writes) = self.writes.get_mut(&some.identity().key) else { return Some(change) };
        let before = writes.held.take().map_or(change.before, |held| held.before);
        writes.held = Some(Change { before, after: change.after });
        None
    }

    fn release(&mut self, key: &Key) -> Option<Change<K>> {
        let writes = self.writes.get_mut(key)?;
        let held = writes.held.take().filter(|held| held.before.is_some() || held.after.is_some());
        writes.number -= 1;
        if writes.number == 0 {
            self.writes.remove(key);
        }
        held
    }

    /// Stores the result of a write of ours. It is ignored if the watch or a new list has delivered a later version: the
    /// object may have been deleted since, and no further event would report that.
    ///
    /// A change is ours if it leads from the version that the write was based on to the resulting one: then nothing else
    /// changed in between.
    pub fn wrote(&mut self, object: K, ticket: Ticket) -> (Origin, Vec<Change<K>>) {
        let Ticket { key, base, lists } = ticket;
        let version = object.identity().version;
        let is_ours = |change: &Change<K>| {
            let begins = match (&change.before, base) {
                (None, WriteBase::Absence) => true,
                (Some(before), WriteBase::Version(version)) => before.identity().version == version,
                _ => false,
            };
            let ends = change.after.as_ref().is_some_and(|after| after.identity().version == version);
            begins && ends
        };
        let held = self.release(&key);
        let is_stale = lists != self.lists || version <= self.delivered;
        let learned = if is_stale { Vec::new() } else { self.learn(object) };
        let changes: Vec<Change<K>> = held.into_iter().chain(learned).collect();
        let origin = match changes.as_slice() {
            [only] if is_ours(only) => Origin::Ours,
            _ => Origin::Foreign,
        };
        (origin, changes)
    }

    /// A write failed, or its outcome is unknown: what the watch delivered meanwhile is a change of others.
    pub fn give_up(&mut self, ticket: &Ticket) -> Vec<Change<K>> {
        self.release(&ticket.key).into_iter().collect()
    }

    fn learn(&mut self, object: K) -> Vec<Change<K>> {
        let position = self.position(&object.identity().key);
        let known = position.ok().map(|at| &self.objects[at]);
        if known.is_some_and(|known| known.identity().version >= object.identity().version) {
            return Vec::new();
        }
        let after = Arc::new(object);
        let objects = Arc::make_mut(&mut self.objects);
        let before = match position {
            Ok(at) => Some(std::mem::replace(&mut objects[at], Arc::clone(&after))),
            Err(at) => {
                objects.insert(at, Arc::clone(&after));
                None
            }
        };
        if before.as_ref().map(|before| before.owner()) != Some(after.owner()) {
            if let Some(before) = &before {
                self.disown(before);
            }
            if let Some(owner) = after.owner() {
                self.owned.entry(owner.into()).or_default().insert(after.identity().key.clone());
            }
        }
        vec![Change { before, after: Some(after) }]
    }

    fn disown(&mut self, object: &K) {
        if let Some(owner) = object.owner() {
            remove_from(&mut self.owned, owner, &object.identity().key);
        }
    }

    fn forget(&mut self, deleted: &Identity) -> Vec<Change<K>> {
        self.delivered = self.delivered.max(deleted.version);
        // An object of the same name that was created since is another one.
        let is_same = |known: &Arc<K>| known.identity().uid == deleted.uid;
        if self.get(&deleted.key).is_some_and(is_same) { self.remove(&deleted.key) } else { Vec::new() }
    }

    fn remove(&mut self, key: &Key) -> Vec<Change<K>> {
        let before = self.position(key).ok().map(|at| Arc::make_mut(&mut self.objects).remove(at));
        if let Some(before) = &before {
            self.disown(before);
        }
        before.into_iter().map(|before| Change { before: Some(before), after: None }).collect()
    }

    /// An object that is not in the list is gone. That may be wrong for one that we wrote after the list was made, and then
    /// the watch delivers it again; the opposite mistake would never be corrected.
    fn complete_list(&mut self) -> Vec<Change<K>> {
        let Some(listed) = self.listing.take() else { return Vec::new() };
        self.lists += 1;
        self.delivered = listed.values().copied().fold(self.delivered, u64::max);
        let keys = self.objects.iter().map(|object| &object.identity().key);
        let gone: Vec<Key> = keys.filter(|key| !listed.contains_key(key)).cloned().collect();
        gone.iter().flat_map(|key| self.remove(key)).collect()
    }
}

#[cfg(test)]
mod tests;
