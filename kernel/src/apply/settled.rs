//! Writes that need not be repeated: the server took them, and nobody has touched the object since.

use std::hash::{DefaultHasher, Hasher};
use std::io;
use std::sync::Arc;

use serde_json::Value;

use super::Writer;
use crate::declare::Kind;
use crate::object::{Kept, Object};

/// What was wanted of an object.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    /// Its hash.
    pub(super) hash: u64,
    /// The version of the object that the server made of it, if writing it again would change nothing.
    pub(super) settled: Option<u64>,
}

impl Writer {
    /// Whether an object is as the server made it of what is wanted.
    pub(super) fn is_settled(&self, kind: Kind, live: &Object, owner: &Object, wanted: u64) -> bool {
        let known = self.memory.records().wanted(kind, live, owner);
        known.is_some_and(|known| known.hash == wanted && known.settled == Some(live.identity().version))
    }

    /// Whether the same was wanted of an object before: what differs now, somebody else has changed.
    pub(super) fn was_wanted(&self, kind: Kind, live: &Object, owner: &Object, wanted: u64) -> bool {
        self.memory.records().wanted(kind, live, owner).is_some_and(|known| known.hash == wanted)
    }
}

/// The server took our write for the state that was there already.
pub(super) fn changed_nothing(before: Option<&Arc<Object>>, after: &Arc<Object>) -> bool {
    before.is_some_and(|before| !Arc::ptr_eq(before, after) && before.identity() == after.identity())
}

/// Tells what is wanted from what was wanted before.
pub(super) fn hash(value: &Value) -> u64 {
    let mut hasher = Hashed(DefaultHasher::new());
    // A hash takes all that is written to it.
    let _ = serde_json::to_writer(&mut hasher, value);
    hasher.0.finish()
}

/// A hash to write to, so that nothing large is made only to be hashed.
struct Hashed(DefaultHasher);

impl io::Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
