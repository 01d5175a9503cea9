//! Which resources a change of an object affects. One index for each controller: the hub reads it, passes add to it.
//!
//! # Guarantees
//! - What a resource reads by name is in the index before it is read: no later change is missed.
//! - What is remembered of a resource is dropped with it.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet, HashMap, btree_set};
use std::hash::Hash;
use std::sync::Arc;

use parking_lot::RwLock;

use crate::declare::{Declaration, Kind};
use crate::object::{Key, Object, Stored as _};
use crate::store::Change;
use crate::stores::Stores;

/// Which objects affect the resources of an operator, where the declaration does not say it: selectors, labels of pods.
pub trait Interest: Send + Sync + 'static {
    /// The part of a resource that decides, such as its selectors. It is decoded once for each version of the resource.
    type Selects: Send + Sync + 'static;

    /// Decodes it.
    fn read(&self, resource: &Object) -> Self::Selects;

    /// Whether this, and not the declaration, decides about a kind.
    fn decides(&self, kind: Kind) -> bool;

    /// Whether an object, before or after a change, affects a resource.
    fn concerns(&self, resource: &Key, selects: &Self::Selects, candidate: &CandidateObject<'_>) -> bool;

    /// Whether a change needs a pass of the resources that the object affects.
    fn matters(&self, _kind: Kind, _change: &Change<Object>) -> bool {
        true
    }

    /// The resources that the status of an object mentions. They may be gone.
    fn mentions(&self, _kind: Kind, _object: &Object) -> Vec<Key> {
        Vec::new()
    }
}

/// An object that may affect a resource.
#[derive(Debug, Clone, Copy)]
pub struct CandidateObject<'c> {
    /// Its kind.
    pub kind: Kind,
    /// The object.
    pub object: &'c Object,
    /// All stores.
    pub stores: &'c Stores,
}

/// An [`Interest`] with its cache, for the hub.
pub trait Interests: Send + Sync {
    /// The resources that an object affects; `None` if the declaration decides.
    fn concerned(&self, primary: Kind, candidate: &CandidateObject<'_>) -> Option<Vec<Key>>;

    /// See [`Interest::matters`].
    fn matters(&self, kind: Kind, change: &Change<Object>) -> bool;

    /// See [`Interest::mentions`].
    fn mentions(&self, kind: Kind, object: &Object) -> Vec<Key>;

    /// Forgets a resource.
    fn forget(&self, resource: &Key);
}

/// A decoded value with the version of its resource.
type AtVersion<T> = (u64, Arc<T>);

/// An interest with what was decoded of each resource, at its version.
struct Cached<I: Interest> {
    interest: I,
    read: RwLock<HashMap<Key, AtVersion<I::Selects>>>,
}

/// An interest for the hub.
pub fn interests(interest: impl Interest) -> Arc<dyn Interests> {
    Arc::new(Cached { interest, read: RwLock::default() })
}

impl<I: Interest> Cached<I> {
    fn selects(&self, resource: &Object, exists: impl FnOnce() -> bool) -> Arc<I::Selects> {
        let version = resource.identity().version;
        let known = self.read.read().get(resource.key()).filter(|(at, _)| *at == version).cloned();
        if let Some((_, selects)) = known {
            return selects;
        }
        let selects = Arc::new(self.interest.read(resource));
        self.read.write().insert(resource.key().clone(), (version, Arc::clone(&selects)));
        // It may have been deleted and forgotten since the caller found it.
        if !exists() {
            self.forget(resource.key());
        }
        selects
    }
}

impl<I: Interest> Interests for Cached<I> {
    fn concerned(&self, primary: Kind, candidate: &CandidateObject<'_>) -> Option<Vec<Key>> {
        if !self.interest.decides(candidate.kind) {
            return None;
        }
        let resources = candidate.stores.all(primary);
        let concerned = resources.iter().filter(|resource| {
            let exists = || candidate.stores.get(primary, resource.key()).is_some();
            self.interest.concerns(resource.key(), &self.selects(resource, exists), candidate)
        });
        Some(concerned.map(|resource| resource.key().clone()).collect())
    }

    fn matters(&self, kind: Kind, change: &Change<Object>) -> bool {
        self.interest.matters(kind, change)
    }

    fn mentions(&self, kind: Kind, object: &Object) -> Vec<Key> {
        self.interest.mentions(kind, object)
    }

    fn forget(&self, resource: &Key) {
        self.read.write().remove(resource);
    }
}

/// Objects by kind.
type ByKind = BTreeMap<Kind, BTreeSet<Key>>;

/// The links of the resources of one controller.
#[derive(Debug, Default)]
struct Links {
    /// What each resource reads by name.
    reads: HashMap<Key, ByKind>,
    /// The resources that read an object by name.
    readers: HashMap<(Kind, Key), BTreeSet<Key>>,
    /// The objects of a kind whose status mentions a resource.
    mentioned: HashMap<(Kind, Key), BTreeSet<Key>>,
}

/// The index of one controller.
pub struct Index {
    declaration: &'static Declaration,
    interests: Option<Arc<dyn Interests>>,
    links: RwLock<Links>,
}

impl Index {
    /// An empty one.
    pub fn new(declaration: &'static Declaration, interests: Option<Arc<dyn Interests>>) -> Self {
        Self { declaration, interests, links: RwLock::default() }
    }

