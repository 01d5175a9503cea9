//! The stores of the process: one for each kind, or for each kind and namespace. Stages read them; the watches and `apply`
//! fill them.

mod trim;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kube::api::DynamicObject;

use self::trim::{Trim, trimmed, trims};
use crate::declare::{Declaration, Detail, Kind, Scope};
use crate::object::{Key, Object};
use crate::watch::Shared;

/// The namespaces that the process watches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Namespaces {
    /// All except these.
    AllBut(Vec<String>),
    /// Only these: plain Roles suffice.
    Only(Vec<String>),
}

impl Namespaces {
    /// The namespaces with a watch of their own; `None` stands for one watch of all.
    pub fn partitions(&self, scope: Scope) -> Vec<Option<&str>> {
        match self {
            Self::AllBut(_) => vec![None],
            Self::Only(_) if scope == Scope::Cluster => vec![None],
            Self::Only(names) => names.iter().map(|name| Some(name.as_str())).collect(),
        }
    }

    /// The union with other namespaces.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::AllBut(some), Self::AllBut(others)) => {
                Self::AllBut(some.iter().filter(|name| others.contains(name)).cloned().collect())
            }
            (Self::AllBut(some), Self::Only(others)) | (Self::Only(others), Self::AllBut(some)) => {
                Self::AllBut(some.iter().filter(|name| !others.contains(name)).cloned().collect())
            }
            (Self::Only(some), Self::Only(others)) => {
                let all: BTreeSet<String> = some.iter().chain(others).cloned().collect();
                Self::Only(all.into_iter().collect())
            }
        }
    }

    /// The field selector of a watch of all namespaces.
    pub fn selector(&self, scope: Scope) -> Option<String> {
        match self {
            Self::AllBut(names) if !names.is_empty() && scope == Scope::Namespaces => {
                let parts: Vec<String> =
                    names.iter().map(|name| format!("metadata.namespace!={name}")).collect();
                Some(parts.join(","))
            }
            Self::AllBut(_) | Self::Only(_) => None,
        }
    }
}

/// The namespaces that the process watches, for each kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scopes {
    /// For most kinds.
    pub most: Namespaces,
    /// For some.
    pub some: BTreeMap<Kind, Namespaces>,
    /// Which objects of a kind are watched, where it is not all of them.
    pub filters: BTreeMap<Kind, WatchFilter>,
}

/// Which objects of a kind are watched.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WatchFilter {
    /// A label selector.
    pub labels: Option<String>,
    /// A field selector.
    pub fields: Option<String>,
}

impl From<Namespaces> for Scopes {
    fn from(most: Namespaces) -> Self {
        Self { most, some: BTreeMap::new(), filters: BTreeMap::new() }
    }
}

impl Scopes {
    /// Every namespace that is named for any kind.
    pub fn named(&self) -> Vec<String> {
        let all = self.some.values().chain([&self.most]);
        let names = all.flat_map(|namespaces| match namespaces {
            Namespaces::Only(names) => names.as_slice(),
            Namespaces::AllBut(_) => &[],
        });
        names.cloned().collect::<BTreeSet<String>>().into_iter().collect()
    }

    /// The namespaces for a kind.
    pub fn of(&self, kind: Kind) -> &Namespaces {
        self.some.get(&kind).unwrap_or(&self.most)
    }
}

/// The store of a kind in one namespace, or in all of them.
#[derive(Debug, Clone)]
pub struct Partition {
    /// The namespace; all if absent.
    pub namespace: Option<Arc<str>>,
    /// Its store.
    pub objects: Shared<Object>,
    /// Whether the server has no such kind: then there are no objects.
    pub(crate) is_absent: Arc<AtomicBool>,
}

/// The stores of a kind.
#[derive(Debug)]
struct KindStores {
    partitions: Vec<Partition>,
    /// Namespaces that a watch of all excludes.
    left_out: Vec<String>,
    /// Whether the watch excludes objects that operators might use.
    is_filtered: bool,
    /// The label selector of all operators: no operator uses an object that it excludes.
    selector: Option<&'static str>,
    /// How much is kept of each object.
    detail: Detail,
    /// How an object is trimmed; empty if all of it is needed.
    trims: Vec<Trim>,
}

/// All objects of a kind at one moment, without copies.
#[derive(Debug, Clone, Default)]
pub struct All(Vec<Arc<Vec<Arc<Object>>>>);

