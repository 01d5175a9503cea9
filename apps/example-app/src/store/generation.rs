//! The store in use on a volume, and the first one on an empty volume.

use super::{Facts, Store, StoreError};
use crate::version::{Schema, Version};
use crate::volume::{Generation, Volume};

/// A number that no other store has.
pub fn new_history() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    // Seeded by the system's random numbers, which is all that is wanted here: no secret is made of it.
    std::hash::RandomState::new().build_hasher().finish().max(1)
}

/// Puts an empty store of the next generation on the volume and into use.
pub fn begin_generation(volume: &Volume, generation: Generation, schema: Schema) -> Result<(), StoreError> {
    let path = volume.begin_draft(generation)?;
    let facts = Facts { schema: schema.number(), revision: 0, history: new_history(), previous: 0, items: 0 };
    Store::create(&path, schema, &facts)?.close();
    // The pointer first: one without its store is a beginning that was interrupted, and is begun again. A store
    // without a pointer could be anything.
    volume.switch(generation)?;
    volume.publish(generation)?;
    Ok(())
}

/// Opens what is in use on the volume; an empty volume gets an empty store.
pub fn open_current(volume: &Volume, version: Version) -> Result<(Store, Generation), StoreError> {
    let generation = volume.current()?.unwrap_or(Generation(1));
    if !volume.holds(generation) {
        begin_generation(volume, generation, version.schema())?;
    }
    Ok((Store::open(volume, generation, version)?, generation))
}
