//! Replication: what a follower reads from the writer's store and writes to its own. Pages are limited in bytes. A page
//! can contain values newer than its revision, never older: the changes in between follow with the next page.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::record::Record;
use super::{Facts, Store, StoreError, tables};
use crate::version::Schema;

/// A changed item and its current value, or none if it was deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// The key of the item.
    pub key: String,
    /// Its value, in base64; `None` when it was deleted.
    pub value: Option<String>,
    /// The revision that wrote it.
    pub written_at: u64,
}

/// The changes after a revision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Delta {
    /// The history that the revisions belong to.
    pub history: u64,
    /// The revision of the follower after these changes.
    pub up_to: u64,
    /// The current revision of the writer.
    pub revision: u64,
    /// The changes, at most one for each item.
    pub changes: Vec<Change>,
}

/// One page of all items.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CopyPage {
    /// The history that the revision belongs to.
    pub history: u64,
    /// The current revision of the writer.
    pub revision: u64,
    /// All items after the requested key, up to `next`.
    pub items: Vec<Change>,
    /// The key to request the next page with; `None` on the last page.
    pub next: Option<String>,
}

fn to_change(key: &str, record: Option<Record>) -> Change {
    use base64::Engine;
    let written_at = record.as_ref().map_or(0, |record| record.written_at);
    let value = record.map(|record| base64::engine::general_purpose::STANDARD.encode(record.value));
    Change { key: key.into(), value, written_at }
}

fn to_record(change: &Change) -> Result<Option<Record>, redb::Error> {
    use base64::Engine;
    let Some(text) = &change.value else { return Ok(None) };
    match base64::engine::general_purpose::STANDARD.decode(text) {
        Ok(value) => Ok(Some(Record { value, written_at: change.written_at })),
        Err(error) => Err(redb::Error::Corrupted(format!("the writer sent invalid base64: {error}"))),
    }
}

fn size(change: &Change) -> usize {
    change.key.len() + change.value.as_ref().map_or(0, String::len) + 64
}

impl Store {
    /// The changes after a revision; `None` if the follower has to copy all items.
    pub fn delta(&self, history: u64, after: u64, bytes: usize) -> Result<Option<Delta>, StoreError> {
        let schema = self.schema();
        self.read(|read| {
            let facts: Facts = tables::facts(read)?;
            if facts.history != history {
                return Ok(None);
            }
            let Some(log) = tables::changes(read, after, facts.revision)? else { return Ok(None) };
            let mut delta = Delta { history, up_to: after, revision: facts.revision, changes: Vec::new() };
            let (mut seen, mut used) = (std::collections::BTreeSet::new(), 0);
            for (revision, key) in log {
                if used >= bytes {
                    return Ok(Some(delta));
                }
                if seen.insert(key.clone()) {
                    let change = to_change(&key, tables::item(read, schema, &key)?);
                    used += size(&change);
                    delta.changes.push(change);
                }
                delta.up_to = revision;
            }
            delta.up_to = facts.revision;
            Ok(Some(delta))
        })
    }

    /// The page of items after a key.
    pub fn copy_page(&self, after: &str, bytes: usize) -> Result<CopyPage, StoreError> {
        self.read(|read| {
            let facts = tables::facts(read)?;
            let (mut items, mut used, mut next) = (Vec::<Change>::new(), 0, None);
            tables::scan(read, self.schema(), after, |key, record| {
                if used >= bytes {
                    next = items.last().map(|last| last.key.clone());
                    return false;
                }
                let change = to_change(key, Some(record));
                used += size(&change);
                items.push(change);
                true
            })?;
            Ok(CopyPage { history: facts.history, revision: facts.revision, items, next })
        })
    }

    /// Applies changes of the writer in one transaction.
    pub fn apply(&self, delta: &Delta) -> Result<(), StoreError> {
        self.write(|tables| {
            for change in &delta.changes {
                match to_record(change)? {
                    Some(record) => tables.set(&change.key, &record)?,
                    None => tables.remove(&change.key)?,
                };
            }
            tables.set_revision(delta.history, delta.up_to)
        })?;
        self.revision.send_replace(delta.up_to);
        Ok(())
    }

    /// Makes the items after `after`, up to the page's end, the same as the writer's. The revision stays until
    /// [`Store::finish_copy`]: an interrupted copy is repeated from the start.
    pub fn apply_page(&self, after: &str, page: &CopyPage) -> Result<(), StoreError> {
        self.write(|tables| {
            let wanted: std::collections::BTreeSet<_> = page.items.iter().map(|item| &item.key).collect();
            for key in tables.keys(after, page.next.as_deref())? {
                if !wanted.contains(&key) {
                    tables.remove(&key)?;
                }
            }
            for change in &page.items {
                if let Some(record) = to_record(change)? {
                    tables.set(&change.key, &record)?;
                }
            }
            Ok(())
        })
    }

    /// Completes a copy that was started when the writer had this revision.
    pub fn finish_copy(&self, history: u64, revision: u64) -> Result<(), StoreError> {
        self.write(|tables| {
            tables.clear_log()?;
            tables.set_revision(history, revision)
        })?;
        self.revision.send_replace(revision);
        Ok(())
    }

    /// Writes items with their existing revisions, for a migration.
    pub fn fill(&self, items: &[(String, Record)]) -> Result<(), StoreError> {
        self.write(|tables| {
            for (key, record) in items {
                tables.set(key, record)?;
            }
            Ok(())
        })
    }

    /// Sets a new history in a store that is not open: followers then copy all items.
    pub fn rewrite_history(path: &Path, schema: Schema, history: u64) -> Result<(), StoreError> {
        let store = Self::open_any(path.into(), schema)?;
        let facts = store.facts()?;
        store.write(|tables| {
            tables.clear_log()?;
            tables.set_revision(history, facts.revision)
        })
    }
}
