//! The data volume: its generations of data, and which one is in use. A generation is a directory `data-N`. `current`
//! is a symbolic link to one of them, and is always replaced by a rename: at any time, also after a crash or a power
//! cut, it names either the old or the new generation. Called by the store and by `migrate`.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// One generation of the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Generation(pub u64);

impl fmt::Display for Generation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "data-{}", self.0)
    }
}

impl Generation {
    fn parse(name: &str) -> Option<Self> {
        name.strip_prefix("data-")?.parse().ok().map(Self)
    }
}

/// Why the volume could not be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum VolumeError {
    /// A call of the file system failed.
    #[error("cannot {doing} {}", path.display())]
    Io {
        /// What was being done.
        doing: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// `current` exists and does not name a generation.
    #[error("{} does not point to a directory data-N; point it to the generation in use, with `ln -sfn data-N current`", .0.display())]
    InvalidPointer(PathBuf),
    /// There are generations, but no `current`.
    #[error("{} contains data but no `current`; point it to the generation in use, with `ln -sfn data-N current`", .0.display())]
    NoPointer(PathBuf),
}

fn doing(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> VolumeError {
    let path = path.to_path_buf();
    move |source| VolumeError::Io { doing, path, source }
}

fn ignore_absent(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// The volume, identified by its directory.
#[derive(Debug, Clone)]
pub struct Volume(PathBuf);

impl Volume {
    /// The volume mounted here.
    pub fn at(directory: impl Into<PathBuf>) -> Self {
        Self(directory.into())
    }

    /// The directory where it is mounted.
    pub fn directory(&self) -> &Path {
        &self.0
    }

    /// The generation in use; `None` on an empty volume.
    pub fn current(&self) -> Result<Option<Generation>, VolumeError> {
        let pointer = self.0.join("current");
        match fs::read_link(&pointer) {
            Ok(target) => match target.to_str().and_then(Generation::parse) {
                Some(generation) => Ok(Some(generation)),
                None => Err(VolumeError::InvalidPointer(pointer)),
            },
            Err(error) if error.kind() == ErrorKind::NotFound => {
                if self.generations()?.is_empty() {
                    Ok(None)
                } else {
                    Err(VolumeError::NoPointer(self.0.clone()))
                }
            }
            Err(source) => Err(doing("read", &pointer)(source)),
        }
    }

    /// The generations on the volume, without drafts, oldest first.
    fn generations(&self) -> Result<Vec<Generation>, VolumeError> {
        let mut found: Vec<_> = self.names()?.iter().filter_map(|name| Generation::parse(name)).collect();
        found.sort_unstable();
        Ok(found)
    }

    fn names(&self) -> Result<Vec<String>, VolumeError> {
        let entries = match fs::read_dir(&self.0) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            other => other.map_err(doing("list", &self.0))?,
        };
        entries
            .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
            .collect::<io::Result<_>>()
            .map_err(doing("list", &self.0))
    }

    /// The file of a generation's store.
    pub fn store_file(&self, generation: Generation) -> PathBuf {
        self.0.join(generation.to_string()).join("store.redb")
    }

    /// Whether the store of a generation exists.
    pub fn has_store(&self, generation: Generation) -> bool {
        self.store_file(generation).exists()
    }

    fn draft_directory(&self, generation: Generation) -> PathBuf {
        self.0.join(format!("{generation}.draft"))
    }

    /// Creates an empty directory for a draft of a generation; returns the path for its store.
    pub fn begin_draft(&self, generation: Generation) -> Result<PathBuf, VolumeError> {
        let directory = self.draft_directory(generation);
        ignore_absent(fs::remove_dir_all(&directory)).map_err(doing("remove", &directory))?;
        fs::create_dir_all(&directory).map_err(doing("create", &directory))?;
        Ok(directory.join("store.redb"))
    }

    /// Turns a draft into a generation, which is not in use yet.
    pub fn publish(&self, generation: Generation) -> Result<(), VolumeError> {
        let (draft, directory) = (self.draft_directory(generation), self.0.join(generation.to_string()));
        Self::sync(&draft)?;
        fs::rename(&draft, &directory).map_err(doing("rename", &draft))?;
        Self::sync(&self.0)
    }

    /// Puts a generation into use, by one rename.
    pub fn switch(&self, generation: Generation) -> Result<(), VolumeError> {
        fs::create_dir_all(&self.0).map_err(doing("create", &self.0))?;
        let draft = self.0.join("current.draft");
        ignore_absent(fs::remove_file(&draft)).map_err(doing("remove", &draft))?;
        std::os::unix::fs::symlink(generation.to_string(), &draft).map_err(doing("create", &draft))?;
        fs::rename(&draft, self.0.join("current")).map_err(doing("rename", &draft))?;
        Self::sync(&self.0)
    }

    /// Removes drafts, and all generations except those to keep; returns the removed ones.
    pub fn sweep(&self, keep: &[Generation]) -> Result<Vec<Generation>, VolumeError> {
        let mut removed = Vec::new();
        for name in self.names()? {
            let path = self.0.join(&name);
            if name.strip_suffix(".draft").is_some_and(|name| Generation::parse(name).is_some()) {
                ignore_absent(fs::remove_dir_all(&path)).map_err(doing("remove", &path))?;
            } else if let Some(generation) = Generation::parse(&name).filter(|found| !keep.contains(found)) {
                self.sweep_one(generation)?;
                removed.push(generation);
            }
        }
        removed.sort_unstable();
        Self::sync(&self.0)?;
        Ok(removed)
    }

    /// Removes a generation, if it exists.
    pub fn sweep_one(&self, generation: Generation) -> Result<(), VolumeError> {
        let (path, draft) = (self.0.join(generation.to_string()), self.draft_directory(generation));
        ignore_absent(fs::remove_dir_all(&draft)).map_err(doing("remove", &draft))?;
        // Renamed first: an interrupted removal must not leave an incomplete generation under its name.
        ignore_absent(fs::rename(&path, &draft)).map_err(doing("rename", &path))?;
        ignore_absent(fs::remove_dir_all(&draft)).map_err(doing("remove", &draft))
    }

    /// The free bytes of the file system.
    pub fn free_bytes(&self) -> Result<u64, VolumeError> {
        let statistics =
            rustix::fs::statvfs(&self.0).map_err(|error| doing("measure", &self.0)(error.into()))?;
        Ok(statistics.f_bavail.saturating_mul(statistics.f_frsize))
    }

    fn sync(directory: &Path) -> Result<(), VolumeError> {
        File::open(directory).and_then(|file| file.sync_all()).map_err(doing("sync", directory))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generation_in_use_is_not_swept() {
        let directory = tempfile::tempdir().unwrap();
        let volume = Volume::at(directory.path().join("new"));
        assert_eq!(volume.current().unwrap(), None);
        for number in [1, 2, 3] {
            volume.begin_draft(Generation(number)).unwrap();
            volume.publish(Generation(number)).unwrap();
            volume.switch(Generation(number)).unwrap();
            assert_eq!(volume.current().unwrap(), Some(Generation(number)));
        }
        volume.begin_draft(Generation(4)).unwrap();
        assert_eq!(volume.sweep(&[Generation(3), Generation(2)]).unwrap(), [Generation(1)]);
        assert_eq!(volume.names().unwrap().len(), 3, "two generations and the pointer");
    }

    #[test]
    fn a_missing_or_invalid_pointer_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir(directory.path().join("data-1")).unwrap();
        let volume = Volume::at(directory.path());
        assert!(matches!(volume.current(), Err(VolumeError::NoPointer(_))));
        std::os::unix::fs::symlink("elsewhere", directory.path().join("current")).unwrap();
        assert!(matches!(volume.current(), Err(VolumeError::InvalidPointer(_))));
    }
}
