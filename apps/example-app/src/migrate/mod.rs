//! `migrate`: converts the data of one version to the schema of the next, and back. It works on a copy beside the data
//! in use and switches by one rename, so that it can be killed at any point and run again, and so that the old data
//! stay until they are discarded. The lock of the store excludes writers: hold their writes, or stop them.

mod plan;

use std::fs::{File, TryLockError};
use std::io;
use std::path::PathBuf;

use crate::store::record::Record;
use crate::store::{Facts, Store, StoreError, new_history};
use crate::version::Version;
use crate::volume::{Generation, Volume, VolumeError};
pub use plan::Refusal;

/// Items copied in one transaction.
const BATCH: usize = 64;

/// Why the migration failed. The data in use have not changed.
#[derive(Debug, thiserror::Error)]
pub enum MigrateError {
    /// It is not allowed.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// A store could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The volume could not be read or written.
    #[error(transparent)]
    Volume(#[from] VolumeError),
    /// Another migration is running on the volume.
    #[error("another migration is running on {}; wait for it to end", .0.display())]
    Busy(PathBuf),
    /// The file that excludes other migrations could not be locked.
    #[error("cannot lock {}", path.display())]
    Lock {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The copy is not the same as its source.
    #[error(
        "the copy differs from its source after item {0:?}; the old data are still in use: run the migration again"
    )]
    Different(String),
    /// The version that fails on purpose failed.
    #[error(
        "version {version} cannot migrate: it stopped after {copied} of {total} items, as it always does"
    )]
    Broken {
        /// The broken version.
        version: Version,
        /// The items that were copied.
        copied: u64,
        /// All items.
        total: u64,
    },
    /// A test stopped it.
    #[error("interrupted before step {0}")]
    Interrupted(usize),
}

/// What a migration did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The volume is empty: the next version creates its own data.
    Empty,
    /// Nothing had to be done.
    AlreadyThere {
        /// The generation in use.
        generation: Generation,
    },
    /// Another generation is in use now.
    Switched {
        /// The generation that was in use before; kept until it is discarded.
        from: Generation,
        /// The generation in use now.
        to: Generation,
        /// Items in use now.
        items: u64,
        /// The revision of the data in use now.
        revision: u64,
    },
    /// The data that were not in use are removed.
    Discarded {
        /// The generations that were removed.
        generations: Vec<Generation>,
    },
}

/// A migration of one volume.
pub struct Migration {
    volume: Volume,
    stop_before: Option<usize>,
    steps: usize,
}

impl Migration {
    /// A migration of this volume.
    pub fn of(volume: Volume) -> Self {
        Self { volume, stop_before: None, steps: 0 }
    }

    /// Stops before the n-th step, as a crash would: for tests.
    #[cfg(test)]
    fn stopping_before(volume: Volume, step: usize) -> Self {
        Self { volume, stop_before: Some(step), steps: 0 }
    }

    fn step(&mut self) -> Result<(), MigrateError> {
        self.steps += 1;
        match self.stop_before {
            Some(step) if self.steps >= step => Err(MigrateError::Interrupted(self.steps)),
            _ => Ok(()),
        }
    }

    /// The generation in use, if it has a store.
    fn current(&self) -> Result<Option<Generation>, MigrateError> {
        Ok(self.volume.current()?.filter(|current| self.volume.has_store(*current)))
    }

    fn lock(&self) -> Result<File, MigrateError> {
        let path = self.volume.directory().join("migrate.lock");
        let locked = File::create(&path).map_err(TryLockError::Error).and_then(|file| {
            file.try_lock()?;
            Ok(file)
        });
        locked.map_err(|error| match error {
            TryLockError::WouldBlock => MigrateError::Busy(self.volume.directory().into()),
            TryLockError::Error(source) => MigrateError::Lock { path, source },
        })
    }

    /// Converts the data to the schema of the next version.
    pub fn forward(&mut self, to: Version) -> Result<Outcome, MigrateError> {
        let Some(current) = self.current()? else { return Ok(Outcome::Empty) };
        let _lock = self.lock()?;
        let source = Store::read_only(&self.volume.store_file(current))?;
        let facts = source.facts()?;
        // Also removes what an earlier run left, successful or not.
        self.step()?;
        self.volume.sweep(&[current, Generation(facts.previous)])?;
        if source.schema() == to.schema() {
            return Ok(Outcome::AlreadyThere { generation: current });
        }
        plan::one_step_ahead(source.schema(), to)?;
        self.check_space(current)?;
        let copy = Facts { previous: current.0, ..facts };
        let next = Generation(current.0 + 1);
        self.build(&source, next, &copy, to)?;
        self.step()?;
        // The source stays open, and so locked, until the switch: a server that resumes writes before fails.
        self.volume.switch(next)?;
        self.step()?;
        // Only one previous generation is kept: going back twice must have the same result as going back once.
        self.volume.sweep(&[next, current])?;
        Ok(Outcome::Switched { from: current, to: next, items: facts.items, revision: facts.revision })
    }

