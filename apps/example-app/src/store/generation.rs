//! The store in use on a volume, and the first one on an empty volume.

use super::{Facts, Store, StoreError};
use crate::version::{Schema, Version};
use crate::volume::{Generation, Volume};

/// A random number that identifies the history of a store.
pub fn new_history() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    // Seeded with random numbers of the system. It is not a secret, so that is good enough.
    std::hash::RandomState::new().build_hasher().finish().max(1)
}

/// Creates an empty store as a new generation and puts it into use.
pub fn create_generation(volume: &Volume, generation: Generation, schema: Schema) -> Result<(), StoreError> {
    let path = volume.begin_draft(generation)?;
    let facts = Facts { schema: schema.number(), revision: 0, history: new_history(), previous: 0, items: 0 };
    Store::create(&path, schema, &facts)?.close();
    // The pointer first: a pointer without a store is a creation that was interrupted, and is repeated. A store without
    // a pointer could be of any origin.
    volume.switch(generation)?;
    volume.publish(generation)?;
    Ok(())
}

/// Opens the store in use on the volume; creates one on an empty volume.
pub fn open_current(volume: &Volume, version: Version) -> Result<(Store, Generation), StoreError> {
    let generation = volume.current()?.unwrap_or(Generation(1));
    if !volume.has_store(generation) {
        create_generation(volume, generation, version.schema())?;
    }
    Ok((Store::open(volume, generation, version)?, generation))
}
