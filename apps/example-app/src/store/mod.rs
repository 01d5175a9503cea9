//! The data of one generation, in one redb file. Owns the file and its lock; called by the HTTP handlers, by the
//! follower and by `migrate`. A write gets the next revision, and is on the disk before the call returns.
//!
//! The lock is redb's own: one process can write, or several can read. While writes are held, the store is open for
//! reading only, so that `migrate` can read it too. Writes cannot be resumed until `migrate` has ended.

mod error;
mod generation;
pub mod record;
mod replicate;
mod tables;

use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

use redb::{Database, DatabaseError, ReadOnlyDatabase, ReadTransaction, ReadableDatabase, WriteTransaction};
use tokio::sync::watch;

use crate::version::{Schema, Version};
use crate::volume::{Generation, Volume};
pub use error::StoreError;
use error::{advice, redb_error};
pub use generation::{create_generation, new_history, open_current};
use record::Record;
pub use replicate::{Change, CopyPage, Delta};
pub use tables::Facts;
use tables::Tables;

/// How many changes the log keeps; a follower further behind copies all items.
const CHANGES_KEPT: u64 = 10_000;

enum Handle {
    Writing(Database),
    Reading(ReadOnlyDatabase),
    Closed,
}

/// The result of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// The revision of the write.
    pub revision: u64,
    /// Whether the item is new.
    pub created: bool,
}

/// An open store.
pub struct Store {
    path: PathBuf,
    schema: Schema,
    handle: RwLock<Handle>,
    revision: watch::Sender<u64>,
}

impl Store {
    /// Opens the store of a generation; for reading only, if a migration reads it. The caller then has to hold writes.
    pub fn open(volume: &Volume, generation: Generation, version: Version) -> Result<Self, StoreError> {
        let store = Self::open_any(volume.store_file(generation), version.schema())?;
        let found = store.facts()?.schema;
        if found != version.schema().number() {
            return Err(StoreError::OtherSchema { found, version, advice: advice(found, version) });
        }
        Ok(store)
    }

    fn open_any(path: PathBuf, schema: Schema) -> Result<Self, StoreError> {
        let handle = match Database::open(&path) {
            Ok(database) => Handle::Writing(database),
            Err(DatabaseError::DatabaseAlreadyOpen) => Handle::Reading(open_for_reading(&path)?),
            Err(error) => return Err(redb_error(&path, error)),
        };
        let store = Self { path, schema, handle: RwLock::new(handle), revision: watch::Sender::new(0) };
        store.revision.send_replace(store.facts()?.revision);
        Ok(store)
    }

    /// Opens a store of any schema for reading; several processes can.
    pub fn read_only(path: &Path) -> Result<Self, StoreError> {
        let mut store = Self {
            path: path.into(),
            schema: Schema::Plain,
            handle: RwLock::new(Handle::Reading(open_for_reading(path)?)),
            revision: watch::Sender::new(0),
        };
        let facts = store.facts()?;
        store.schema = Schema::from_number(facts.schema).ok_or_else(|| StoreError::OtherSchema {
            found: facts.schema,
            version: Version::V0_1_0,
            advice: advice(facts.schema, Version::V0_1_0),
        })?;
        store.revision.send_replace(facts.revision);
        Ok(store)
    }

    /// Creates an empty store with these facts.
    pub fn create(path: &Path, schema: Schema, facts: &Facts) -> Result<Self, StoreError> {
        let database = Database::create(path).map_err(|error| redb_error(path, error))?;
        let store = Self {
            path: path.into(),
            schema,
            handle: RwLock::new(Handle::Writing(database)),
            revision: watch::Sender::new(facts.revision),
        };
        store.write(|tables| tables.describe(&Facts { schema: schema.number(), ..*facts }))?;
        Ok(store)
    }

    /// The schema of the data.
    pub fn schema(&self) -> Schema {
        self.schema
    }

    /// A receiver of the current revision and of each new one.
    pub fn revision(&self) -> watch::Receiver<u64> {
        self.revision.subscribe()
    }

    /// The facts about the store.
    pub fn facts(&self) -> Result<Facts, StoreError> {
        self.read(tables::facts)
    }

    /// One item.
    pub fn get(&self, key: &str) -> Result<Option<Record>, StoreError> {
        self.read(|read| tables::item(read, self.schema, key))
    }

    /// Items after a key, in order, at most `limit`.
    pub fn list(&self, after: &str, limit: usize) -> Result<Vec<(String, Record)>, StoreError> {
        self.read(|read| {
            let mut found = Vec::new();
            tables::scan(read, self.schema, after, |key, record| {
                if found.len() < limit {
                    found.push((key.to_owned(), record));
                }
                found.len() < limit
            })?;
            Ok(found)
        })
    }

