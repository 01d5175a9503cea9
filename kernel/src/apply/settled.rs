//! Writes that need not be repeated: the server took them, and nobody has touched the object since.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};
use std::io;
use std::sync::{Arc, PoisonError};

use serde_json::Value;

use super::Hand;
use crate::object::{Kept, Object};

/// Writes that changed nothing, so that they are not repeated: by unique id, the version of the object and the hash of
/// what was wanted.
pub(super) type Settled = HashMap<Box<str>, (u64, u64)>;

impl Hand {
    /// Whether an object is as the server made it of what is wanted.
    pub(super) fn is_settled(&self, live: &Object, wanted: u64) -> bool {
        let settled = self.settled.lock().unwrap_or_else(PoisonError::into_inner);
        settled.get(&live.identity().uid) == Some(&(live.identity().version, wanted))
    }

    /// Remembers what the server made of what is wanted.
    pub(super) fn settle(&self, object: &Object, wanted: u64) {
        let mut settled = self.settled.lock().unwrap_or_else(PoisonError::into_inner);
        settled.insert(object.identity().uid.clone(), (object.identity().version, wanted));
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
