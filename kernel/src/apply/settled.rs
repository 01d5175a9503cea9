//! Writes that need not be repeated: the server accepted them, and the object has not changed since.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use serde_json::Value;

use super::Writer;
use crate::declare::Kind;
use crate::object::{Object, Stored};

/// What was desired of an object.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    /// Its hash.
    pub(super) hash: u64,
    /// The resulting version of the object, if writing it again would change nothing.
    pub(super) settled: Option<u64>,
}

impl Writer {
    /// Whether an object is the result of what is desired.
    pub(super) fn is_settled(&self, kind: Kind, live: &Object, owner: &Object, wanted: u64) -> bool {
        let known = self.memory.records().wanted(kind, live, owner);
        known.is_some_and(|known| known.hash == wanted && known.settled == Some(live.identity().version))
    }

    /// Whether the same was desired before: then another writer made the difference.
    pub(super) fn was_wanted(&self, kind: Kind, live: &Object, owner: &Object, wanted: u64) -> bool {
        self.memory.records().wanted(kind, live, owner).is_some_and(|known| known.hash == wanted)
    }
}

/// Whether our write did not change the object.
pub(super) fn changed_nothing(before: Option<&Arc<Object>>, after: &Arc<Object>) -> bool {
    before.is_some_and(|before| !Arc::ptr_eq(before, after) && before.identity() == after.identity())
}

/// A hash of what is desired.
pub(super) fn hash(value: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
