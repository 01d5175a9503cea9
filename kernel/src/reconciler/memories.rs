//! What operators remember of their resources between passes: moved into a pass and back, dropped with the resource.

use std::collections::HashMap;

use parking_lot::Mutex;

use crate::object::{Key, Object};

/// By resource, with its unique id. If a pass is dropped, the memory of its resource is lost.
#[derive(Debug)]
pub(super) struct Memories<M>(Mutex<HashMap<Key, (Box<str>, M)>>);

impl<M> Default for Memories<M> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<M: Default> Memories<M> {
    /// What is remembered of a resource; nothing of an earlier one with the same name.
    pub(super) fn take(&self, resource: &Object) -> M {
        let known = self.0.lock().remove(resource.key());
        known.filter(|(uid, _)| **uid == *resource.uid()).map(|(_, memory)| memory).unwrap_or_default()
    }

    pub(super) fn keep(&self, resource: &Object, memory: M) {
        self.0.lock().insert(resource.key().clone(), (resource.uid().into(), memory));
    }

    pub(super) fn forget(&self, key: &Key) {
        self.0.lock().remove(key);
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.0.lock().len()
    }
}
