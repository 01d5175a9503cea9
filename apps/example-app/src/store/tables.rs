//! The tables of a store file: the items, the log of changes, and from 0.1.0 on the index by revision. Only this file
//! changes them, so that all tables of a schema are updated in the same transaction.

use redb::{ReadTransaction, ReadableTable, ReadableTableMetadata, Table, TableDefinition, WriteTransaction};

use super::record::{self, Record};
use crate::version::Schema;

const META: TableDefinition<&str, u64> = TableDefinition::new("meta");
const ITEMS: TableDefinition<&str, &[u8]> = TableDefinition::new("items");
const CHANGES: TableDefinition<u64, &str> = TableDefinition::new("changes");
const BY_REVISION: TableDefinition<(u64, &str), ()> = TableDefinition::new("by_revision");

/// The metadata of a store file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// The number of its schema, which can be unknown to this program.
    pub schema: u64,
    /// The revision of the last write.
    pub revision: u64,
    /// The history that the revisions belong to: stores with the same history and revision have the same items.
    pub history: u64,
    /// The generation it was migrated from; 0 if none.
    pub previous: u64,
    /// The number of items.
    pub items: u64,
}

/// A damaged record as an error of the store.
pub(super) fn damaged(key: &str, error: &record::Damaged) -> redb::Error {
    redb::Error::Corrupted(format!("item {key:?}: {error}"))
}

/// The facts of a store file.
pub(super) fn facts(read: &ReadTransaction) -> Result<Facts, redb::Error> {
    let meta = read.open_table(META)?;
    let number = |name| Ok::<_, redb::Error>(meta.get(name)?.map_or(0, |found| found.value()));
    Ok(Facts {
        schema: number("schema")?,
        revision: number("revision")?,
        history: number("history")?,
        previous: number("previous")?,
        items: read.open_table(ITEMS)?.len()?,
    })
}

/// One item.
pub(super) fn item(read: &ReadTransaction, schema: Schema, key: &str) -> Result<Option<Record>, redb::Error> {
    let items = read.open_table(ITEMS)?;
    let Some(found) = items.get(key)? else { return Ok(None) };
    record::decode(schema, found.value()).map(Some).map_err(|error| damaged(key, &error))
}

/// Calls `visit` for the items after a key, in order, until it returns false.
pub(super) fn scan(
    read: &ReadTransaction,
    schema: Schema,
    after: &str,
    mut visit: impl FnMut(&str, Record) -> bool,
) -> Result<(), redb::Error> {
    let items = read.open_table(ITEMS)?;
    let range = (std::ops::Bound::Excluded(after), std::ops::Bound::Unbounded);
    for entry in items.range::<&str>(range)? {
        let (key, bytes) = entry?;
        let record = record::decode(schema, bytes.value()).map_err(|error| damaged(key.value(), &error))?;
        if !visit(key.value(), record) {
            break;
        }
    }
    Ok(())
}

/// The log of changes after a revision, oldest first; `None` if some of them are no longer in the log.
pub(super) fn changes(
    read: &ReadTransaction,
    after: u64,
    revision: u64,
) -> Result<Option<Vec<(u64, String)>>, redb::Error> {
    let log = read.open_table(CHANGES)?;
    let first = log.first()?.map_or(revision + 1, |(first, _)| first.value());
    if after > revision || first > after + 1 {
        return Ok(None);
    }
    let mut found = Vec::new();
    for entry in log.range(after + 1..)? {
        let (revision, key) = entry?;
        found.push((revision.value(), key.value().to_owned()));
    }
    Ok(Some(found))
}

/// Keys of items written after a revision, oldest first. Only for schemas with an index.
pub(super) fn written_after(
    read: &ReadTransaction,
    after: u64,
    limit: usize,
) -> Result<Vec<String>, redb::Error> {
    let index = read.open_table(BY_REVISION)?;
    let range = (after.saturating_add(1), "")..;
    let keys: Result<Vec<_>, redb::Error> =
        index.range(range)?.take(limit).map(|entry| Ok(entry?.0.value().1.to_owned())).collect();
    keys
}