    /// Updates the index after a change, also after one of ours.
    pub(crate) fn follow(&self, kind: Kind, change: &Change<Object>) {
        let Some(interests) = &self.interests else { return };
        if kind == self.declaration.primary {
            if let (Some(before), None) = (&change.before, &change.after) {
                interests.forget(before.key());
            }
            return;
        }
        let mentions = |side: &Option<Arc<Object>>| -> BTreeSet<Key> {
            side.iter().flat_map(|object| interests.mentions(kind, object)).collect()
        };
        let (before, after) = (mentions(&change.before), mentions(&change.after));
        let object = change.after.as_ref().or(change.before.as_ref()).map(|object| object.key());
        let Some(object) = object.filter(|_| before != after) else { return };
        let mut links = self.links.write();
        for resource in before.difference(&after) {
            remove_from(&mut links.mentioned, &(kind, resource.clone()), object);
        }
        for resource in after.difference(&before) {
            links.mentioned.entry((kind, resource.clone())).or_default().insert(object.clone());
        }
    }

    /// Whether a change needs a pass.
    pub(crate) fn matters(&self, kind: Kind, change: &Change<Object>) -> bool {
        self.interests.as_ref().is_none_or(|interests| interests.matters(kind, change))
    }

    /// The resources that an object affects, before or after a change.
    pub fn concerned(&self, kind: Kind, object: &Object, stores: &Stores) -> Vec<Key> {
        let candidate = CandidateObject { kind, object, stores };
        let primary = self.declaration.primary;
        let selecting = self.interests.as_ref().and_then(|one| one.concerned(primary, &candidate));
        let mut concerned =
            selecting.unwrap_or_else(|| self.declaration.concerns(kind, object).into_iter().collect());
        let links = self.links.read();
        concerned.extend(links.readers.get(&(kind, object.key().clone())).into_iter().flatten().cloned());
        concerned
    }

    /// From now on a change of one of these objects, and of no others, causes a pass of the resource.
    pub fn reads(&self, resource: &Key, objects: &BTreeMap<Kind, BTreeSet<Key>>) {
        if self.links.read().reads.get(resource).map_or(objects.is_empty(), |known| known == objects) {
            return;
        }
        let mut links = self.links.write();
        links.forget_reads(resource);
        for (kind, keys) in objects {
            for key in keys {
                links.readers.entry((*kind, key.clone())).or_default().insert(resource.clone());
            }
        }
        if !objects.is_empty() {
            links.reads.insert(resource.clone(), objects.clone());
        }
    }

    /// The objects whose status mentions a resource.
    pub fn mentioning(&self, resource: &Key) -> BTreeMap<Kind, BTreeSet<Key>> {
        let links = self.links.read();
        let of_kind = |kind| Some((kind, links.mentioned.get(&(kind, resource.clone()))?.clone()));
        self.declaration.kinds().filter_map(of_kind).collect()
    }

    /// Iterates over the objects of a kind whose status mentions a resource, by key.
    pub fn mentioning_of<T>(
        &self,
        resource: &Key,
        kind: Kind,
        read_keys: impl FnOnce(btree_set::Iter<'_, Key>) -> T,
    ) -> T {
        let links = self.links.read();
        let of_kind = links.mentioned.get(&(kind, resource.clone()));
        read_keys(of_kind.unwrap_or(&BTreeSet::new()).iter())
    }

    /// Resources that are gone and still mentioned. A resource that is not watched may belong to another operator.
    pub(crate) fn mentioned_and_gone(&self, stores: &Stores) -> BTreeSet<Key> {
        let primary = self.declaration.primary;
        let is_gone =
            |key: &&Key| stores.is_known(primary, &key.namespace) && stores.get(primary, key).is_none();
        self.links.read().mentioned.keys().map(|(_, key)| key).filter(is_gone).cloned().collect()
    }

    /// Forgets what a resource reads.
    pub(crate) fn forget(&self, resource: &Key) {
        self.links.write().forget_reads(resource);
    }

    /// How many things are remembered.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        let links = self.links.read();
        links.reads.len() + links.readers.len() + links.mentioned.len()
    }
}

impl Links {
    fn forget_reads(&mut self, resource: &Key) {
        for (kind, keys) in self.reads.remove(resource).unwrap_or_default() {
            for key in keys {
                remove_from(&mut self.readers, &(kind, key), resource);
            }
        }
    }
}

/// Removes a value from the set of a key, and the set if it is empty then.
pub(crate) fn remove_from<K, Q, V>(sets: &mut HashMap<K, BTreeSet<V>>, key: &Q, value: &V)
where
    K: Borrow<Q> + Hash + Eq,
    Q: Hash + Eq + ?Sized,
    V: Ord,
{
    if let Some(set) = sets.get_mut(key) {
        set.remove(value);
        if set.is_empty() {
            sets.remove(key);
        }
    }
}

#[cfg(test)]
mod tests;
