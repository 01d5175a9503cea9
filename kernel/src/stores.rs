//! All that the process knows of the cluster: one store a kind, or a kind and namespace. Stages read it; the watches and
//! `apply` fill it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::declare::{Kind, Scope};
use crate::object::{Key, Object};
use crate::watch::Shared;

/// Which namespaces the process looks at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Namespaces {
    /// All except these.
    AllBut(Vec<String>),
    /// Only these: plain Roles suffice.
    Only(Vec<String>),
}

impl Namespaces {
    /// The namespaces that get a watch of their own; nothing stands for one watch of all.
    pub fn rooms(&self, scope: Scope) -> Vec<Option<&str>> {
        match self {
            Self::AllBut(_) => vec![None],
            Self::Only(_) if scope == Scope::Cluster => vec![None],
            Self::Only(names) => names.iter().map(|name| Some(name.as_str())).collect(),
        }
    }

    /// What a watch of all namespaces leaves out, as a field selector.
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

/// The store of a kind in one namespace, or in all of them.
#[derive(Debug, Clone)]
pub struct Room {
    /// The namespace; all if absent.
    pub namespace: Option<Arc<str>>,
    /// Its store.
    pub objects: Shared<Object>,
}

/// Every store.
#[derive(Debug, Clone, Default)]
pub struct Stores(Arc<BTreeMap<Kind, Vec<Room>>>);

impl Stores {
    /// Empty stores for these kinds.
    pub fn new(kinds: impl IntoIterator<Item = Kind>, namespaces: &Namespaces) -> Self {
        let rooms = |scope: Scope| {
            let room = |namespace: Option<&str>| Room {
                namespace: namespace.map(Arc::from),
                objects: Shared::default(),
            };
            namespaces.rooms(scope).into_iter().map(room).collect()
        };
        Self(Arc::new(kinds.into_iter().map(|kind| (kind, rooms(kind.scope))).collect()))
    }

    /// Every kind with its stores.
    pub fn iter(&self) -> impl Iterator<Item = (Kind, &Room)> {
        self.0.iter().flat_map(|(kind, rooms)| rooms.iter().map(|room| (*kind, room)))
    }

    /// The store that has, or would have, objects of a kind in a namespace.
    pub fn room(&self, kind: Kind, namespace: &str) -> Option<&Shared<Object>> {
        let fits = |room: &&Room| room.namespace.as_deref().is_none_or(|name| name == namespace);
        self.0.get(&kind)?.iter().find(fits).map(|room| &room.objects)
    }

    /// One object.
    pub fn get(&self, kind: Kind, key: &Key) -> Option<Arc<Object>> {
        self.room(kind, &key.namespace)?.read().get(key).cloned()
    }

    /// The objects of a kind that this owner controls, by name.
    pub fn owned_by(&self, kind: Kind, namespace: &str, uid: &str) -> Vec<Arc<Object>> {
        let room = self.room(kind, namespace);
        room.map(|room| room.read().owned_by(uid).cloned().collect()).unwrap_or_default()
    }

    /// The objects of a kind in a namespace whose names begin so, by name.
    pub fn named(&self, kind: Kind, namespace: &str, prefix: &str) -> Vec<Arc<Object>> {
        let room = self.room(kind, namespace);
        room.map(|room| room.read().named(namespace, prefix).cloned().collect()).unwrap_or_default()
    }
}