/// The tables, open for one write transaction.
pub(super) struct Tables<'t> {
    schema: Schema,
    meta: Table<'t, &'static str, u64>,
    items: Table<'t, &'static str, &'static [u8]>,
    changes: Table<'t, u64, &'static str>,
    by_revision: Option<Table<'t, (u64, &'static str), ()>>,
}

impl<'t> Tables<'t> {
    /// Opens the tables of a schema; creates missing ones.
    pub(super) fn open(write: &'t WriteTransaction, schema: Schema) -> Result<Self, redb::Error> {
        let indexed = schema >= Schema::WithChecksum;
        Ok(Self {
            schema,
            meta: write.open_table(META)?,
            items: write.open_table(ITEMS)?,
            changes: write.open_table(CHANGES)?,
            by_revision: indexed.then(|| write.open_table(BY_REVISION)).transpose()?,
        })
    }

    /// Writes the metadata, except for the number of items, which is that of the table.
    pub(super) fn describe(&mut self, facts: &Facts) -> Result<(), redb::Error> {
        self.meta.insert("schema", facts.schema)?;
        self.meta.insert("revision", facts.revision)?;
        self.meta.insert("history", facts.history)?;
        self.meta.insert("previous", facts.previous)?;
        Ok(())
    }

    /// Sets the revision and its history.
    pub(super) fn set_revision(&mut self, history: u64, revision: u64) -> Result<(), redb::Error> {
        self.meta.insert("history", history)?;
        self.meta.insert("revision", revision)?;
        Ok(())
    }

    /// Increments the revision, and returns it.
    pub(super) fn next_revision(&mut self) -> Result<u64, redb::Error> {
        let revision = self.meta.get("revision")?.map_or(0, |found| found.value()) + 1;
        self.meta.insert("revision", revision)?;
        Ok(revision)
    }

    fn unindex(&mut self, key: &str) -> Result<bool, redb::Error> {
        let Some(old) = self.items.get(key)? else { return Ok(false) };
        if let Some(index) = &mut self.by_revision {
            // Not decoded, so that a damaged item can be overwritten.
            if let Some(revision) = old.value().first_chunk() {
                index.remove((u64::from_be_bytes(*revision), key))?;
            }
        }
        Ok(true)
    }

    /// Writes an item; returns whether it existed before.
    pub(super) fn set(&mut self, key: &str, record: &Record) -> Result<bool, redb::Error> {
        let was_there = self.unindex(key)?;
        self.items.insert(key, record::encode(self.schema, record).as_slice())?;
        if let Some(index) = &mut self.by_revision {
            index.insert((record.written_at, key), ())?;
        }
        Ok(was_there)
    }

    /// Deletes an item; returns whether it existed.
    pub(super) fn remove(&mut self, key: &str) -> Result<bool, redb::Error> {
        let was_there = self.unindex(key)?;
        self.items.remove(key)?;
        Ok(was_there)
    }

    /// The keys after `after`, up to and including `up_to`.
    pub(super) fn keys(&self, after: &str, up_to: Option<&str>) -> Result<Vec<String>, redb::Error> {
        use std::ops::Bound::{Excluded, Included, Unbounded};
        let range = (Excluded(after), up_to.map_or(Unbounded, Included));
        self.items.range::<&str>(range)?.map(|entry| Ok(entry?.0.value().to_owned())).collect()
    }

    /// Adds a change to the log, and removes the oldest ones beyond `kept`.
    pub(super) fn log(&mut self, revision: u64, key: &str, kept: u64) -> Result<(), redb::Error> {
        self.changes.insert(revision, key)?;
        while self.changes.len()? > kept {
            self.changes.pop_first()?;
        }
        Ok(())
    }

    /// Removes all changes from the log: followers then copy all items.
    pub(super) fn clear_log(&mut self) -> Result<(), redb::Error> {
        self.changes.retain(|_, _| false)?;
        Ok(())
    }
}