    /// Goes back to the data that were in use before. Writes made since then are kept, unless `drop_new_writes`: then
    /// the old data are used unchanged.
    pub fn back(&mut self, to: Option<Version>, drop_new_writes: bool) -> Result<Outcome, MigrateError> {
        let Some(current) = self.current()? else { return Ok(Outcome::Empty) };
        let _lock = self.lock()?;
        let source = Store::read_only(&self.volume.store_file(current))?;
        let facts = source.facts()?;
        let previous = Generation(facts.previous);
        if to.is_some_and(|to| to.schema() == source.schema()) {
            return Ok(Outcome::AlreadyThere { generation: current });
        }
        if facts.previous == 0 || !self.volume.has_store(previous) {
            return match to {
                Some(to) => Err(Refusal::NothingToGoBackTo { to, schema: facts.schema }.into()),
                None => Ok(Outcome::AlreadyThere { generation: current }),
            };
        }
        self.step()?;
        self.volume.sweep(&[current, previous])?;
        let old = Store::read_only(&self.volume.store_file(previous))?;
        plan::previous_has(old.schema(), to)?;
        let old_facts = old.facts()?;
        let same = (old_facts.history, old_facts.revision) == (facts.history, facts.revision);
        if same || drop_new_writes {
            let schema = old.schema();
            old.close();
            self.step()?;
            if !same {
                // Followers have revisions that are now undone: a new history makes them copy all items.
                Store::rewrite_history(&self.volume.store_file(previous), schema, new_history())?;
            }
            self.step()?;
            self.volume.switch(previous)?;
            let (items, revision) = (old_facts.items, old_facts.revision);
            return Ok(Outcome::Switched { from: current, to: previous, items, revision });
        }
        self.check_space(current)?;
        let next = Generation(current.0 + 1);
        self.build(&source, next, &Facts { previous: 0, ..facts }, old.schema().version())?;
        self.step()?;
        self.volume.switch(next)?;
        Ok(Outcome::Switched { from: current, to: next, items: facts.items, revision: facts.revision })
    }

    /// Removes all data that are not in use. Going back is not possible afterwards.
    pub fn discard(&mut self) -> Result<Outcome, MigrateError> {
        let Some(current) = self.current()? else { return Ok(Outcome::Empty) };
        let _lock = self.lock()?;
        self.step()?;
        Ok(Outcome::Discarded { generations: self.volume.sweep(&[current])? })
    }

    fn size(&self, generation: Generation) -> u64 {
        std::fs::metadata(self.volume.store_file(generation)).map_or(0, |metadata| metadata.len())
    }

    fn check_space(&self, current: Generation) -> Result<(), MigrateError> {
        Ok(plan::enough_space(self.size(current), self.volume.free_bytes()?)?)
    }

    /// Creates a generation from the items of a store. Does not change which generation is in use.
    fn build(
        &mut self,
        source: &Store,
        generation: Generation,
        facts: &Facts,
        version: Version,
    ) -> Result<(), MigrateError> {
        self.step()?;
        self.volume.sweep_one(generation)?;
        self.step()?;
        let path = self.volume.begin_draft(generation)?;
        self.step()?;
        let target = Store::create(&path, version.schema(), facts)?;
        let (mut after, mut copied) = (String::new(), 0);
        loop {
            self.step()?;
            let batch = source.list(&after, BATCH)?;
            let Some((last, _)) = batch.last() else { break };
            after.clone_from(last);
            target.fill(&batch)?;
            copied += batch.len() as u64;
            if !version.migrates() && copied * 2 >= facts.items {
                break;
            }
        }
        if !version.migrates() {
            return Err(MigrateError::Broken { version, copied, total: facts.items });
        }
        self.step()?;
        compare(source, &target)?;
        target.close();
        self.step()?;
        Ok(self.volume.publish(generation)?)
    }
}

fn compare(source: &Store, target: &Store) -> Result<(), MigrateError> {
    let values = |items: Vec<(String, Record)>| -> Vec<_> {
        items.into_iter().map(|(key, record)| (key, record.value)).collect()
    };
    let mut after = String::new();
    loop {
        let wanted = values(source.list(&after, BATCH)?);
        if wanted != values(target.list(&after, BATCH)?) {
            return Err(MigrateError::Different(after));
        }
        let Some((last, _)) = wanted.last() else { return Ok(()) };
        after.clone_from(last);
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
