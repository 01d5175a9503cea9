//! The data volume: which generations of data lie on it, and which is the current one. A generation is a directory
//! `data-N`; `current` is a symbolic link to one of them and is only ever replaced by a rename, so that a reader, a
//! crash or a power cut sees the old generation or the new one. Called by the store and by `migrate`.

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

/// Something on the volume could not be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum VolumeError {
    /// The file system refused.
    #[error("cannot {doing} {}", path.display())]
    Io {
        /// What was being done.
        doing: &'static str,
        /// To what.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// `current` is there and names no generation.
    #[error("{} does not point to a directory data-N; point it to the one in use, with `ln -sfn data-N current`", .0.display())]
    StrangePointer(PathBuf),
    /// There is data and nothing says which is in use.
    #[error("{} holds data but no `current`; point it to the one in use, with `ln -sfn data-N current`", .0.display())]
    NoPointer(PathBuf),
}

fn doing(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> VolumeError {
    let path = path.to_path_buf();
    move |source| VolumeError::Io { doing, path, source }
}

fn absent_is_fine(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// The volume, by its directory.
#[derive(Debug, Clone)]
pub struct Volume(PathBuf);

impl Volume {
    /// The volume mounted here.
    pub fn at(directory: impl Into<PathBuf>) -> Self {
        Self(directory.into())
    }

    /// Where it is mounted.
    pub fn directory(&self) -> &Path {
        &self.0
    }

    /// The generation in use; `None` on an empty volume.
    pub fn current(&self) -> Result<Option<Generation>, VolumeError> {
        let pointer = self.0.join("current");
        match fs::read_link(&pointer) {
            Ok(target) => match target.to_str().and_then(Generation::parse) {
                Some(generation) => Ok(Some(generation)),
                None => Err(VolumeError::StrangePointer(pointer)),
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

    /// The generations that lie here, drafts not counted, oldest first.
    pub fn generations(&self) -> Result<Vec<Generation>, VolumeError> {
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

    /// Whether a generation's store is there.
    pub fn holds(&self, generation: Generation) -> bool {
        self.store_file(generation).exists()
    }

    fn draft_directory(&self, generation: Generation) -> PathBuf {
        self.0.join(format!("{generation}.draft"))
    }

    /// An empty directory for a generation that is being made; returns the file for its store.
    pub fn begin_draft(&self, generation: Generation) -> Result<PathBuf, VolumeError> {
        let directory = self.draft_directory(generation);
        absent_is_fine(fs::remove_dir_all(&directory)).map_err(doing("remove", &directory))?;
        fs::create_dir_all(&directory).map_err(doing("create", &directory))?;
        Ok(directory.join("store.redb"))
    }

    /// Makes a draft a generation. It is not yet in use.
    pub fn publish(&self, generation: Generation) -> Result<(), VolumeError> {
        let (draft, directory) = (self.draft_directory(generation), self.0.join(generation.to_string()));
        Self::sync(&draft)?;
        fs::rename(&draft, &directory).map_err(doing("rename", &draft))?;
        Self::sync(&self.0)
    }

    /// Puts a generation in use: the one moment in which everything changes.
    pub fn switch(&self, generation: Generation) -> Result<(), VolumeError> {
        fs::create_dir_all(&self.0).map_err(doing("create", &self.0))?;
        let draft = self.0.join("current.draft");
        absent_is_fine(fs::remove_file(&draft)).map_err(doing("remove", &draft))?;
        std::os::unix::fs::symlink(generation.to_string(), &draft).map_err(doing("create", &draft))?;
        fs::rename(&draft, self.0.join("current")).map_err(doing("rename", &draft))?;
        Self::sync(&self.0)
    }

    /// Removes drafts, and every generation except those to keep.
    pub fn sweep(&self, keep: &[Generation]) -> Result<Vec<Generation>, VolumeError> {
        let mut removed = Vec::new();
        for name in self.names()? {
            let path = self.0.join(&name);
            if name.strip_suffix(".draft").is_some_and(|name| Generation::parse(name).is_some()) {
                absent_is_fine(fs::remove_dir_all(&path)).map_err(doing("remove", &path))?;
            } else if let Some(generation) = Generation::parse(&name).filter(|found| !keep.contains(found)) {
                self.sweep_one(generation)?;
                removed.push(generation);
            }
        }
        removed.sort_unstable();
        Self::sync(&self.0)?;
        Ok(removed)
    }

    /// Removes a generation; absent is fine.
    pub fn sweep_one(&self, generation: Generation) -> Result<(), VolumeError> {
        let (path, draft) = (self.0.join(generation.to_string()), self.draft_directory(generation));
        absent_is_fine(fs::remove_dir_all(&draft)).map_err(doing("remove", &draft))?;
        // Renamed first: a removal that is interrupted must not leave half a generation under its name.
        absent_is_fine(fs::rename(&path, &draft)).map_err(doing("rename", &path))?;
        absent_is_fine(fs::remove_dir_all(&draft)).map_err(doing("remove", &draft))
    }

    /// Bytes that may still be written.
    pub fn free_bytes(&self) -> Result<u64, VolumeError> {
        let figures =
            rustix::fs::statvfs(&self.0).map_err(|error| doing("measure", &self.0)(error.into()))?;
        Ok(figures.f_bavail.saturating_mul(figures.f_frsize))
    }

    fn sync(directory: &Path) -> Result<(), VolumeError> {
        File::open(directory).and_then(|file| file.sync_all()).map_err(doing("sync", directory))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pointer_names_one_generation_and_the_sweep_keeps_it() {
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
    fn data_without_a_pointer_is_not_guessed_at() {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir(directory.path().join("data-1")).unwrap();
        let volume = Volume::at(directory.path());
        assert!(matches!(volume.current(), Err(VolumeError::NoPointer(_))));
        std::os::unix::fs::symlink("elsewhere", directory.path().join("current")).unwrap();
        assert!(matches!(volume.current(), Err(VolumeError::StrangePointer(_))));
    }
}
