//! The errors of a store. The texts say what to do.

use std::path::{Path, PathBuf};

use crate::version::{Schema, Version};
use crate::volume::VolumeError;

/// Why a call of the store failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Writes are held.
    #[error("writes are held")]
    Held,
    /// Another process has the file open.
    #[error("{} is in use by another process: a server that accepts writes, or a migration; hold the writes or stop the process", .0.display())]
    InUse(PathBuf),
    /// The data belong to another version.
    #[error("the data has schema {found}, version {version} needs schema {needed}; {advice}", needed = version.schema().number())]
    OtherSchema {
        /// The schema of the data.
        found: u64,
        /// The version that opened the store.
        version: Version,
        /// What to do.
        advice: String,
    },
    /// The store file could not be read or written.
    #[error("cannot use the store {}", path.display())]
    Redb {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: Box<redb::Error>,
    },
    /// The volume could not be read or written.
    #[error(transparent)]
    Volume(#[from] VolumeError),
}

pub(super) fn advice(found: u64, version: Version) -> String {
    match Schema::from_number(found) {
        Some(schema) if schema < version.schema() => {
            let next = Schema::from_number(found + 1).unwrap_or(schema).version();
            format!("run version {}, or `example-app migrate --to {next} --data DIR` first", schema.version())
        }
        Some(schema) => {
            format!(
                "run version {0}, or go back with `example-app migrate --back --to {version} --data DIR`",
                schema.version()
            )
        }
        None => "run the version that wrote it".into(),
    }
}

/// An error of redb for a file.
pub(super) fn redb_error(path: &Path, error: impl Into<redb::Error>) -> StoreError {
    let error = error.into();
    if matches!(error, redb::Error::DatabaseAlreadyOpen) {
        return StoreError::InUse(path.into());
    }
    StoreError::Redb { path: path.into(), source: Box::new(error) }
}
