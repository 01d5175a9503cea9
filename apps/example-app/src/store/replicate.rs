//! What a follower asks of the writer's store and does to its own. Pages are bounded by bytes. A page may hold values
//! newer than its revision says (never older), because the changes in between come with the next page.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::record::Record;
use super::{Facts, Store, StoreError, tables};
use crate::version::Schema;

/// An item that changed: its value now, or nothing when it is gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// The item.
    pub key: String,
    /// Its value, in base64; `None` when it was deleted.
    pub value: Option<String>,
    /// The revision that wrote it.
    pub written_at: u64,
}

/// What happened after a revision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Delta {
    /// Which history the revisions count.
    pub history: u64,
    /// The revision that the follower has once it has applied this.
    pub up_to: u64,
    /// The writer's revision.
    pub revision: u64,
    /// What changed, each item once.
    pub changes: Vec<Change>,
}

/// A part of everything.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CopyPage {
    /// Which history the revision counts.
    pub history: u64,
    /// The writer's revision.
    pub revision: u64,
    /// All items after the key asked for, up to `next`.
    pub items: Vec<Change>,
    /// The key to ask with for the rest; `None` when there is no rest.
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
        Err(error) => Err(redb::Error::Corrupted(format!("the writer sent no base64: {error}"))),
    }
}

fn size(change: &Change) -> usize {
    change.key.len() + change.value.as_ref().map_or(0, String::len) + 64
}

impl Store {
    /// What happened after a revision; `None` when only a whole copy helps.
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

    /// A part of everything, beginning after a key.
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

    /// Applies what happened at the writer, all of it or nothing.
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
    /// [`Store::finish_copy`]: a copy that is interrupted is begun again.
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

    /// Ends a copy that began when the writer was at this revision.
    pub fn finish_copy(&self, history: u64, revision: u64) -> Result<(), StoreError> {
        self.write(|tables| {
            tables.forget_changes()?;
            tables.set_revision(history, revision)
        })?;
        self.revision.send_replace(revision);
        Ok(())
    }

    /// Writes items with the revisions they have elsewhere, for a migration.
    pub fn fill(&self, items: &[(String, Record)]) -> Result<(), StoreError> {
        self.write(|tables| {
            for (key, record) in items {
                tables.set(key, record)?;
            }
            Ok(())
        })
    }

    /// Gives a store that nobody has open another history: its revisions are no longer those that followers know.
    pub fn rewrite_history(path: &Path, schema: Schema, history: u64) -> Result<(), StoreError> {
        let store = Self::open_any(path.into(), schema)?;
        let facts = store.facts()?;
        store.write(|tables| {
            tables.forget_changes()?;
            tables.set_revision(history, facts.revision)
        })
    }
}