    /// The keys of items written after a revision; `None` if this schema has no index.
    pub fn written_after(&self, after: u64, limit: usize) -> Result<Option<Vec<String>>, StoreError> {
        if self.schema < Schema::WithChecksum {
            return Ok(None);
        }
        self.read(|read| tables::written_after(read, after, limit).map(Some))
    }

    /// Writes an item.
    pub fn put(&self, key: &str, value: Vec<u8>) -> Result<Written, StoreError> {
        let written = self.write(move |tables| {
            let revision = tables.next_revision()?;
            let was_there = tables.set(key, &Record { value, written_at: revision })?;
            tables.log(revision, key, CHANGES_KEPT)?;
            Ok(Written { revision, created: !was_there })
        })?;
        self.revision.send_replace(written.revision);
        Ok(written)
    }

    /// Deletes an item; returns its revision, or `None` if there is no such item.
    pub fn delete(&self, key: &str) -> Result<Option<u64>, StoreError> {
        if self.get(key).is_ok_and(|found| found.is_none()) {
            // Also answered while writes are held: an absent item needs no write.
            return Ok(None);
        }
        let deleted = self.write(|tables| {
            if !tables.remove(key)? {
                return Ok(None);
            }
            let revision = tables.next_revision()?;
            tables.log(revision, key, CHANGES_KEPT)?;
            Ok(Some(revision))
        })?;
        if let Some(revision) = deleted {
            self.revision.send_replace(revision);
        }
        Ok(deleted)
    }

    /// Waits for the write in progress, and reopens the file for reading only, so that other processes can read it.
    pub fn hold(&self) -> Result<(), StoreError> {
        let mut handle = self.handle.write().unwrap_or_else(PoisonError::into_inner);
        if matches!(*handle, Handle::Reading(_)) {
            return Ok(());
        }
        *handle = Handle::Closed;
        *handle = Handle::Reading(open_for_reading(&self.path)?);
        Ok(())
    }

    /// Reopens the file for writing. While another process reads it, this fails and the store stays read-only.
    pub fn resume(&self) -> Result<(), StoreError> {
        let mut handle = self.handle.write().unwrap_or_else(PoisonError::into_inner);
        if matches!(*handle, Handle::Writing(_)) {
            return Ok(());
        }
        *handle = Handle::Closed;
        match Database::open(&self.path) {
            Ok(database) => *handle = Handle::Writing(database),
            Err(error) => {
                *handle = Handle::Reading(open_for_reading(&self.path)?);
                return Err(redb_error(&self.path, error));
            }
        }
        Ok(())
    }

    /// Whether the store is open for writing.
    pub fn takes_writes(&self) -> bool {
        matches!(*self.handle.read().unwrap_or_else(PoisonError::into_inner), Handle::Writing(_))
    }

    /// Closes the file; all calls fail afterwards.
    pub fn close(&self) {
        *self.handle.write().unwrap_or_else(PoisonError::into_inner) = Handle::Closed;
    }

    fn read<T>(
        &self,
        look: impl FnOnce(&ReadTransaction) -> Result<T, redb::Error>,
    ) -> Result<T, StoreError> {
        let handle = self.handle.read().unwrap_or_else(PoisonError::into_inner);
        let transaction = match &*handle {
            Handle::Writing(database) => database.begin_read(),
            Handle::Reading(database) => database.begin_read(),
            Handle::Closed => return Err(redb_error(&self.path, redb::Error::DatabaseClosed)),
        };
        transaction
            .map_err(redb::Error::from)
            .and_then(|read| look(&read))
            .map_err(|error| redb_error(&self.path, error))
    }

    fn write<T>(
        &self,
        change: impl FnOnce(&mut Tables<'_>) -> Result<T, redb::Error>,
    ) -> Result<T, StoreError> {
        let handle = self.handle.read().unwrap_or_else(PoisonError::into_inner);
        let Handle::Writing(database) = &*handle else { return Err(StoreError::Held) };
        let work = |write: WriteTransaction| {
            let result = change(&mut Tables::open(&write, self.schema)?)?;
            write.commit()?;
            Ok(result)
        };
        let transaction = database.begin_write().map_err(redb::Error::from);
        transaction.and_then(work).map_err(|error| redb_error(&self.path, error))
    }
}

fn open_for_reading(path: &Path) -> Result<ReadOnlyDatabase, StoreError> {
    match ReadOnlyDatabase::open(path) {
        // The last writer was killed. Opening for writing repairs the file.
        Err(DatabaseError::RepairAborted) => {
            drop(Database::open(path).map_err(|error| redb_error(path, error))?);
            ReadOnlyDatabase::open(path)
        }
        other => other,
    }
    .map_err(|error| redb_error(path, error))
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