impl All {
    /// All of them, always in the same order.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Object>> {
        self.0.iter().flat_map(|partition| partition.iter())
    }

    /// Adds one, or replaces the one of its name.
    pub fn put(&mut self, object: Arc<Object>) {
        if self.0.is_empty() {
            self.0.push(Arc::default());
        }
        let partition = Arc::make_mut(&mut self.0[0]);
        match partition.binary_search_by(|other| other.key().cmp(object.key())) {
            Ok(at) => partition[at] = object,
            Err(at) => partition.insert(at, object),
        }
    }
}

impl From<Vec<Arc<Object>>> for All {
    fn from(objects: Vec<Arc<Object>>) -> Self {
        Self(vec![Arc::new(objects)])
    }
}

/// The label selector of a kind that all operators share. If they differ, everything is watched.
fn selector(declarations: &[&'static Declaration], kind: Kind) -> Option<&'static str> {
    let mut all = declarations.iter().flat_map(|one| one.selectors(kind));
    let first = all.next()?;
    all.all(|other| other == first).then_some(first)?
}

/// Every store. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Stores {
    kinds: Arc<BTreeMap<Kind, KindStores>>,
    /// Our field manager and those that we take over from.
    managers: Arc<[&'static str]>,
}

impl Stores {
    /// Empty stores for the kinds of these operators, which write under this field manager.
    pub fn new(declarations: &[&'static Declaration], manager: &'static str, scopes: &Scopes) -> Self {
        let kinds = declarations.iter().flat_map(|one| one.kinds());
        let stores = |kind: Kind| {
            let partition = |namespace: Option<&str>| Partition {
                namespace: namespace.map(Arc::from),
                objects: Shared::default(),
                is_absent: Arc::default(),
            };
            let partitions = scopes.of(kind).partitions(kind.scope).into_iter().map(partition).collect();
            let detail = declarations.iter().filter_map(|one| one.detail(kind)).max().unwrap_or(Detail::Full);
            let is_filtered = scopes.filters.contains_key(&kind);
            let left_out = match scopes.of(kind) {
                Namespaces::AllBut(names) if kind.scope == Scope::Namespaces => names.clone(),
                Namespaces::AllBut(_) | Namespaces::Only(_) => Vec::new(),
            };
            let (selector, trims) = (selector(declarations, kind), trims(declarations, kind));
            KindStores { partitions, left_out, is_filtered, selector, detail, trims }
        };
        let predecessors = declarations.iter().flat_map(|one| one.predecessors).copied();
        Self {
            kinds: Arc::new(kinds.map(|kind| (kind, stores(kind))).collect()),
            managers: std::iter::once(manager).chain(predecessors).collect(),
        }
    }

    /// Every kind with its stores.
    pub fn iter(&self) -> impl Iterator<Item = (Kind, &Partition)> {
        self.kinds
            .iter()
            .flat_map(|(kind, stores)| stores.partitions.iter().map(|partition| (*kind, partition)))
    }

    /// The part of an object that is kept: all of it if an operator owns such objects, else what operators read. Of the field
    /// ownership only the part of our field managers is kept.
    pub fn keep(&self, kind: Kind, mut object: DynamicObject) -> Object {
        if let Some(entries) = &mut object.metadata.managed_fields {
            entries.retain(|entry| {
                let ours = entry.manager.as_deref().is_some_and(|manager| self.managers.contains(&manager));
                ours && entry.subresource.is_none()
            });
        }
        let stores = self.kinds.get(&kind);
        if let Some(stores) = stores {
            object = trimmed(object, &stores.trims);
        }
        if stores.is_some_and(|stores| stores.detail == Detail::Metadata) {
            object.data = serde_json::Value::Null;
            object.metadata.annotations = None;
            object.metadata.managed_fields = None;
        }
        Object::new(object, &kind.resource())
    }

    /// How much is known of the objects of a kind.
    pub fn detail(&self, kind: Kind) -> Detail {
        self.kinds.get(&kind).map_or(Detail::Full, |stores| stores.detail)
    }

    /// Whether a kind is watched in a namespace, and listed.
    pub fn is_watched(&self, kind: Kind, namespace: &str) -> bool {
        self.partition(kind, namespace).is_some_and(|partition| partition.read().is_complete())
    }

    /// Whether all objects of a kind in a namespace are known. Otherwise a missing object may exist.
    pub fn is_known(&self, kind: Kind, namespace: &str) -> bool {
        !self.is_filtered(kind) && self.is_watched(kind, namespace)
    }

    /// Whether the watch of a kind excludes objects that operators might use.
    pub fn is_filtered(&self, kind: Kind) -> bool {
        self.kinds.get(&kind).is_some_and(|stores| stores.is_filtered)
    }

    /// The label selector of the watch of a kind.
    pub fn selector(&self, kind: Kind) -> Option<&'static str> {
        self.kinds.get(&kind)?.selector
    }

    /// Whether the watch of a kind excludes an object: it covers only some, and has not delivered this one. Such an object is
    /// never stored, because no event would report its changes or its deletion.
    pub fn is_left_out(&self, kind: Kind, key: &Key) -> bool {
        self.is_filtered(kind) && self.get(kind, key).is_none()
    }

    /// Whether all objects of a kind are known in all watched namespaces, or the kind does not exist. Otherwise a missing
    /// object may exist.
    pub fn is_settled(&self, kind: Kind) -> bool {
        self.partitions(kind).all(|partition| {
            partition.is_absent.load(Ordering::Relaxed) || partition.objects.read().is_complete()
        })
    }

    /// All objects of a kind as they are now, by key in each partition.
    pub fn all(&self, kind: Kind) -> All {
        All(self.partitions(kind).map(|partition| Arc::clone(partition.objects.read().all())).collect())
    }

    /// The store for objects of a kind in a namespace; `None` if they are not watched.
    pub fn partition(&self, kind: Kind, namespace: &str) -> Option<&Shared<Object>> {
        let fits =
            |partition: &&Partition| partition.namespace.as_deref().is_none_or(|name| name == namespace);
        let stores = self.kinds.get(&kind)?;
        if stores.left_out.iter().any(|name| name == namespace) {
            return None;
        }
        stores.partitions.iter().find(fits).map(|partition| &partition.objects)
    }

    /// One object.
    pub fn get(&self, kind: Kind, key: &Key) -> Option<Arc<Object>> {
        self.partition(kind, &key.namespace)?.read().get(key).cloned()
    }

    /// How many objects of a kind are known.
    pub fn count(&self, kind: Kind) -> usize {
        self.partitions(kind).map(|partition| partition.objects.read().len()).sum()
    }

    /// The objects of a kind that an owner controls, by name in each partition: in its namespace, or in all watched ones for
    /// a cluster-scoped owner.
    pub fn owned_by(&self, kind: Kind, namespace: &str, uid: &str) -> Vec<Arc<Object>> {
        let fits = |one: &&Partition| {
            namespace.is_empty() || one.namespace.as_deref().is_none_or(|name| name == namespace)
        };
        let owned = |one: &Partition| one.objects.read().owned_by(uid).cloned().collect::<Vec<_>>();
        self.partitions(kind).filter(fits).flat_map(owned).collect()
    }

    /// The stores of a kind.
    pub(crate) fn partitions(&self, kind: Kind) -> impl Iterator<Item = &Partition> {
        self.kinds.get(&kind).into_iter().flat_map(|stores| &stores.partitions)
    }

    /// The objects of a kind in a namespace whose names have a prefix, by name.
    pub fn named(&self, kind: Kind, namespace: &str, prefix: &str) -> Vec<Arc<Object>> {
        let partition = self.partition(kind, namespace);
        partition
            .map(|partition| partition.read().named(namespace, prefix).cloned().collect())
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namespaces_are_joined() {
        let all_but = |names: &[&str]| Namespaces::AllBut(names.iter().map(|&name| name.into()).collect());
        let only = |names: &[&str]| Namespaces::Only(names.iter().map(|&name| name.into()).collect());
        for (one, other, joined) in [
            (only(&["a"]), only(&["b"]), only(&["a", "b"])),
            (only(&["a"]), all_but(&["a", "b"]), all_but(&["b"])),
            (all_but(&["a", "b"]), all_but(&["b", "c"]), all_but(&["b"])),
            (all_but(&[]), only(&["a"]), all_but(&[])),
        ] {
            assert_eq!(one.or(&other), joined);
            assert_eq!(other.or(&one), joined);
        }
    }
}
